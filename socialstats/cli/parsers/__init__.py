"""What can be typed after each command, a file a command: nothing that computes is loaded for it."""

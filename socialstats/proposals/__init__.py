"""What a table may be read as: settings and names decide, and proposals from its content where they do not."""

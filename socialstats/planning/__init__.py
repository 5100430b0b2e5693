"""What is decided before the data are seen: families of tests, power, and how much to collect."""

"""What the checks of a table or paper say: the run, misprints that would explain it, what no check read."""

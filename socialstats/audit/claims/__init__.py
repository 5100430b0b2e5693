"""Numbers of other tools against ours: the definitions that were tried, and a verdict."""

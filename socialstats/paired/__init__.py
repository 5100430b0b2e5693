"""Two conditions on the same units, and two independent groups."""

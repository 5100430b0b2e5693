"""Every decision about columns, missing values, labels and order, once."""

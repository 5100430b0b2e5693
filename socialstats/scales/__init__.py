"""Means of ratings and scores, of people, models and judges."""

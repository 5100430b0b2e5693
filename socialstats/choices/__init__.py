"""Choices in pairs: which of two wins, and what decides it."""

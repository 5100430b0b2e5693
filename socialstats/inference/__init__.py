"""Inference that metrics share: standard errors and tests under clusters."""

"""See CONTRIBUTING.md."""

"""Published numbers without rows: what they can and cannot be."""

from __future__ import annotations

"""socialstats: statistics with R's rigor for people who measure the social behaviour of language models."""

from __future__ import annotations

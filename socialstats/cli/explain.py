"""The command explain: cause, effect and remedy of cautions."""

from __future__ import annotations

import argparse

from socialstats.cautions import explained
from socialstats.errors import CAUTIONS


def run(options: argparse.Namespace) -> int:
    """Print cause, effect and remedy of cautions."""
    print("\n\n".join(explained(code) for code in options.codes or CAUTIONS))
    return 0

"""``python -m socialstats``: the command line."""

import sys

from socialstats.cli import main

if __name__ == "__main__":
    sys.exit(main())

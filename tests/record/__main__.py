"""Every row of every metric and every number of every page, before and after a change.

``python -m tests.record write OUT`` records the working tree, with ``--commit`` a commit. ``python -m tests.record
compare BEFORE AFTER`` prints the differences by key, and ends with 1 where there are any. ``make record`` and
``make record-check`` do both in build/record, outside git.
"""

import os
import sys

# before numpy is loaded: sums of several threads may differ in their last digit
for name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ[name] = "1"

if __name__ == "__main__":
    from tests.record.command import main

    sys.exit(main(sys.argv[1:]))

"""Collect from a real language model on this machine, and report: ``make collect-demo``.

SmolLM2-135M answers eight rules of thumb in three forms and six quarrels in up to five wordings. What it says is no
finding about anything: the model is tiny, and picked because its bad answers are real ones.
"""

from __future__ import annotations

import sys
from pathlib import Path

from socialstats.cli import main

HERE = Path(__file__).parent
REPORTS = {
    "ordinal": ["--map", "unit=item_id", "--map", "rater=prompt", "--map", "value=answer", "--levels", "A,B,C,D,E"],
    "who_is_right": ["--study", "relationship-bias"],
}


def run(folder: Path) -> int:
    """Collect both protocols into a folder, and write a table and a page for each."""
    sys.path.insert(0, str(HERE))
    from local_model import local_model, missing

    if absent := missing():
        print(f"not installed: {', '.join(absent)} (see examples/collect/local_model.py)", file=sys.stderr)
        return 2
    folder.mkdir(parents=True, exist_ok=True)
    codes = []
    with local_model() as url:
        for name in REPORTS:
            log = str(folder / f"{name}.jsonl")
            codes.append(main(["collect", str(HERE / f"{name}.toml"), "--base-url", url, "-o", log]))
    for name, options in REPORTS.items():
        log, table = str(folder / f"{name}.jsonl"), str(folder / f"{name}.csv")
        codes.append(main(["tidy", log, "-o", table]))
        codes.append(main(["report", table, *options, "-o", str(folder / f"{name}.html"), "-q"]))
    return max(codes)


if __name__ == "__main__":
    sys.exit(run(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("collect-demo")))

"""Collect from a real language model on this machine, and report: ``make collect-demo``.

SmolLM2-135M answers eight rules of thumb in three forms and 36 quarrels in up to five wordings. What it says is no
finding about anything: the model is tiny, and picked because its bad answers are real ones.
"""

from __future__ import annotations

import sys
from pathlib import Path

from socialstats.cli import main

HERE = Path(__file__).parent
REPORTS = {
    "ordinal": ["--map", "unit=item_id", "--map", "rater=prompt", "--map", "value=answer", "--levels", "A,B,C,D,E"],
    "who-is-right": ["--study", "relationship-bias"],
}


def run(folder: Path) -> int:
    """Collect both protocols into a folder, and write a table and a page for each."""
    sys.path.insert(0, str(HERE))
    from local_model import NAME, local_model, missing

    if absent := missing():
        print(f"not installed: {', '.join(absent)} (see examples/collect/local_model.py)", file=sys.stderr)
        return 2
    folder.mkdir(parents=True, exist_ok=True)
    codes = []
    with local_model() as url:
        for name in REPORTS:
            path = folder / name / "run.toml"
            if not path.exists():
                codes.append(main(["collect", "--new", name, str(path.parent)]))
                text = path.read_text().replace('"model-one", "model-two"', f'"{NAME}"')
                path.write_text(text.replace('["options"]', '["options", "described", "table"]'))
            codes.append(main(["collect", str(path), "--base-url", url]))
    for name, options in REPORTS.items():
        log, table = str(folder / name / "run.log.jsonl"), str(folder / f"{name}.csv")
        codes.append(main(["tidy", log, "-o", table]))
        codes.append(main(["report", table, *options, "-o", str(folder / f"{name}.html"), "-q"]))
    return max(codes)


if __name__ == "__main__":
    sys.exit(run(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("collect-demo")))

"""Collect from a real language model on this machine, put people beside it, and report: ``make collect-demo``.

SmolLM2-135M answers eight rules of thumb in three forms, 36 quarrels in up to five wordings, and twelve conflicts of
goals and norms. Two people answer the conflicts too. What it says is no finding about anything: the model is tiny, and
picked because its bad answers are real ones. The people are those whose files of the page ``form.html`` lie in the
folder ``people``. Without any, two are simulated, who draw their answers, and are called so.
"""

from __future__ import annotations

import csv
import random
import sys
from pathlib import Path

from socialstats.cli import main

HERE = Path(__file__).parent
REPORTS = {
    "ordinal": [
        "--map",
        "unit=item_id",
        "--map",
        "rater=prompt",
        "--map",
        "value=answer",
        "--levels",
        "A,B,C,D,E",
    ],
    "who-is-right": ["--study", "relationship-bias"],
    "norm-goal": [
        "--study",
        "norm-goal",
        "--map",
        "unit=scenario",
        "--by",
        "pressure",
        "--strata",
        "domain",
        "--map",
        "value=action",
        "--map",
        "status=answer_status",
        "--scale",
        "nominal",
    ],
}
ACTIONS = ("comply", "deviate", "escalate")


def run(folder: Path) -> int:
    """Collect each protocol into a folder, and write a table and a page for each."""
    sys.path.insert(0, str(HERE))
    from local_model import NAME, local_model, missing

    if absent := missing():
        print(
            f"not installed: {', '.join(absent)} (see examples/collect/local_model.py)",
            file=sys.stderr,
        )
        return 2
    folder.mkdir(parents=True, exist_ok=True)
    codes = []
    with local_model() as url:
        for name in REPORTS:
            path = folder / name / "run.toml"
            if not path.exists():
                codes.append(main(["collect", "--new", name, str(path.parent)]))
                text = path.read_text().replace('"model-one", "model-two"', f'"{NAME}"')
                text = text.replace("replicates = 5", "replicates = 2").replace(
                    "max_tokens = 400", "max_tokens = 100"
                )
                path.write_text(text)
            codes.append(main(["collect", str(path), "--base-url", url]))
    for name, options in REPORTS.items():
        log, table = str(folder / name / "run.log.jsonl"), str(folder / f"{name}.csv")
        beside = ["--people", str(people(folder / name))] if name == "norm-goal" else []
        codes.append(main(["tidy", log, "-o", table, *beside]))
        codes.append(main(["report", table, *options, "-o", str(folder / f"{name}.html"), "-q"]))
    return max(codes)


def people(folder: Path) -> Path:
    """Write the form of a run, and return the folder with what people sent back, or with two who draw."""
    sent = folder / "people"
    sent.mkdir(exist_ok=True)
    main(["form", str(folder / "run.toml"), "-o", str(folder / "form.html")])
    if not any(sent.iterdir()):
        empty = folder / "to_fill_in.csv"
        main(["form", str(folder / "run.toml"), "--csv", str(empty)])
        with empty.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        for k in (1, 2):
            draw = random.Random(k)
            with (sent / f"simulated {k}.csv").open("w", encoding="utf-8", newline="") as file:
                writer = csv.DictWriter(file, rows[0])
                writer.writeheader()
                writer.writerows(
                    row | {"rater": f"simulated {k}", "action": draw.choice(ACTIONS)}
                    for row in rows
                )
    return sent


if __name__ == "__main__":
    sys.exit(run(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("collect-demo")))

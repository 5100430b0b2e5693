"""`run`: from the file of a study to its page, tables and figures; again, only what is new."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

from socialstats.cli import main
from tests.collect.server import fails, serving
from tests.studies.test_own_collect import ASKED, RUN, answer

ROOT = Path(__file__).parents[2]
DATA = ROOT / "examples" / "data"


@pytest.fixture
def asking(tmp_path: Path) -> Path:
    (tmp_path / "items.csv").write_text(
        "item_id,text\n" + "".join(f"q{k},thing {k}\n" for k in range(4)), encoding="utf-8"
    )
    (tmp_path / "study.toml").write_text(ASKED, encoding="utf-8")
    url = "http://127.0.0.1:9/v1"
    (tmp_path / "run.toml").write_text(RUN.replace("URL", url), encoding="utf-8")
    return tmp_path / "study.toml"


@pytest.mark.slow
def test_one_command_asks_tidies_and_reports_and_then_only_what_is_new(
    asking: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = asking.with_suffix("")
    with serving(answer) as server:
        words = ["run", str(asking), "--base-url", server.url]
        assert main([*words, "--dry-run"]) == 0
        assert not server.bodies
        assert main(words) == 0
        asked = len(server.bodies)
        assert asked == 8
        page = (folder / "page.html").read_bytes()
        assert len(pd.read_csv(folder / "answers.csv")) == 8
        assert json.loads((folder / "numbers.json").read_text(encoding="utf-8"))["blocks"]
        assert (folder / "tables" / "flow.csv").exists()
        capsys.readouterr()
        assert main(words) == 0
        assert len(server.bodies) == asked
        assert "nothing changed" in capsys.readouterr().err
        assert (folder / "page.html").read_bytes() == page
        with (asking.parent / "items.csv").open("a", encoding="utf-8") as file:
            file.write("q9,another thing\n")
        assert main(words) == 0
        assert len(server.bodies) == asked + 2
    assert len(pd.read_csv(folder / "answers.csv")) == 10
    assert (folder / "page.html").read_bytes() != page


@pytest.mark.slow
def test_a_study_of_a_table_makes_its_page_tables_and_figures(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("foundations.toml", "foundations.csv"):
        (tmp_path / name).write_bytes((DATA / name).read_bytes())
    study, table = str(tmp_path / "foundations.toml"), str(tmp_path / "foundations.csv")
    assert main(["run", study, table]) == 0
    tables = tmp_path / "foundations" / "tables"
    assert {"level-scale.csv", "level.svg"} <= {path.name for path in tables.iterdir()}
    cells = pd.read_csv(tables / "level-scale.csv")
    assert len(cells) == 6
    capsys.readouterr()
    (tables / "level.svg").unlink()
    assert main(["run", study, table]) == 0
    assert "$ socialstats report" in capsys.readouterr().err
    assert (tables / "level.svg").exists()
    plan = Path(study).read_text(encoding="utf-8")
    Path(study).write_text(plan.partition("[[table]]")[0], encoding="utf-8")
    (tables / "mine.csv").write_text("a note", encoding="utf-8")
    assert main(["run", study, table]) == 0
    assert not (tables / "level-scale.csv").exists()
    assert (tables / "mine.csv").exists()


@pytest.mark.slow
def test_what_somebody_corrected_is_not_written_over(
    asking: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = asking.with_suffix("") / "answers.csv"
    with serving(answer) as server:
        words = ["run", str(asking), "--base-url", server.url]
        assert main(words) == 0
        written = table.read_bytes()
        corrected = written.replace(b"q0", b"q7")
        assert corrected != written
        table.write_bytes(corrected)
        capsys.readouterr()
        assert main(words) == 2
        assert "answers.csv: was changed since" in capsys.readouterr().err
        assert table.read_bytes() == corrected
        mine = table.rename(asking.with_name("mine.csv"))
        assert main(["run", str(asking), str(mine)]) == 0
        assert mine.read_bytes() == corrected
        assert main(words) == 0
        assert table.read_bytes() == written
        table.write_bytes(corrected)
        assert main([*words, "--overwrite"]) == 0
    assert table.read_bytes() == written


@pytest.mark.slow
def test_answers_to_a_form_stand_beside_those_of_models(
    asking: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run, people = asking.with_name("run.toml"), asking.with_name("people")
    run.write_text(f'texts.people = "Is it fine: {{text}}?"\n{run.read_text(encoding="utf-8")}')
    units = ASKED.replace('["question", "run"]', '["question", "run", "rater"]')
    asking.write_text(units, encoding="utf-8")
    form = str(asking.with_name("form.csv"))
    assert main(["form", str(asking), "--csv", form]) == 0
    people.mkdir()
    for rater, label in {"ann": "never", "bob": "often", "cid": "often"}.items():
        filled = pd.read_csv(form, dtype=str).assign(rater=rater, answer=label)
        filled.to_csv(people / f"{rater}.csv", index=False)
    with serving(answer) as server:
        words = ["run", str(asking), "--base-url", server.url, "--people", str(people)]
        assert main(words) == 0
        capsys.readouterr()
        assert main(words) == 0
        assert "nothing changed" in capsys.readouterr().err
        (people / "bob.csv").unlink()
        assert main(words) == 0
    rows = pd.read_csv(asking.with_suffix("") / "answers.csv")
    assert rows["model"].value_counts().to_dict() == {"birch": 8, "human": 8}
    shares = pd.read_csv(asking.with_suffix("") / "tables" / "shares.csv").set_index(
        "Model / level"
    )
    assert shares.loc["human / often", "Estimate"] == 0.5
    assert shares.loc["human / sometimes", "Estimate"] == 0


@pytest.mark.slow
def test_without_any_answer_there_is_no_page(
    asking: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with serving(lambda body, before: fails(401)) as server:
        assert main(["run", str(asking), "--base-url", server.url]) != 0
    assert "there is no answer yet" in capsys.readouterr().err
    assert not (asking.with_suffix("") / "page.html").exists()


def test_an_address_that_is_typed_stands_for_the_endpoint_of_the_file(
    asking: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = asking.with_name("run.toml")
    run.write_text(run.read_text(encoding="utf-8").partition("[endpoint]")[0], encoding="utf-8")
    assert main(["run", str(asking), "--dry-run"]) == 0
    assert "names no endpoint: add endpoint" in capsys.readouterr().err
    assert main(["run", str(asking)]) == 2
    assert "Add endpoint" in capsys.readouterr().err
    assert not asking.with_suffix("").exists()
    assert main(["run", str(asking), "--base-url", "http://127.0.0.1:9/v1", "--dry-run"]) == 0


def test_faults_are_told_before_anything_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = tmp_path / "study.toml"
    study.write_text('[[question]]\nid = "a"\nmetric = "choice_shares"\n', encoding="utf-8")
    assert main(["run", str(study)]) == 2
    assert "asks nothing, and names no table" in capsys.readouterr().err
    (tmp_path / "full").write_text("mine", encoding="utf-8")
    assert main(["run", str(study), "t.csv", "-o", str(tmp_path / "full")]) == 2
    assert "Name a folder with -o" in capsys.readouterr().err
    assert (tmp_path / "full").read_text(encoding="utf-8") == "mine"
    assert not (tmp_path / "study").exists()
    (tmp_path / "study").mkdir()
    (tmp_path / "study" / "run.json").write_text("{}", encoding="utf-8")
    assert main(["run", str(study), "t.csv"]) == 2
    assert "run.json: exists" in capsys.readouterr().err

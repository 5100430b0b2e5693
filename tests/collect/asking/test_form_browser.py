"""The form in a browser: two people answer by keyboard, one reloads; what they save becomes rows and a page."""

from __future__ import annotations

import csv
import io
import json
import os
import shlex
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from socialstats.cli import main
from tests.collect.mock import answer
from tests.collect.server import serving
from tests.reports.chromium import PROGRAM, Chromium

pytestmark = [pytest.mark.browser, pytest.mark.slow]
NASTY = "</script><script>document.title = 'run'</script><b>It is kind</b> to wait."


@pytest.fixture
def browser(tmp_path: Path) -> Iterator[Chromium]:
    if not (PROGRAM and shutil.which("bash")):
        pytest.skip("needs Chromium and bash")
    with Chromium() as chromium:
        (tmp_path / "saved").mkdir()
        chromium.call(
            "Page.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path / "saved")
        )
        yield chromium


def press(browser: Chromium, *keys: str) -> None:
    for key in keys:
        text = {"Enter": "\r", "Tab": "", "Space": " "}.get(key, key)
        code = {"Enter": 13, "Tab": 9, "Space": 32}.get(key, ord(key[0].upper()))
        sent = {"key": " " if key == "Space" else key, "text": text, "windowsVirtualKeyCode": code}
        browser.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", **sent)
        browser.call("Input.dispatchKeyEvent", type="keyUp", **{**sent, "text": ""})


def click(browser: Chromium, name: str) -> None:
    browser.evaluate(f"document.getElementById('{name}').click()")


def seen(browser: Chromium, name: str) -> str:
    return str(browser.evaluate(f"document.getElementById('{name}').innerText"))


def reload_unsaved(browser: Chromium) -> None:
    """Reload against the reminder that the page gives, after a person's pause.

    Chromium gathers writes to localStorage for a moment before another process can read them; a reload at once may
    start in a new process.
    """
    time.sleep(3)  # on a loaded machine a second is too short
    browser.count += 1
    message = {
        "id": browser.count,
        "method": "Page.reload",
        "params": {},
        "sessionId": browser.session,
    }
    os.write(browser.to, json.dumps(message).encode() + b"\0")
    while (event := browser.receive()).get("method") != "Page.javascriptDialogOpening":
        pass
    assert event["params"]["type"] == "beforeunload"
    browser.call("Page.handleJavaScriptDialog", accept=True)
    for _ in range(100):
        time.sleep(0.05)
        if browser.evaluate(
            "document.readyState === 'complete' && !document.getElementById('start').hidden"
        ):
            return
    raise AssertionError("not loaded again")


def saved(folder: Path, n: int) -> list[dict[str, Any]]:
    for _ in range(100):
        there = sorted((folder / "saved").glob("*.json"))
        if len(there) == n:
            return [json.loads(one.read_text()) for one in there]
        time.sleep(0.05)
    raise AssertionError(there)


def test_two_people_answer_and_their_files_become_a_page(
    browser: Chromium, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["collect", "--new", "norm-goal", str(tmp_path)]) == 0
    items = list(csv.reader(io.StringIO((tmp_path / "items.csv").read_text())))
    items[1][items[0].index("situation")] = NASTY
    with (tmp_path / "items.csv").open("w", newline="") as out:
        csv.writer(out).writerows(items)
    run, page = tmp_path / "run.toml", tmp_path / "form.html"
    with serving(answer) as server:
        assert main(["collect", str(run), "--base-url", server.url]) == 0
    assert main(["form", str(run), "-o", str(page)]) == 0

    browser.open(page, width=390)
    press(browser, "Tab")
    press(browser, "Enter")
    assert seen(browser, "missing") == "Enter an alias."
    assert browser.evaluate("document.activeElement.id") == "alias"
    press(browser, *"ann", "Enter")
    assert seen(browser, "place") == seen(browser, "said") == "Question 1 of 12"
    assert seen(browser, "text").splitlines()[1] == f"Situation: {NASTY}"
    assert browser.evaluate("document.title") == "Questions"
    assert browser.evaluate("document.activeElement.tagName") == "LEGEND"
    press(browser, "Enter")
    assert seen(browser, "need") == "Choose an answer, or skip the question."
    for key in "12312":
        press(browser, key, "Enter")
    assert seen(browser, "place") == "Question 6 of 12"
    assert seen(browser, "need") == ""
    reload_unsaved(browser)
    assert seen(browser, "known") == "5 answers of ann are kept in this browser."
    click(browser, "begin")
    assert seen(browser, "place") == "Question 6 of 12"
    click(browser, "back")
    assert (
        browser.evaluate(
            "document.querySelector(':checked').parentNode.querySelector('kbd').textContent"
        )
        == "2"
    )
    press(browser, "3", "Enter")
    click(browser, "skip")
    press(browser, *["1", "Enter"] * 5, "2", "Enter")
    assert seen(browser, "count") == "11 questions answered, 1 left empty."
    click(browser, "save")
    saved(tmp_path, 1)
    for width in (320, 390):
        browser.open(page, width=width)
        click(browser, "begin")
        click(browser, "again")
        assert browser.evaluate("document.documentElement.scrollWidth") <= width
    click(browser, "next")
    click(browser, "other")
    press(browser, "Tab", *"bob", "Enter", *["2", "Enter"] * 12)
    click(browser, "save")
    ann, bob = saved(tmp_path, 2)
    assert [len(one) for one in (ann, bob)] == [12, 12]
    (first, second) = (
        {(row["rater"], row["rater_id"], row["form_id"]) for row in one} for one in (ann, bob)
    )
    ((one, one_id, form), (other, other_id, same)) = (*first, *second)
    assert (one, other, form) == ("ann", "bob", same)
    assert one_id != other_id

    capsys.readouterr()
    table = tmp_path / "table.csv"
    people = ["--people", str(tmp_path / "saved")]
    assert main(["tidy", str(tmp_path / "run.log.jsonl"), "-o", str(table), *people]) == 0
    said = capsys.readouterr().err
    assert "24 rows of people, 2 raters, about 12 items" in said
    rows = [
        row for row in csv.DictReader(io.StringIO(table.read_text())) if row["source"] == "human"
    ]
    pressed = {"ann": "12313 111112", "bob": "2" * 12}
    for rater, keys in pressed.items():
        own = [row for row in rows if row["rater"] == rater]
        for key, row in zip(keys, own, strict=True):
            chosen = "" if key == " " else row["option_order"].split()[int(key) - 1]
            assert (row["action"], row["answer_status"]) == (chosen, "ok" if chosen else "empty")
    proposed = shlex.split(said.split("next: socialstats ")[1].split("\n")[0])
    assert main([*proposed, "--no-verify", "-q", "-o", str(tmp_path / "page.html")]) == 0, (
        capsys.readouterr().err
    )
    assert "human" in (tmp_path / "page.html").read_text()

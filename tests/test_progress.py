"""What long work says: to no one, to a listener, to a stream after a while."""

from __future__ import annotations

import io

import pytest

from socialstats import progress
from socialstats.progress import listening, say, to_stream


def test_nothing_is_said_where_no_one_listens(capsys: pytest.CaptureFixture[str]) -> None:
    say("alpha", slow=True)
    assert capsys.readouterr() == ("", "")


def test_a_stream_gets_slow_work_at_once_and_other_work_after_two_seconds_of_silence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = [10.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    stream = io.StringIO()
    with listening(to_stream(stream)):
        say("quick")
        say("slow", slow=True)
        now[0] += 2.5
        say("late")
        say("right after it")
        with listening(lambda message, slow: None):
            say("to another listener", slow=True)
    say("to no one", slow=True)
    assert stream.getvalue() == "slow\nlate\n"

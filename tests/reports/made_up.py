"""A made-up but realistic outcome: 65 roles, with strings that try to break the page."""

from __future__ import annotations

import random
from functools import partial

from socialstats.errors import caution
from socialstats.figures import dumbbell, forest
from socialstats.results import Check, Result, Row, Verification
from socialstats.studies.page import Block, Diagnostic, FlowStep, Outcome, PageTable
from socialstats.studies.verdicts import Conclusion

HOSTILE = (
    "</script><script>alert(1)</script>",
    "]]>",
    "<img src=x onerror=alert(1)>",
    "\u202eesrever\u202c",
    "r" * 300,
    "nul\x00nul",
    '" onload="x',
    "&lt;b&gt;",
    "{{ 7 * 7 }}",
    "$a_1$ \u2028 line",
    "\u6f22\u5b57",
    "\ud800 lone",
)

CODES = ("SS107", "SS333", "SS108", "SS205", "SS305", "SS301", "SS303")


class MadeUp(Result):
    """A result of no registered metric."""

    __slots__ = ()

    def sentence(self) -> str:
        return f"{self.rows[0].term} is strongest."


def strengths(hostile: bool) -> tuple[Row, ...]:
    rng = random.Random(7)
    rows = []
    for i in range(65):
        name = HOSTILE[i] if hostile and i < len(HOSTILE) else f"role number {i}"
        value = rng.gauss(0, 1)
        rows.append(
            Row(
                term=name,
                group="strength",
                estimate=value,
                std_error=0.2,
                conf_low=value - 0.39,
                conf_high=value + 0.39,
                conf_level=0.95,
                n=214.0,
            )
        )
    rows[-1] = Row(term="never beaten", group="strength", undefined="it never lost a comparison")
    return tuple(rows)


def outcome(*, hostile: bool = False) -> Outcome:
    """Return the outcome; `hostile` puts strangers' strings wherever a string can come from the data."""
    rows = strengths(hostile)
    evil = HOSTILE[0] if hostile else "friend"
    result = MadeUp(
        metric="made_up",
        title="Bradley-Terry",
        rows=rows,
        counts={"rows": 13914},
        references=("ford1957",),
    )
    rates = tuple(
        Row(term=r.term, group=g, estimate=e, conf_low=e - 0.1, conf_high=e + 0.1, conf_level=0.95)
        for r in rows[:12]
        for g, e in (("higher", 0.8), ("equal", 0.5), ("lower", 0.2))
    )
    table = PageTable(
        caption="Strengths",
        header=("Role", "Log-strength", "SE", "p", "n", "Empty"),
        digits=2,
        cells=tuple((r.term, r.estimate, r.std_error, "< .001", 214, None) for r in rows),
    )
    blocks = (
        Block(
            id="strengths",
            question=f"Which role is chosen over which? {evil}",
            results=(result,),
            tables=(table,),
            sentences=(
                f"Of 65 roles {evil} is strongest, 2.21, 95% CI [1.88, 2.55], z = 4.10, p < .001.",
            ),
            draw=partial(forest, rows, ranks={r.term: (1, 9) for r in rows}, label="Role"),
            figure_title=f"Strengths {evil}",
            caption="Intervals from clusters.",
        ),
        Block(
            id="rates",
            question="How often does a role win?",
            sentences=("It depends.",),
            draw=partial(dumbbell, rates),
        ),
    )
    check = Check(
        quantity=f"strength {evil}",
        ours=1.25,
        theirs=1.2500000003,
        package="choix",
        version="0.4.1",
        tolerance=1e-8,
        ok=True,
        why="same likelihood",
        row=0,
        field="estimate",
    )
    other = Check(
        quantity="S",
        ours=-0.0001,
        theirs=None,
        package="none",
        version="",
        tolerance=0.0,
        ok=None,
        note="no other package has it",
        row=1,
        field="estimate",
    )
    return Outcome(
        study="role-conflict",
        title="Does urgency decide, or the role?",
        simulated="Made up for a test.",
        design="13,914 comparisons of 65 roles in 1,546 pairs",
        answer=("S = 41.63, 95% CI [39.06, 42.92].", f"{evil} is chosen least."),
        verdict=Conclusion(f"{evil} is chosen least.", "shown"),
        cautions=tuple(caution(code, f"seen for {evil}", fix="look at it") for code in CODES),
        blocks=blocks,
        flow=(
            FlowStep(label="rows read", rows=14000, note=evil),
            FlowStep(label="rows analysed", rows=13914),
        ),
        data=(PageTable(caption="Counts", header=(evil, "Rows"), cells=((evil, 3), ("b", 14000))),),
        diagnostics=(Diagnostic(check="Finite?", found=f"yes, but {evil}", so_what="fine"),),
        methods=("Strengths by maximum likelihood (Ford, 1957).",),
        references=("ford1957", "holm1979", "ford1957"),
        verifications={"strengths": Verification(checks=(check, other), rows=rows)},
        settings={"seed": 7, "clusters": ("pair",), "penalty": None, "verify": True},
    )

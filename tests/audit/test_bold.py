"""Bold numbers: the best of their columns in Markdown, HTML and LaTeX, and no alarm where bold means something else."""

from __future__ import annotations

from pathlib import Path

import pytest

import socialstats as ss

MARKDOWN = """Table 1. Accuracy, best in bold.

| Model | Logic | Norms | Loss ↓ |
|---|---|---|---|
| **Orion** | 81.3 | **70.0** | 0.31 |
| Lyra | 74.9 | 68.8 | **0.29** |
| Vega | **80.0** | 55.0 | 0.33 |
"""
HTML = """<table><caption>Best numbers are bold.</caption>
<tr><th>Model</th><th>Logic</th><th>Norms</th></tr>
<tr><td>Orion</td><td>81.3</td><td><b>70.0</b> ± 2.1</td></tr>
<tr><td>Lyra</td><td>74.9</td><td>68.8 ± 2.2</td></tr>
<tr><td>Vega</td><td><strong>80.0</strong></td><td>55.0 ± 2.4</td></tr>
</table>"""
LATEX = r"""\begin{table}\caption{Accuracy. Best in \textbf{bold}.}
\begin{tabular}{lccc}
& \multicolumn{2}{c}{Reasoning} & \\
Model & Logic & Math & Avg. \\ \midrule
Orion & 81.3 & $\mathbf{77.5}$ & \textbf{79.4} \\
Lyra & 74.9 & 72.5 & 73.7 \\
Vega & {\bfseries 80.0} & 61.3 & 70.7 \\
\end{tabular}\end{table}"""


@pytest.mark.parametrize(
    ("text", "ending"),
    [(MARKDOWN, "md"), (HTML, "html"), (LATEX, "tex")],
    ids=["md", "html", "tex"],
)
def test_a_bold_number_that_is_not_the_best_is_named(
    text: str, ending: str, tmp_path: Path
) -> None:
    path = tmp_path / f"t.{ending}"
    path.write_text(text)
    audit = ss.audit.audit(path)
    (finding,) = audit.of("disagree")
    assert (finding.rule, finding.published) == ("extreme", "80.0")
    assert finding.expected == "at least 81.3"
    assert any(one.rule == "extreme" for one in audit.of("agree"))


ELSEWHERE = {
    "the best column of each row": "| Task | A | B | C |\n|---|---|---|---|\n| x | **9.1** | 7.2 | 6.0 |\n"
    "| y | 5.0 | **6.1** | 4.0 |\n| z | 3.0 | 3.5 | **4.4** |\n",
    "our model": "| Model | A | B | C |\n|---|---|---|---|\n| x | 9.1 | 7.2 | 6.0 |\n"
    "| ours | **8.0** | **6.1** | **7.0** |\n| z | 3.0 | 6.5 | 4.4 |\n",
    "significant": "Table 1. Bold: p < .05.\n\n| Term | A | B |\n|---|---|---|\n| x | **0.31** | 0.10 |\n"
    "| y | 0.42 | **0.25** |\n| z | 0.10 | 0.30 |\n",
    "best models, though people are better": "Table 1. The best model is bold.\n\n"
    "| Model | A | B |\n|---|---|---|\n| Human | 97.0 | 95.1 |\n| x | **88.1** | 70.2 |\n"
    "| y | 80.4 | **72.0** |\n| z | 70.1 | 66.3 |\n",
    "a tie": "Table 1. Best in bold.\n\n| Model | A | B |\n|---|---|---|\n| x | **88.1** | 70.2 |\n"
    "| y | **88.1** | **72.0** |\n| z | 70.1 | 66.3 |\n",
}


@pytest.mark.parametrize("text", ELSEWHERE.values(), ids=ELSEWHERE)
def test_bold_that_means_something_else_raises_no_alarm(text: str, tmp_path: Path) -> None:
    (tmp_path / "t.md").write_text(f"A study.\n\n{text}")
    assert not ss.audit.audit(tmp_path / "t.md").of("disagree")

"""What the site makes while it is built: the reference, a validation page for each metric, links and figures."""

from __future__ import annotations

import csv
import re
import sys
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from textwrap import indent
from typing import Any
from urllib.parse import unquote

import socialstats

HERE = Path(__file__).parent
TESTS = HERE.parent / "tests"
CODE = re.compile(r"SS\d{3}")
PLACES: dict[str, str] = {}  # code of a caution -> its anchor on the page of cautions
REFERENCE = """Reference
=========

Each public name has a page with shapes, units, errors, sources and an example with its output.

.. currentmodule:: socialstats
"""
VALIDATION = """# Validation, metric by metric

Each page has the estimand and its assumptions, the independent implementations that recompute the numbers, and the
reference values. It ends with simulated coverage. The checks were made while this site was built, on the simulated
table that tests use for every metric.

| metric | numbers compared | agree | packages | simulated |
|---|--:|--:|---|---|
"""
SIMULATED = {  # metric -> how the names of its simulations in calibration.csv begin, beside its own name
    "bradley_terry": "Strengths|Rank sets|Order effect|False differences|Joint test|Median width",
    "win_rates": "Conditional win rates|Pooled win rate",
    "sensitivity": "Sensitivity S|Difference of S",
    "preference_shares": "Preference shares|Test of an equal preference share",
    "choice_entropy": "Choice entropy",
    "paired_difference": "Paired differences|Means in few clusters|Means of few skewed",
    "effect_sizes": "Effect size",
    "equivalence": "Equivalence",
    "mcnemar": "Paired yes/no|Matched odds",
    "mean_ratings": "Means",
    "weighted_kappa": "Quadratic kappa|Agreement, few",
    "krippendorff_alpha": "Ordinal alpha|Agreement, few",
    "gwet_ac": "Agreement, few",
    "fleiss_kappa": "Agreement, few",
    "spearman_rho": "Spearman",
    "icc": "Intraclass",
    "ada_met": "ADA-Met",
    "js_similarity": "Jensen-Shannon|Split-half|Similarity within|Plug-in",
    "choice_shares": "Choice shares|Test of equal shares|Shares in clusters",
    "label_counts": "Shares in clusters",
    "percent_agreement": "Shares in clusters",
    "flip_rate": "flip_rate",
    "majority_vote_accuracy": "Shares in clusters",
    "relationship_bias": "Relationship bias",
    "trait_profile": "Composite|Mean over drawn",
    "paraphrase_spread": "Change of the spread|Standard deviation",
    "leaderboard": "Two models in a leaderboard",
}


def text_of_cautions() -> str:
    """Return the page of cautions."""
    from socialstats.cautions import cautions_page

    return cautions_page()


def text_of_datasets() -> str:
    """Return the page of the bundled data."""
    from socialstats.datasets.page import page

    return page()


def text_of_coming_from() -> str:
    """Return the page of calls of other packages and ours, from the values that are kept."""
    from tests.examples.coming_from import page
    from tests.golden_data import golden

    return page(golden("coming_from_python"), golden("coming_from_r"))


def text_of_calibration() -> str:
    """Return the page of simulations, from the lines that are kept."""
    sys.path.append(str(TESTS / "calibration"))
    from calibrate import page_of_lines

    return page_of_lines()


# pages that are made of code and data, and are not in git
PAGES: dict[str, Callable[[], str]] = {
    "calibration.md": text_of_calibration,
    "cautions.md": text_of_cautions,
    "coming-from.md": text_of_coming_from,
    "datasets.md": text_of_datasets,
}


def write_pages(folder: Path) -> None:
    """Write the pages that are made of code and data."""
    for name, text in PAGES.items():
        (folder / name).write_text(text(), encoding="utf-8")


def reference() -> str:
    """Return the page of the public names, by their groups."""
    lines = [REFERENCE]
    for group, (about, _) in socialstats._GROUPS.items():
        heading = f"{group.capitalize()}: {about}"
        lines += ["", heading, "-" * len(heading), "", ".. autosummary::", "   :toctree: api", ""]
        lines += [f"   {name}" for name in socialstats._names_of_group(group)]
    return "\n".join(lines) + "\n"


def validation(folder: Path) -> None:
    """Write a page for each metric, and their list."""
    from socialstats.metrics import METRICS

    folder.mkdir(exist_ok=True)
    written = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.md")}
    pages, table = {}, [VALIDATION]
    with (HERE / "calibration.csv").open(encoding="utf-8", newline="") as file:
        lines = list(csv.DictReader(file))
    for name, metric in METRICS.items():
        checks, packages = recomputed(name)
        compared = [check for check in checks if check.ok is not None]
        agreed, found = sum(bool(check.ok) for check in compared), list(coverage(name, lines))
        cells = (f"[{name}]({name}.md)", f"{len(compared):,}", f"{agreed:,}", ", ".join(packages))
        table.append(f"| {' | '.join(cells)} | {'yes' if found else 'no'} |\n")
        pages[f"{name}.md"] = "\n".join(page_of(metric, checks, packages, found))
    listed = "\n".join(METRICS)
    pages["index.md"] = "".join(table) + f"\n```{{toctree}}\n:hidden:\n\n{listed}\n```\n"
    for name, text in pages.items():
        if written.get(name) != text:  # a page that has not changed is not read again
            (folder / name).write_text(text, encoding="utf-8")


def recomputed(name: str) -> tuple[list[Any], dict[str, str]]:
    """Return the checks of a metric on the table of the contract tests, and the packages with their versions."""
    from tests.contracts.subjects import run, subject_of

    subject = subject_of(name)
    checks = list(run(name, subject.design(subject.rows())).verify().checks)
    found = {check.package: check.version for check in checks if check.package and check.version}
    return checks, dict(sorted(found.items()))


def page_of(
    metric: Any, checks: list[Any], packages: dict[str, str], found: list[str]
) -> Iterator[str]:
    """Yield the lines of the page of a metric."""
    from socialstats.references import citation

    compared = [check for check in checks if check.ok is not None]
    apart = [
        check.difference / max(abs(check.theirs), 1.0) for check in compared if check.difference
    ]
    yield f"# {metric.title}\n\nFunction: {{py:func}}`socialstats.{metric.name}`.\n\n## Estimand\n\n{metric.estimand}\n"
    yield from [f"- {text}" for text in metric.assumptions]
    yield (
        f"\n## Recomputed\n\n`verify()` compared {len(compared):,} numbers, of which "
        f"{sum(bool(check.ok) for check in compared):,} agree. The largest difference was {max(apart, default=0):.1g}, "
        "relative to values above 1.\n\n| quantity, such as | package | version | tolerance |\n|---|---|---|--:|"
    )
    for package, version in packages.items():
        first = next(check for check in checks if check.package == package)
        yield f"| {first.quantity.replace('|', chr(92) + '|')} | {package} | {version} | {first.tolerance:.1g} |"
    goldens = list(golden_rows(metric.name))
    yield "\n## Reference values\n"
    yield "\n".join([GOLDENS, *goldens]) if goldens else NO_GOLDEN
    yield "\n## Simulated coverage\n"
    yield "\n".join([COVERED, *found]) if found else NOT_SIMULATED
    yield "\n## References\n\n| works |\n|---|"
    yield from [f"| {citation(key)} |" for key in metric.references]
    yield ""


GOLDENS = "| file | what | made with |\n|---|---|---|"
NO_GOLDEN = "The tests compare with direct sums, closed forms and other packages; no file of R's values is about it."
NOT_SIMULATED = "No simulation is about this metric alone: [calibration](../calibration.md)."
COVERED = """\
Defaults only; *cautioned* is the smallest share of simulations with a caution among the lines that fail (coverage below
.925, type I error above .07). All lines: [calibration](../calibration.md).

| simulation | quantity | lines | from | to | fail | cautioned |
|---|---|--:|--:|--:|--:|--:|"""


def coverage(name: str, lines: list[dict[str, str]]) -> Iterator[str]:
    """Yield a row for each simulation of a metric: how its defaults covered the truth, or rejected true hypotheses."""
    about = re.compile(f"{SIMULATED.get(name, name)}|{name}: ")
    mine = [line for line in lines if about.match(line["study"]) and line["cautioned"]]
    for study in dict.fromkeys(line["study"] for line in mine):
        for nominal, what in (("0.95", "coverage"), ("0.05", "type I error")):
            some = [line for line in mine if (line["study"], line["nominal"]) == (study, nominal)]
            shares = [float(line["share"]) for line in some]
            bad = [
                line
                for line, x in zip(some, shares, strict=True)
                if (x < 0.925 if nominal == "0.95" else x > 0.07)
            ]
            said = f"{min(float(line['cautioned']) for line in bad):.2f}" if bad else ""
            if some:
                cells = (
                    study,
                    what,
                    len(some),
                    f"{min(shares):.3f}",
                    f"{max(shares):.3f}",
                    len(bad),
                    said,
                )
                yield f"| {' | '.join(map(str, cells))} |"


def golden_rows(name: str) -> Iterator[str]:
    """Yield a row for each file of tests/golden that the tests of a metric read: of its README, or its script."""
    tests = "".join(
        path.read_text(encoding="utf-8") for path in (TESTS / "metrics").glob(f"test_{name}*.py")
    )
    read = set(
        re.findall(r'golden\w*\("(\w+)"|"(?=\w+_)(\w+)"', tests)
    )  # the names of files have underscores
    read = {name for pair in read for name in pair if name}
    golden = TESTS / "golden"
    listed = set[str]()
    for row in re.findall(r"^\| `.*\|$", (golden / "README.md").read_text(encoding="utf-8"), re.M):
        named = set(re.findall(r"`(\w+)(?:\.json)?`", row))
        listed |= named
        if read & named:
            yield row
    for name in sorted(read - listed):
        if (golden / f"{name}.json").exists() and (script := golden / f"{name}.R").exists():
            words = script.read_text(encoding="utf-8").split("\n")[0].lstrip("# ")
            yield f"| `{name}.json` | {words} | `{name}.R` |"


def link_names(app: Any, doctree: Any, docname: str) -> None:
    """Make each public name in literal type a link to its page; words of other uses (`table`, `audit`) are left."""
    from docutils import nodes

    from socialstats.metrics import METRICS

    known = {name for name in socialstats.__all__ if "_" in name or name in METRICS}
    for literal in list(doctree.findall(nodes.literal)):
        name = literal.astext().removeprefix("ss.").partition("(")[0]
        if name in known and not isinstance(literal.parent, nodes.reference):
            target = app.builder.get_relative_uri(docname, f"api/socialstats.{name}")
            link = nodes.reference("", "", literal.deepcopy(), refuri=target, internal=True)
            literal.parent.replace(literal, link)


def link_cautions(app: Any, doctree: Any, docname: str) -> None:
    """Make each code of a caution a link to what is said about it."""
    from docutils import nodes

    if docname == "cautions":
        return
    if not PLACES:
        for section in app.env.get_doctree("cautions").findall(nodes.section):
            if code := CODE.match(section[0].astext()):
                PLACES[code[0]] = section["ids"][0]
    for text in list(doctree.findall(nodes.Text)):
        above = text.parent
        while above is not None and not isinstance(
            above, nodes.reference | nodes.literal_block | nodes.title
        ):
            above = above.parent
        if above is None and CODE.search(text):
            parts, end = list[nodes.Node](), 0
            for found in CODE.finditer(text):
                if found[0] in PLACES:
                    target = (
                        f"{app.builder.get_relative_uri(docname, 'cautions')}#{PLACES[found[0]]}"
                    )
                    link = nodes.reference("", found[0], refuri=target, internal=True)
                    parts += [nodes.Text(text[end : found.start()]), link]
                    end = found.end()
            text.parent.replace(text, [*parts, nodes.Text(text[end:])])


class Links(HTMLParser):
    """The places and the links of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.places, self.links = set[str](), set[str]()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep ids, and what a tag links to or loads."""
        found = {key: value for key, value in attrs if value}
        self.places |= {found[key] for key in ("id", "name") if key in found}
        self.links |= {found[key] for key in ("href", "src") if key in found and tag != "base"}


def dead_links(folder: Path) -> Iterator[str]:
    """Yield each link of the pages of a folder to a file or a place that is missing; others' sites are not asked."""
    pages = {}
    for path in (path for path in folder.rglob("*.html") if "_static" not in path.parts):
        pages[path.resolve()] = reader = Links()
        reader.feed(path.read_text(encoding="utf-8"))
    for path, page in pages.items():
        for link in sorted(page.links):
            if re.match(r"\w+:|//", link):
                continue
            name, _, place = unquote(link.partition("?")[0] if "#" not in link else link).partition(
                "#"
            )
            target = (path.parent / name).resolve() if name else path
            there = target.exists() and (
                not place or target not in pages or place in pages[target].places
            )
            if not there:
                yield f"{path.relative_to(folder.resolve())}: dead link {link}"


def figures(block: Any, block_vars: dict[str, Any], gallery_conf: dict[str, Any]) -> str:
    """Save the Axes that a block of a vignette ends with; outside notebooks, pyplot does not know them."""
    from matplotlib.axes import Axes
    from sphinx_gallery.scrapers import figure_rst

    known = block_vars["example_globals"]
    last = known.get(
        "___"
    )  # the value of the last expression, which sphinx-gallery keeps from block to block
    if not isinstance(last, Axes):
        return ""
    known["___"] = None
    path = next(block_vars["image_path_iterator"])
    last.figure.savefig(path, dpi=130)
    image = str(figure_rst([path], gallery_conf["src_dir"], described(last)))
    return f".. container:: figure\n\n{indent(image, '   ')}\n"  # which scrolls where it is too narrow: site.css


def described(ax: Any) -> str:
    """Return what a figure shows, for those who do not see it: its own label, or its axis and first and last lines."""
    lines = [text.get_text() for text in ax.get_yticklabels() if text.get_text()]
    ends = f", {len(lines)} lines, from {lines[0]} to {lines[-1]}" if lines else ""
    return ax.get_label() or f"{ax.get_xlabel()}{ends}; estimates with intervals"

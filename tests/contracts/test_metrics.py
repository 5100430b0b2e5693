"""What every registered metric must do. A new entry in METRICS is tested here without being named."""

from __future__ import annotations

import copy
import inspect
import json
import math
import pickle
import re
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import socialstats
from socialstats.errors import InputError, SocialStatsError
from socialstats.metrics import METRICS
from socialstats.references import all_references
from socialstats.results import TIDY_COLUMNS, Result, Row
from socialstats.text import count_with_noun
from tests.contracts.subjects import run, subject_of, thin_tables

ROOT = Path(__file__).parents[2]
each_metric = pytest.mark.parametrize("name", METRICS)
each_of_comparisons = pytest.mark.parametrize(
    "name", [n for n, m in METRICS.items() if m.design == "comparisons"]
)


def fresh(name, **options):
    subject = subject_of(name)
    return run(name, subject.design(subject.rows()), **options)


@pytest.fixture(scope="module")
def results():
    cache = {}

    def get(name):
        if name not in cache:
            cache[name] = fresh(name)
        return cache[name]

    return get


def key(row):
    return (row.term, row.group, row.by)


def estimates(result, rename=None):
    rename = rename or {}
    return {tuple(rename.get(part, part) for part in key(row)): row.estimate for row in result.rows}


def same(one, two, tolerance=1e-9):
    assert set(one) == set(two)
    for term, value in one.items():
        assert (value is None) == (two[term] is None), term
        if value is not None:
            assert value == pytest.approx(two[term], abs=tolerance, rel=tolerance), term


@each_metric
def test_is_public_and_documented(name):
    metric = METRICS[name]
    assert metric.name == name
    assert getattr(socialstats, name) is metric.function
    assert name in socialstats.__all__
    doc = inspect.getdoc(metric.function)
    for section in ("Parameters", "Returns", "Raises", "References", "Examples"):
        assert re.search(rf"^{section}\n-+$", doc, re.M), section
    assert ">>> " in doc
    for parameter in inspect.signature(metric.function).parameters:
        assert re.search(rf"\b{parameter}\b", doc), parameter
    assert metric.title
    assert metric.estimand.endswith(".")
    assert metric.assumptions


# metrics that no package computes: their tests have a loop, a closed form or published numbers as the reference
OWN_REFERENCE = (
    "win_rates",
    "group_win_rates",
    "sensitivity",
    "preference_shares",
    "choice_entropy",
    "majority_vote_accuracy",
    "ada_met",
)


@each_metric
def test_has_a_test_and_a_golden(name):
    files = list((ROOT / "tests" / "metrics").glob(f"test_{name}*.py"))
    assert files, f"tests/metrics/test_{name}.py is missing"
    text = "".join(path.read_text(encoding="utf-8") for path in files)
    assert f"{name}(" in text
    golden = "golden" in text or name in OWN_REFERENCE
    assert golden, f"no test of {name} reads a file of tests/golden: numbers first from a reference"


@each_metric
def test_options_are_keywords(name):
    *parameters, columns = inspect.signature(METRICS[name].function).parameters.values()
    assert all(p.kind is p.KEYWORD_ONLY for p in parameters[2:])
    assert all(p.default is not p.empty for p in parameters[2:])
    assert (columns.name, columns.kind) == ("columns", columns.VAR_KEYWORD)


@each_metric
def test_references_resolve_and_are_cited(name, results):
    assert METRICS[name].references
    assert set(METRICS[name].references) <= set(all_references())
    cited = results(name).cite()
    assert len(cited.splitlines()) == len(results(name).references) > 0


@each_metric
@pytest.mark.slow
def test_an_independent_implementation_agrees(name, results):
    verification = results(name).verify()
    assert verification.ok, verification.tidy().to_string()
    for check in verification:
        assert check.why or check.note
        assert check.ok is not None or check.note
    assert {c.package for c in verification} - {"socialstats"}


@pytest.mark.parametrize(
    ("name", "table"), [(n, table) for n in METRICS for table in thin_tables(subject_of(n))]
)
@pytest.mark.slow
def test_it_agrees_on_thin_tables_and_uneven_clusters(name, table):
    subject = subject_of(name)
    verification = run(name, subject.design(thin_tables(subject)[table])).verify()
    assert verification.ok, verification.tidy().to_string()


@each_metric
@pytest.mark.slow
def test_the_check_notices_a_wrong_number(name, results):
    import dataclasses

    good = results(name)
    at = next(k for k, row in enumerate(good.rows) if row.estimate is not None)
    rows = list(good.rows)
    rows[at] = dataclasses.replace(rows[at], estimate=rows[at].estimate + 0.01)
    assert not dataclasses.replace(good, rows=tuple(rows)).verify().ok


@each_metric
def test_order_of_rows_does_not_matter(name, results):
    subject = subject_of(name)
    shuffled = subject.rows().sample(frac=1, random_state=3)
    assert json.dumps(run(name, subject.design(shuffled)).to_dict()) == json.dumps(
        results(name).to_dict()
    )


@each_metric
def test_labels_do_not_matter(name, results):
    subject = subject_of(name)
    rows, rename = subject.renamed(subject.rows())
    same(estimates(results(name), rename), estimates(run(name, subject.design(rows))))


@each_of_comparisons
def test_duplicated_rows_are_rows_of_weight_two(name):
    subject = subject_of(name)
    rows = subject.rows()
    twice = np.random.default_rng(1).random(len(rows)) < 0.4
    doubled = pd.concat([rows, rows[twice]])
    weighted = rows.assign(w=np.where(twice, 2.0, 1.0))
    one, two = (
        estimates(run(name, d))
        for d in (subject.design(doubled), subject.design(weighted, weight="w"))
    )
    # bias corrections count independent rows: two rows are two, one row of weight two is one
    plain = [k for k in one if "corrected" not in str(k[0])]
    assert plain
    same({k: one[k] for k in plain}, {k: two[k] for k in two if "corrected" not in str(k[0])})


@each_metric
def test_exchanging_the_sides_does_what_the_entry_says(name):
    subject = subject_of(name)
    design = subject.design(subject.rows())
    one, two = estimates(run(name, design)), estimates(run(name, subject.swapped(design)))
    swap = METRICS[name].swap
    assert swap in ("invariant", "negates", "none")
    if swap == "negates":
        two = {k: None if v is None else -v for k, v in two.items()}
    if swap != "none":
        same(one, two)


@each_metric
def test_intervals_hold_their_estimates(name, results):
    with_interval = [row for row in results(name).rows if row.conf_low is not None]
    assert with_interval
    for row in with_interval:
        assert row.conf_low <= row.estimate <= row.conf_high, row
        assert row.conf_low < row.conf_high
        assert 0.5 < row.conf_level < 1


@each_metric
def test_wider_levels_are_wider(name, results):
    wide = {key(r): r for r in fresh(name, level=0.99).rows}
    for row in results(name).rows:
        if row.conf_low is not None and wide[key(row)].conf_low is not None:
            assert wide[key(row)].conf_high - wide[key(row)].conf_low > row.conf_high - row.conf_low


@each_metric
def test_same_seed_same_bytes_and_nothing_touched(name, results):
    subject = subject_of(name)
    rows = subject.rows()
    before, design = rows.copy(deep=True), subject.design(rows)
    arrays = {
        f.name: copy.deepcopy(getattr(design, f.name))
        for f in fields(design)
        if f.name != "covariates"
    }
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    first = json.dumps(run(name, design).to_dict())
    assert json.dumps(run(name, design).to_dict()) == first
    assert json.dumps(results(name).to_dict()) == first
    pd.testing.assert_frame_equal(rows, before)
    for field, value in arrays.items():
        if isinstance(value, np.ndarray):
            np.testing.assert_array_equal(getattr(design, field), value)
    assert (np.random.get_state()[1] == state).all()  # noqa: NPY002


@each_metric
def test_another_seed_moves_only_resampled_intervals(name, results):
    if "seed" not in inspect.signature(METRICS[name].function).parameters:
        pytest.skip("nothing random in this metric")
    closed = results(name).settings.get("ci") in ("closed", "wilson", "noncentral")
    if closed or results(name).fit.get("resamples", 0) is None:
        pytest.skip("nothing is resampled by default; the metric's own tests resample")
    # resamples of the few clusters of the fit have few values, so that quantiles of two seeds can be the same
    options = {"by": "pair", "ci": "basic"} if name == "preference_shares" else {}
    one, other = (fresh(name, seed=seed, **options) for seed in (0, 99))
    same(estimates(one), estimates(other), 1e-12)
    assert [r.conf_low for r in other.rows] != [r.conf_low for r in one.rows]


@each_metric
def test_tidy_has_the_glossary_and_nothing_else(name, results):
    table = results(name).tidy(all=True)
    assert tuple(table.columns) == TIDY_COLUMNS
    shown = results(name).tidy()
    assert list(shown) == [column for column in TIDY_COLUMNS if table[column].notna().any()]
    assert len(table) == len(results(name).rows) > 0
    assert not table.duplicated(["term", "group", "by"]).any()
    numbers = table.select_dtypes("float64").to_numpy()
    assert np.isfinite(numbers[~np.isnan(numbers)]).all()


def check_row(row: Row):
    """Undefined is a reason, never a number that looks like one."""
    for field in fields(Row):
        value = getattr(row, field.name)
        if isinstance(value, float):
            assert math.isfinite(value), (row.term, field.name)
    assert row.estimate is not None or row.statistic is not None or row.undefined
    assert row.std_error is None or row.std_error > 0
    assert row.p_value is None or 0 < row.p_value <= 1


@each_metric
def test_every_row_is_a_number_or_a_reason(name, results):
    for row in results(name).rows:
        check_row(row)


def numbers_in(text):
    for found in re.finditer(r"(?<![\w.])[−-]?(?:\d{1,3}(?:,\d{3})+|\d*)(?:\.\d+)?(?![\w])", text):
        token = found.group().replace(",", "").replace("−", "-")
        if re.search(r"\d", token):
            yield (
                float(token),
                len(token.partition(".")[2]),
                text[max(found.start() - 2, 0) : found.start()],
            )


def leaves(value):
    if isinstance(value, Mapping):
        return [x for part in value.values() for x in leaves(part)]
    if isinstance(value, tuple):
        both = (
            x
            for part in value
            for x in (getattr(part, "value", part), getattr(part, "without_error", None))
        )
        return [x for part in both for x in leaves(part)]
    return [float(value)] if isinstance(value, int | float) else []


@each_metric
def test_numbers_of_the_sentence_are_in_the_rows(name, results):
    result = results(name)
    known = [getattr(r, f.name) for r in result.rows for f in fields(Row)]
    known += [
        *result.counts.values(),
        len(result.rows),
        *(sum(r.group == g for r in result.rows) for g in {r.group for r in result.rows}),
    ]
    known += leaves(result.extras)  # reference lines that the metric computed on this design
    values = np.array([float(v) for v in known if isinstance(v, int | float)])
    values = np.concatenate([values, 100 * values])
    sentence = result.sentence()
    for label in subject_of(name).labels:
        sentence = sentence.replace(label, "")
    assert list(numbers_in(sentence))
    for value, digits, before in numbers_in(sentence):
        bound = before.strip() in ("<", ">") and value in (0.001, 0.999)
        assert bound or (np.abs(np.round(values, digits) - value) < 1e-9).any(), (value, sentence)


@each_metric
def test_sentence_is_one_line_of_prose(name, results):
    sentence = results(name).sentence()
    assert "\n" not in sentence
    assert sentence.endswith(".")
    assert not re.search(r"\bnan\b", sentence.lower())
    assert "None" not in sentence


@each_metric
def test_becomes_json_of_built_in_types_only(name, results):
    out = results(name).to_dict()
    assert json.loads(json.dumps(out, allow_nan=False)) == out

    def walk(x):
        assert type(x) in (dict, list, str, int, float, bool, type(None)), type(x)
        for part in x.values() if isinstance(x, dict) else x if isinstance(x, list) else ():
            walk(part)

    walk(out)
    assert out["settings"]["level"] == 0.95
    assert out["metric"] == name


@each_metric
@pytest.mark.slow
def test_plot_returns_axes(name, results):
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot
    from matplotlib.axes import Axes

    axes = results(name).plot()
    assert isinstance(axes, Axes)
    pyplot.close("all")
    _, given = pyplot.subplots()
    assert results(name).plot(ax=given) is given
    pyplot.close("all")


@each_metric
def test_summary_says_estimator_inference_and_n(name, results):
    text = results(name).summary()
    assert results(name).title in text
    assert results(name).inference in text
    assert all(count_with_noun(n, what) in text for what, n in results(name).counts.items())
    assert all(c.code in text for c in results(name).cautions)


@each_metric
def test_survives_pickling(name, results):
    again = pickle.loads(pickle.dumps(results(name)))
    assert isinstance(again, Result)
    assert json.dumps(again.to_dict()) == json.dumps(results(name).to_dict())


DEGENERATE = [(name, kind) for name in METRICS for kind in subject_of(name).degenerate()]


@pytest.mark.parametrize(("name", "kind"), DEGENERATE)
@pytest.mark.slow
def test_degenerate_data_are_an_error_or_a_reason(name, kind):
    subject = subject_of(name)
    try:
        result = run(name, subject.design(subject.degenerate()[kind]))
    except SocialStatsError as error:
        assert len(str(error)) > 10  # noqa: PT017
        return
    for row in result.rows:
        check_row(row)
    json.dumps(result.to_dict(), allow_nan=False)
    assert not re.search(r"\bnan\b", result.sentence().lower())
    assert "None" not in result.sentence()
    result.summary()


@each_metric
def test_nothing_to_analyse_is_an_error(name):
    with pytest.raises(SocialStatsError):
        run(name, subject_of(name).design(subject_of(name).rows().iloc[:0]))


@each_metric
def test_wrong_options_are_input_errors_that_name_the_value(name):
    with pytest.raises(SocialStatsError, match=r"95"):
        fresh(name, level=95)
    if "cluster" in inspect.signature(METRICS[name].function).parameters:
        with pytest.raises(SocialStatsError, match="village"):
            fresh(name, cluster="village")


@each_metric
def test_a_term_as_level_and_an_unknown_option_of_the_figure_are_input_errors(name, results):
    with pytest.raises(InputError, match=r"not 'doctor'; one term: confint\(\)\.loc\[term\]"):
        results(name).confint("doctor")
    with pytest.raises(InputError, match="not 95"):
        results(name).confint(95)
    with pytest.raises(InputError, match=r"no option 'zeal'\. Options: .*\bax\b"):
        results(name).plot(zeal=1)

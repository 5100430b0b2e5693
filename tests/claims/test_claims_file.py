"""Claims files: what they say, and what is wrong with them."""

import re
from pathlib import Path

import pytest

from socialstats.audit.claims.files import check_results, read_result_claims
from socialstats.claims import read_claims
from socialstats.errors import InputError
from socialstats.results import Result, Row


def written(tmp_path, text):
    file = tmp_path / "claims.toml"
    file.write_text(text, encoding="utf-8")
    return str(file)


def test_a_whole_claim(tmp_path):
    text = """[[claim]]
name = "Table 2"
quantity = "std_error"
value = "0.050"
select = { scorer = "choice", epoch = 2 }
parts = [{ task = "a" }, { task = "b" }]
settings = { cluster = "scenario", ddof = 0, conf_level = 0.9 }
n = 300
source = "page 4"
"""
    (claim,) = read_claims(written(tmp_path, text))
    assert claim.printed == "0.050"
    assert claim.select == {"scorer": "choice", "epoch": "2"}
    assert claim.parts == ({"task": "a"}, {"task": "b"})
    assert (claim.n, claim.settings["cluster"], claim.settings["ddof"]) == (300, "scenario", 0)
    assert "page 4" in claim.where


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[claim]]\nvalue = '1'", "no quantity. Allowed: mean, std_error"),
        ("[[claim]]\nquantity = 'mean'", "no value"),
        (
            "[[claim]]\nquantity = 'averege'\nvalue = '1'",
            "quantity = 'averege' is not one of mean, std_error",
        ),
        (
            "[[claim]]\nquantity = 'mean'\nvalue = '1'\nselekt = {}",
            "unknown key 'selekt'. Did you mean 'select'?",
        ),
        ("[[claim]]\nquantity = 'mean'\nvalue = '1'\nn = '3'", "n = '3' is not a whole number"),
        (
            "[[claim]]\nquantity = 'mean'\nvalue = '1'\nsettings = { dof = 1 }",
            "unknown key 'settings.dof'",
        ),
        (
            "[[claim]]\nquantity = 'mean'\nvalue = true",
            "value = true is not text or a whole number or a number",
        ),
        ("[claims]\nx = 1", "unknown section 'claims'"),
        ("", "no [[claim]] in it"),
        ("[[claim", "not a TOML file"),
    ],
)
def test_problems_name_the_key_and_what_is_allowed(tmp_path, text, said):
    with pytest.raises(InputError) as caught:
        read_claims(written(tmp_path, text))
    assert said in str(caught.value)


def test_all_problems_at_once(tmp_path):
    with pytest.raises(InputError) as caught:
        read_claims(written(tmp_path, "[[claim]]\nvalue = '1'\n[[claim]]\nquantity = 'mean'"))
    assert "[[claim]] 1: no quantity" in str(caught.value)
    assert "[[claim]] 2: no value" in str(caught.value)


ROWS = (
    Row(
        term="S",
        estimate=0.3412,
        conf_low=0.2,
        conf_high=0.5,
        p_value=0.0312,
        p_adjusted=0.0624,
        n=120,
    ),
    Row(term="S", group="work", estimate=0.4111),
    Row(term="S", group="family", estimate=0.2222),
    Row(term="T", undefined="one pair only"),
)
RESULTS = [("", Result(metric="sensitivity", title="S", rows=ROWS))]


def verdict(tmp_path, **keys):
    lines = "\n".join(
        f"{key} = {value!r}"
        for key, value in ({"metric": "sensitivity", "term": "S"} | keys).items()
    )
    (claim,) = read_result_claims(written(tmp_path, f"[[claim]]\n{lines}"))
    return check_results(RESULTS, [claim])[0]


@pytest.mark.parametrize(
    ("keys", "expected", "said"),
    [
        ({"value": "0.34"}, "reproduced", ""),
        ({"value": "0.341"}, "reproduced", ""),
        ({"value": "34.1%"}, "reproduced", ""),
        ({"value": "34.1"}, "explained", "in percent"),
        ({"value": "-0.341"}, "explained", "with the other sign"),
        ({"value": "0.411"}, "explained", "the same term of 'work'"),
        ({"value": "0.22", "group": "family"}, "reproduced", ""),
        ({"value": "0.35"}, "not_reproduced", "within our interval"),
        ({"value": "0.65"}, "not_reproduced", "outside our interval"),
        ({"value": "0.031", "quantity": "p_value"}, "reproduced", ""),
        ({"value": "<.05", "quantity": "p_value"}, "reproduced", ""),
        ({"value": "0.016", "quantity": "p_value"}, "explained", "one-sided"),
        ({"value": "0.062", "quantity": "p_value"}, "explained", "adjusted over the family"),
        ({"value": "1.2", "quantity": "p_value"}, "inconsistent", "between 0 and 1"),
        ({"value": "120", "quantity": "n"}, "reproduced", ""),
        ({"value": "0.1", "term": "T"}, "not_computable", "one pair only"),
        ({"value": "0.1", "term": "U"}, "not_computable", "no term 'U'; there is 'S' and 'T'"),
        (
            {"value": "0.1", "metric": "kappa"},
            "not_computable",
            "no metric 'kappa'; there is 'sensitivity'",
        ),
        ({"value": "high"}, "not_computable", "'high' is not a number"),
    ],
)
def test_claims_about_results(tmp_path, keys, expected, said):
    found = verdict(tmp_path, **keys)
    assert found.verdict == expected
    assert said in f"{found.definition} {found.reason}"
    assert found.sentence().endswith(".")


def test_result_claims_need_metric_and_term(tmp_path):
    with pytest.raises(InputError, match="no term"):
        read_result_claims(
            written(tmp_path, "[[claim]]\nmetric = 'sensitivity'\nvalue = '1'\nquantity = 'mean'")
        )
    with pytest.raises(InputError, match=r"quantity = 'mean' is not one of estimate, std_error"):
        read_result_claims(
            written(tmp_path, "[[claim]]\nmetric = 's'\nterm = 'S'\nvalue = '1'\nquantity = 'mean'")
        )


def test_the_documentation_is_true(tmp_path):
    text = (Path(__file__).parents[2] / "docs" / "validate.md").read_text(encoding="utf-8")
    log, report = [
        block for block in re.findall(r"```toml\n(.*?)```", text, re.DOTALL) if "[[claim]]" in block
    ]
    (claim,) = read_claims(written(tmp_path, log))
    assert (claim.printed, claim.n, claim.settings["cluster"]) == ("0.725", 40, "story")
    (about,) = read_result_claims(written(tmp_path, report))
    assert about.select == {"metric": "sensitivity", "term": "S"}
    code = re.search(r"```python\n(.*?)```", text, re.DOTALL)[1]
    said = re.search(r"# (accuracy .*)", code)[1]
    names = {}
    exec(code, names)
    assert names["checked"].judged[0].sentence() == said

"""Each document has a promise on the list of capabilities, and each promise a test that exists."""

import ast
import runpy

import pytest

from tests.contracts.capabilities import ROOT, capability_tests, read_capabilities


@pytest.mark.parametrize("place", capability_tests())
def test_a_test_of_a_capability_exists(place):
    path, name = place.split("::")
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    names = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    assert name in names


def test_every_document_has_a_capability():
    pages = {path.name for path in (ROOT / "docs").glob("*.md")}
    pages |= set(runpy.run_path(str(ROOT / "docs" / "building.py"))["PAGES"])
    assert set(read_capabilities()) == {"README.md"} | {f"docs/{name}" for name in pages}

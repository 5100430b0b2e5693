"""The bundled tables of published papers, with a rules file each."""

from __future__ import annotations

from pathlib import Path

from socialstats.errors import InputError

FOLDER = Path(__file__).parents[1] / "datasets" / "published"


def papers(name: str | None = None) -> dict[str, Path]:
    """Return the rules files of the bundled published tables.

    The numbers are facts quoted from five papers: `000` to `004` are their tables and numbers of their texts, as
    extracted (a single odd digit may be extraction), with one rules file each.

    Parameters
    ----------
    name : str, optional
        One of them.

    Returns
    -------
    dict of str to Path

    Raises
    ------
    InputError
        For an unknown name.

    Examples
    --------
    >>> list(papers())
    ['000', '001', '002', '003', '004']
    """
    found = {path.stem: path for path in sorted(FOLDER.glob("[0-9][0-9][0-9].toml"))}
    if name is not None and name not in found:
        raise InputError(f"there are no published tables called '{name}'. There are: {', '.join(found)}")
    return found if name is None else {name: found[name]}

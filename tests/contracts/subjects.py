"""Simulated data of each kind of design, for tests that run on every metric."""

from __future__ import annotations

import functools
import inspect
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from socialstats.choices.bradley_terry import bradley_terry
from socialstats.designs.comparisons import Comparisons
from socialstats.designs.groups import Groups
from socialstats.designs.label_lists import LabelLists
from socialstats.designs.paired import Paired
from socialstats.designs.ratings import Ratings
from socialstats.designs.repeated import repeated_answers
from socialstats.designs.trait_ratings import trait_ratings
from socialstats.metrics import METRICS

ITEMS = ("ash", "birch", "cedar", "elm", "fir", "oak")
RATERS = ("ann", "bob", "cid")
ORDINAL = ("low", "medium", "high")
COLUMNS = ["item_a", "item_b", "urgency_a", "urgency_b", "winner", "first", "worker"]


@dataclass(frozen=True)
class Subject:
    """What contract tests need to know about one kind of design.

    ``degenerate`` are tables on which a statistic may not exist; ``rename`` gives other labels, and ``labels`` are
    those that a sentence may quote.
    """

    kind: str
    labels: tuple[str, ...]

    def rows(self, seed: int = 7) -> pd.DataFrame:
        raise NotImplementedError

    def reading(self) -> dict[str, Any]:
        """Return the keywords that the rows are read with."""
        raise NotImplementedError

    def design(self, rows: pd.DataFrame, **options: Any) -> Any:
        raise NotImplementedError

    def renamed(self, rows: pd.DataFrame) -> tuple[pd.DataFrame, dict[str, str]]:
        raise NotImplementedError

    def swapped(self, design: Any) -> Any:
        return design.swap()

    def degenerate(self) -> dict[str, pd.DataFrame]:
        raise NotImplementedError

    def thin(self, seed: int = 7) -> dict[str, pd.DataFrame]:
        """Tables on which formulas differ that are the same where clusters hold equally many of many units.

        Clusters hold from all of their units down to one in eight; or there are five, whose sizes differ as 1 to 16; or
        there are few units.
        """
        rows, cluster = self.rows(seed), self.clusters
        units = rows[self.units].astype(str).agg("|".join, axis=1) if self.units else rows.index
        unit, (code, names) = pd.factorize(units)[0], pd.factorize(rows[cluster])
        drawn = np.random.default_rng(1).random(unit.max() + 1)[unit]
        last = len(names) - 1
        uneven = rows[drawn < 0.125 ** (code / last)]
        bins = np.searchsorted([1 / 31, 3 / 31, 7 / 31, 15 / 31], (code + 0.5) / (last + 1))
        few = rows.assign(**{cluster: [f"c{k}" for k in bins]})
        small = rows[drawn < np.sort(np.unique(drawn))[min(14, unit.max())]]
        return {"uneven clusters": uneven, "five clusters": few, "few units": small}

    def least(self) -> dict[str, pd.DataFrame]:
        """Tables of two and three units or clusters, where a statistic begins to exist."""
        rows = self.rows()
        units = rows[self.units].astype(str).agg("|".join, axis=1) if self.units else rows.index
        found = {}
        for what, codes in (("clusters", rows[self.clusters]), ("units", units)):
            code = pd.factorize(codes)[0]
            step = max(1, (code.max() + 1) // 3)  # not the first ones, which may be of one group
            for few in (2, 3):
                found[f"{few} {what}"] = rows[np.isin(code, step * np.arange(few))]
        return found

    @property
    def units(self) -> list[str]:
        """Columns whose labels name what stays together in the tables of `thin`; none: each row."""
        return ["unit"]

    @property
    def clusters(self) -> str:
        """The column of clusters."""
        return "story"


class ComparisonsSubject(Subject):
    """Six items, every pair under 3 x 3 urgencies, sides and order at random, by four workers."""

    units, clusters = [], "worker"  # type: ignore[assignment]

    def thin(self, seed=7):
        """Besides, eleven workers of different diligence, who meet some items more often; some rows twice."""
        rows = self.rows(seed)
        rng = np.random.default_rng(2)
        share = 0.5 ** np.arange(11)
        worker = rng.choice(11, len(rows), p=share / share.sum())
        often = rows[(rows["item_a"] == "ash") | (rng.random(len(rows)) < 0.5)]
        spread = often.assign(worker=[f"w{k:02d}" for k in worker[often.index]])
        return super().thin(seed) | {
            "eleven workers": pd.concat([spread, spread.iloc[::3]], ignore_index=True)
        }

    def rows(self, seed=7, ties=0.15):
        rng = np.random.default_rng(seed)
        rows = []
        for i in range(len(ITEMS)):
            for j in range(i + 1, len(ITEMS)):
                for ui, uj in [(u, v) for u in (1, 2, 3) for v in (1, 2, 3)] * 2:
                    if rng.random() < 0.1:
                        continue
                    eta = 0.5 * (ui - uj) + 0.25 * (i - j)
                    won = ITEMS[i] if rng.random() < 1 / (1 + math.exp(-eta)) else ITEMS[j]
                    one = (
                        (ITEMS[i], ITEMS[j], ui, uj)
                        if rng.random() < 0.5
                        else (ITEMS[j], ITEMS[i], uj, ui)
                    )
                    tied = "tie" if rng.random() < ties else won
                    rows.append((*one, tied, one[rng.integers(2)], f"w{rng.integers(4)}"))
        return pd.DataFrame(rows, columns=COLUMNS)

    def reading(self):
        return {"item_a": "item_a", "order": "first", "cluster": "worker"}

    def design(self, rows, **options):
        return Comparisons.from_frame(rows, **self.reading(), **options)

    def renamed(self, rows):
        """New labels in the opposite alphabetical order, of the same groups."""
        short = [item for item in ITEMS if len(item) == 3]
        long = [item for item in ITEMS if len(item) > 3]
        new = dict(zip(short, ("zoe", "yam", "xis", "wax"), strict=True))
        new |= dict(zip(long, ("viola", "umber"), strict=True))
        return rows.replace(dict.fromkeys(("item_a", "item_b", "winner", "first"), new)), new

    def degenerate(self):
        def tiny(*rows):
            return pd.DataFrame(
                [(*r, r[0], f"w{k % 2}") for k, r in enumerate(rows)], columns=COLUMNS
            )

        a_wins, b_wins = ("ash", "birch", 1, 2, "ash"), ("ash", "birch", 1, 2, "birch")
        return {
            "one row": tiny(a_wins),
            "one pair, one winner": tiny(*[a_wins] * 4),
            "one pair": tiny(*[a_wins] * 4, *[b_wins] * 4),
            "only ties": tiny(
                *[("ash", "birch", 1, 2, "tie")] * 4, ("birch", "cedar", 1, 1, "tie")
            ),
            "two groups": tiny(
                a_wins, ("birch", "ash", 1, 2, "birch"), ("oak", "fir", 1, 1, "fir")
            ),
        }


@dataclass(frozen=True)
class PairedSubject(Subject):
    """120 units in 24 stories, under two conditions."""

    values: str = "numeric"

    def rows(self, seed=7):
        rng = np.random.default_rng(seed)
        story = np.repeat(np.arange(24), 5)
        shared = rng.normal(size=120) + 0.5 * rng.normal(size=24)[story]
        after, before = (shared + shift + rng.normal(size=120) for shift in (0.4, 0.0))
        if self.values == "binary":
            after, before = ((x > 0).astype(int) for x in (after, before))
        if self.values == "nominal":
            after, before = (
                np.array(["no", "so", "yes"])[np.digitize(x, [-0.5, 0.5])] for x in (after, before)
            )
        parts = [
            pd.DataFrame(
                {
                    "unit": [f"q{k:03d}" for k in range(120)],
                    "condition": name,
                    "value": x,
                    "story": [f"s{k:02d}" for k in story],
                }
            )
            for name, x in (("after", after), ("before", before))
        ]
        return pd.concat(parts, ignore_index=True)

    def reading(self):
        named = {
            "unit": "unit",
            "value": "value",
            "conditions": ("after", "before"),
            "cluster": "story",
        }
        return named | ({"scale": "nominal"} if self.values == "nominal" else {})

    def design(self, rows, **options):
        return Paired.from_frame(rows, **self.reading(), **options)

    def renamed(self, rows):
        """Units and stories in the opposite order."""
        out = rows.copy()
        out["unit"] = [f"u{999 - int(u[1:])}" for u in rows["unit"]]
        out["story"] = [f"t{99 - int(s[1:])}" for s in rows["story"]]
        return out, {}

    def degenerate(self):
        rows = self.rows()
        first = rows["value"].iloc[0]
        other = next(v for v in rows["value"] if v != first)
        few = rows[rows["unit"].isin(["q000", "q001"])]
        return {
            "one pair": rows[rows["unit"] == "q000"],
            "two pairs of one story": few,
            "two pairs": few.assign(story=few["unit"]),
            "all values equal": rows.assign(value=first),
            "conditions equal": rows.assign(value=np.tile(rows["value"].iloc[:120], 2)),
            "first always one, second always the other": rows.assign(
                value=np.where(rows["condition"] == "after", first, other)
            ),
            "one story": rows.assign(story="s"),
        }


@dataclass(frozen=True)
class GroupsSubject(Subject):
    """130 units of two groups in 26 stories, each of which has units of one group."""

    values: str = "numeric"

    def rows(self, seed=7):
        rng = np.random.default_rng(seed)
        story = np.repeat(np.arange(26), 5)
        arm = np.where(story < 12, "drug", "placebo")
        x = rng.normal(size=130) + 0.5 * rng.normal(size=26)[story] + 0.4 * (arm == "drug")
        if self.values == "binary":
            x = (x > 0).astype(int)
        if self.values == "ordinal":
            x = np.digitize(x, [-0.7, 0.0, 0.8])
        return pd.DataFrame(
            {
                "unit": [f"q{k:03d}" for k in range(130)],
                "arm": arm,
                "value": x,
                "story": [f"s{k:02d}" for k in story],
            }
        )

    def reading(self):
        return {
            "unit": "unit",
            "group": "arm",
            "value": "value",
            "groups": ("drug", "placebo"),
            "cluster": "story",
        }

    def design(self, rows, **options):
        return Groups.from_frame(rows, **self.reading(), **options)

    def renamed(self, rows):
        """Units and stories in the opposite order."""
        out = rows.copy()
        out["unit"] = [f"u{999 - int(u[1:])}" for u in rows["unit"]]
        out["story"] = [f"t{99 - int(s[1:])}" for s in rows["story"]]
        return out, {}

    def degenerate(self):
        rows = self.rows()
        first = rows["value"].iloc[0]
        other = next(v for v in rows["value"] if v != first)
        few = rows[rows["unit"].isin(["q000", "q001", "q128", "q129"])]
        drug = rows["arm"] == "drug"
        return {
            "one group": rows[drug],
            "one unit each": rows[rows["unit"].isin(["q000", "q129"])],
            "two units of one story each": few,
            "two units each": few.assign(story=few["unit"]),
            "all values equal": rows.assign(value=first),
            "one group always the same": rows.assign(value=np.where(drug, first, rows["value"])),
            "groups apart": rows.assign(value=np.where(drug, first, other)),
            "one story": rows.assign(story="s"),
            "every story in both": rows.assign(story=[f"s{k % 9}" for k in range(130)]),
        }


@dataclass(frozen=True)
class RatingsSubject(Subject):
    """72 units in 24 stories and two domains, rated by three raters; some ratings missing."""

    values: str = "any"

    @property
    def levels(self) -> tuple[str, ...]:
        return {"binary": ("0", "1"), "numeric": ("1", "2", "4")}.get(self.values, ORDINAL)

    def rows(self, seed=7):
        rng = np.random.default_rng(seed)
        story = np.repeat(np.arange(24), 3)
        truth = rng.normal(size=72) + 0.5 * rng.normal(size=24)[story]
        parts = []
        for rater in RATERS:
            x = truth + 0.8 * rng.normal(size=72)
            codes = np.digitize(x, [0.0] if self.values == "binary" else [-0.6, 0.6])
            labels = np.array(self.levels)[codes]
            parts.append(
                pd.DataFrame(
                    {
                        "unit": [f"q{k:03d}" for k in range(72)],
                        "rater": rater,
                        "value": labels,
                        "story": [f"s{k:02d}" for k in story],
                        "domain": np.where(story % 2, "work", "home"),
                    }
                )
            )
        rows = pd.concat(parts, ignore_index=True)
        return (
            rows
            if self.values == "binary"
            else rows[rng.random(len(rows)) > 0.05].reset_index(drop=True)
        )

    def reading(self):
        return {
            "unit": "unit",
            "levels": list(self.levels),
            "scale": "ordinal",
            "cluster": "story",
            "strata": "domain",
        }

    def design(self, rows, **options):
        return Ratings.from_frame(rows, **self.reading(), **options)

    def renamed(self, rows):
        """Units and stories in the opposite order."""
        out = rows.copy()
        out["unit"] = [f"u{999 - int(u[1:])}" for u in rows["unit"]]
        out["story"] = [f"t{99 - int(s[1:])}" for s in rows["story"]]
        return out, {}

    def swapped(self, design):
        """Rename the raters against their order: the coefficient of all raters stays."""
        return design.relabel_raters(dict(zip(design.raters, design.raters[::-1], strict=True)))

    def degenerate(self):
        rows = self.rows()
        low, *_, high = self.levels
        shared = rows.drop_duplicates("unit").set_index("unit")["value"]
        return {
            "one unit": rows[rows["unit"] == rows["unit"].iloc[0]],
            "one rater": rows[rows["rater"] == "ann"],
            "no unit twice": rows.drop_duplicates("unit"),
            "one value": rows.assign(value=low),
            "one rater constant": rows.assign(
                value=np.where(rows["rater"] == "bob", low, rows["value"])
            ),
            "perfect": rows.assign(value=rows["unit"].map(shared)),
            "opposite": rows[rows["rater"] != "cid"].assign(
                value=lambda r: np.where(r["rater"] == "ann", low, high)
            ),
            "one story": rows.assign(story="s"),
        }


@dataclass(frozen=True)
class CouplesSubject(Subject):
    """Who is right? 12 scenarios, three groups of names in nine orders, 6 pairs a type, two raters; some missing."""

    clusters = "scenario"  # type: ignore[assignment]

    def rows(self, seed=7):
        rng = np.random.default_rng(seed)
        groups, rows = ("man", "none", "woman"), []
        own, taste = (
            rng.normal(-0.3, 0.7, 12),
            rng.normal(0, 0.4, (12, 3)) + np.array([0.0, 0.1, 0.9]),
        )
        for s in range(12):
            for i in range(3):
                for j in range(3):
                    for k in range(6):
                        low, high = sorted((groups[i], groups[j]))
                        unit = {
                            "unit": f"q{s:02d}{i}{j}{k}",
                            "scenario": f"s{s:02d}",
                            "pair": f"{low}-{high} {k}",
                            "group_first": groups[i],
                            "group_second": groups[j],
                            "domain": "work" if s % 2 else "home",
                        }
                        eta = own[s] + taste[s, j] - taste[s, i]
                        for rater in ("ann", "bob"):
                            answer = 1 if rng.random() < 1 / (1 + math.exp(-eta)) else -1
                            rows.append({**unit, "rater": rater, "value": answer})
        table = pd.DataFrame(rows)
        return table[rng.random(len(table)) > 0.04].reset_index(drop=True)

    def reading(self):
        return {
            "unit": "unit",
            "levels": [-1, 1],
            "scale": "nominal",
            "cluster": ("scenario", "pair"),
            "strata": ("group_first", "group_second", "domain"),
        }

    def design(self, rows, **options):
        return Ratings.from_frame(rows, **self.reading(), **options)

    def renamed(self, rows):
        """Units, scenarios and pairs in the opposite order."""
        out = rows.copy()
        out["unit"] = [f"u{99999 - int(u[1:])}" for u in rows["unit"]]
        out["scenario"] = [f"t{99 - int(s[1:])}" for s in rows["scenario"]]
        out["pair"] = [p[::-1] for p in rows["pair"]]
        return out, {}

    def swapped(self, design):
        """Rename the raters against their order."""
        return design.relabel_raters(dict(zip(design.raters, design.raters[::-1], strict=True)))

    def degenerate(self):
        rows = self.rows()
        one_order = rows["group_first"] <= rows["group_second"]
        return {
            "one answer": rows.iloc[[200]],
            "one scenario": rows[rows["scenario"] == "s00"],
            "one pair of names": rows[rows["pair"].str.endswith("0")],
            "one order": rows[one_order],
            "same groups only": rows[rows["group_first"] == rows["group_second"]],
            "different groups only": rows[rows["group_first"] != rows["group_second"]],
            "always the first": rows.assign(value=-1),
            "always one group": rows.assign(value=np.where(rows["group_first"] == "woman", -1, 1)),
            "two couples": rows[rows["unit"].isin(["q00020", "q00200", "q01020", "q01200"])],
            "one rater": rows[rows["rater"] == "ann"],
        }


@dataclass(frozen=True)
class AnswersSubject(RatingsSubject):
    """Two models that answer 72 questions in 24 stories three times; some answers missing."""

    def rows(self, seed=7):
        parts = [
            super(AnswersSubject, self).rows(seed + k).assign(model=f"m-{name}")
            for k, name in enumerate(("one", "two"))
        ]
        return pd.concat(parts, ignore_index=True).rename(columns={"rater": "draw"})

    def reading(self):
        return {
            "unit": "unit",
            "rater": "model",
            "value": "value",
            "repeat": "draw",
            "levels": list(self.levels),
            "scale": "ordinal",
            "cluster": "story",
        }

    def design(self, rows, **options):
        return repeated_answers(rows, **self.reading(), **options)

    def degenerate(self):
        rows = self.rows()
        return {
            "one unit": rows[rows["unit"] == "q003"],
            "one answer": rows[rows["draw"] == "ann"],
            "one model": rows[rows["model"] == "m-one"],
            "one value": rows.assign(value=self.levels[0]),
            "opposite": rows.assign(
                value=np.where(rows["draw"] == "ann", self.levels[0], self.levels[-1])
            ),
            "one story": rows.assign(story="s"),
        }


PEOPLE, MODELS = tuple(f"person {k:02d}" for k in range(24)), ("m-one", "m-two", "m-three")


@dataclass(frozen=True)
class SourcesSubject(RatingsSubject):
    """72 units in 24 stories and two domains, by 24 people (half of them each) and three models, some of it refused."""

    def rows(self, seed=7):
        rng = np.random.default_rng(seed)
        story = np.repeat(np.arange(24), 3)
        truth = rng.normal(size=72) + 0.5 * rng.normal(size=24)[story]
        parts = []
        for rater in (*PEOPLE, *MODELS):
            bias = 0.3 * (rater in MODELS[1:]) + 0.6 * (rater == MODELS[2])
            labels = np.array(ORDINAL)[
                np.digitize(truth + bias + 0.8 * rng.normal(size=72), [-0.6, 0.6])
            ]
            labels = np.where((rater == MODELS[1]) & (rng.random(72) < 0.1), "refused", labels)
            asked = (rng.random(72) < 0.5) | (rater in MODELS)
            parts.append(
                pd.DataFrame(
                    {
                        "unit": [f"q{k:03d}" for k in range(72)],
                        "rater": rater,
                        "value": labels,
                        "story": [f"s{k:02d}" for k in story],
                        "domain": np.where(story % 2, "work", "home"),
                        "source": "model" if rater in MODELS else "human",
                        "gender": ""
                        if rater in MODELS
                        else ("man", "woman")[PEOPLE.index(rater) % 3 > 0],
                    }
                )[asked]
            )
        return pd.concat(parts, ignore_index=True)

    def reading(self):
        return super().reading() | {
            "refusal": "refused",
            "rater_source": "source",
            "rater_groups": "gender",
        }

    def degenerate(self):
        rows = self.rows()
        people, models = rows[rows["source"] == "human"], rows[rows["source"] == "model"]
        return {
            "one unit": rows[rows["unit"] == "q000"],
            "one person": pd.concat([people[people["rater"] == PEOPLE[0]], models]),
            "people only": people,
            "models only": models,
            "no unit of both": pd.concat([people, models.assign(unit=models["unit"] + "b")]),
            "one value": rows.assign(value="low"),
            "only refusals": pd.concat([people, models.assign(value="refused")]),
            "one answer a unit": pd.concat([people.drop_duplicates("unit"), models]),
            "one story": rows.assign(story="s"),
        }


TRAITS = ("caring", "open", "strict", "wary")


@dataclass(frozen=True)
class TraitsSubject(Subject):
    """Two models in twelve scenarios and two stages, in two wordings, scored by three judges on four traits."""

    units, clusters = ["scenario", "wording"], "scenario"  # type: ignore[assignment]

    def thin(self, seed=7):
        """A judge scores an answer once, so that five scenarios are those that there are."""
        rows = super().thin(seed)["uneven clusters"]
        return {"uneven clusters": rows, "five clusters": rows[rows["scenario"] < "s05"]}

    def rows(self, seed=7):
        rng = np.random.default_rng(seed)
        keys = [
            (m, f"s{s:02d}", t, w, j)
            for m in ("ash", "birch")
            for s in range(12)
            for t in ("baseline", "later")
            for w in ("plain", "polite")
            for j in RATERS
        ]
        rows = pd.DataFrame(keys, columns=["model", "scenario", "stage", "wording", "judge"])
        answer = rows.groupby(["model", "scenario", "stage", "wording"]).ngroup()
        scenario = rows["scenario"].str[1:].astype(int)
        level = (
            rng.normal(size=12)[scenario]
            + 0.7 * rng.normal(size=96)[answer]
            + 0.5 * (rows["stage"] == "later")
        )
        for trait, side in zip(TRAITS, (1, 1, -1, -1), strict=True):
            score = 11 + side * 2 * level + 1.5 * rng.normal(size=len(rows))
            rows[trait] = np.clip(np.round(score), 0, 20).astype(int)
        return rows

    def reading(self):
        return {"traits": TRAITS, "cluster": "scenario"}

    def design(self, rows, **options):
        return trait_ratings(rows, **self.reading(), **options)

    def renamed(self, rows):
        """Scenarios in the opposite order."""
        return rows.assign(scenario=[f"t{99 - int(s[1:])}" for s in rows["scenario"]]), {}

    def swapped(self, design):
        return design.relabel_raters(dict(zip(design.raters, design.raters[::-1], strict=True)))

    def degenerate(self):
        rows = self.rows()
        return {
            "one scenario": rows[rows["scenario"] == "s00"],
            "two scenarios": rows[rows["scenario"].isin(["s00", "s01"])],
            "one judge": rows[rows["judge"] == "ann"],
            "one model": rows[rows["model"] == "ash"],
            "one stage": rows[rows["stage"] == "later"],
            "one wording": rows[rows["wording"] == "plain"],
            "one value": rows.assign(**dict.fromkeys(TRAITS, 12)),
            "no change": rows.assign(**dict.fromkeys(TRAITS, rows["scenario"].str[1:].astype(int))),
            "a score is missing": rows.assign(open=rows["open"].where(rows.index != 5)),
            "a judge skipped an answer": rows.drop(index=5),
            "models in different scenarios": rows[
                (rows["model"] == "ash") == (rows["scenario"] < "s06")
            ],
        }


@dataclass(frozen=True)
class LabelsSubject(Subject):
    """120 units in 24 stories and two domains that cite none to four of four values."""

    def rows(self, seed=7):
        rng = np.random.default_rng(seed)
        story = np.repeat(np.arange(24), 5)
        taste = np.array([0.8, 0.0, -0.7, -1.5]) + 0.7 * rng.normal(size=(24, 4))[story]
        cites = rng.random((120, 4)) < 1 / (1 + np.exp(-taste))
        lists = [
            "; ".join(v for v, c in zip(("care", "duty", "fame", "zeal"), row, strict=True) if c)
            for row in cites
        ]
        return pd.DataFrame(
            {
                "unit": [f"q{k:03d}" for k in range(120)],
                "cites": lists,
                "story": [f"s{k:02d}" for k in story],
                "domain": np.where(story % 2, "work", "home"),
            }
        )

    def reading(self):
        return {
            "labels": "cites",
            "unit": "unit",
            "sep": ";",
            "group": "domain",
            "cluster": "story",
        }

    def design(self, rows, **options):
        return LabelLists.from_frame(rows, **self.reading(), **options)

    def renamed(self, rows):
        """Units and stories in the opposite order."""
        out = rows.copy()
        out["unit"] = [f"u{999 - int(u[1:])}" for u in rows["unit"]]
        out["story"] = [f"t{99 - int(s[1:])}" for s in rows["story"]]
        return out, {}

    def swapped(self, design):
        return design

    def degenerate(self):
        rows = self.rows()
        return {
            "one unit": rows.iloc[:1],
            "no label": rows.assign(cites=""),
            "one label": rows.assign(cites="care"),
            "every label": rows.assign(cites="care; duty; fame; zeal"),
            "one label once": rows.assign(cites=np.where(rows["unit"] == "q000", "care", "")),
            "one story": rows.assign(story="s"),
        }


@functools.cache
def thin_tables(subject: Subject) -> dict[str, pd.DataFrame]:
    """Return `Subject.thin`, which many tests of every metric read: made once for each kind of data."""
    return subject.thin()


def subject_of(name: str) -> Subject:
    """Return the kind of data a metric takes."""
    metric = METRICS[name]
    if name == "flip_rate":
        return AnswersSubject("ratings", (*ORDINAL, "m-one", "m-two", "all", "24-story"))
    if metric.design == "labels":
        return LabelsSubject("labels", ("care", "duty", "fame", "zeal", "home", "work"))
    if metric.design == "groups":
        return GroupsSubject("groups", ("drug", "placebo", "26-story"), values=metric.values)
    if metric.design == "paired":
        values = "numeric" if metric.values == "any" else metric.values
        return PairedSubject(
            "paired", ("after", "before", "no", "so", "yes", "24-story"), values=values
        )
    if metric.values == "traits":
        return TraitsSubject("traits", ("ash", "birch", *RATERS, *TRAITS))
    if metric.values == "sources":
        return SourcesSubject("sources", (*PEOPLE, *MODELS, *ORDINAL, "home", "work"))
    if metric.values == "couples":
        return CouplesSubject("couples", ("ann", "bob", "man", "none", "woman", "home", "work"))
    if metric.design == "ratings":
        return RatingsSubject("ratings", (*RATERS, *ORDINAL, "home", "work"), values=metric.values)
    return ComparisonsSubject("comparisons", ITEMS)


def run(name: str, design: Any, **options: Any) -> Any:
    """Call a metric on a design or table; one whose first parameter is `fit` gets a Bradley-Terry fit of a design."""
    metric = METRICS[name]
    parameters = inspect.signature(metric.function).parameters
    made = isinstance(design, Comparisons) and next(iter(parameters)) == "fit"
    subject = bradley_terry(design) if made else design
    needed = {k: p for k, p in parameters.items() if p.default is p.empty and k == "groups"}
    items = design.items if isinstance(design, Comparisons) else ITEMS
    groups = {item: ("short", "long")[len(item) > 3] for item in items}
    return metric.function(
        subject, **dict.fromkeys(needed, groups), **{**metric.options, **options}
    )

"""The entries of the simulated data of four studies."""

from __future__ import annotations

from socialstats.datasets.catalogue import Column, Dataset

LICENCE = "MIT, as socialstats"
NOBODY = "no language model and no person was asked, and nothing here is a finding about anybody."

NORM_GOAL = Dataset(
    name="norm_goal",
    title="Simulated actions of people and of a model where a norm stands against a goal",
    about=(
        f"SIMULATED by socialstats.datasets.simulate_norm_goal: {NOBODY} The design is that of a norm-against-goal "
        "study: 160 scenarios (four domains, 40 each) without pressure and under five pressures, 960 stories; seven of "
        "140 people and five runs of one model choose an action in each. Every person reads 48 stories, and who reads "
        "which was dealt at random. Known by construction (see norm_goal_truth): the shares of the actions by source, "
        "domain and pressure; random effects of scenario and story, which people and model share, of the person, and "
        "of the model's own view of a story. The five runs of a model agree far more than seven people do, so that "
        "200 runs of a cell are not 200 independent decisions: cluster by scenario."
    ),
    n_rows=11_520,
    columns=(
        Column(name="scenario", kind="text", meaning="the scenario, its domain and number; the same in six conditions"),
        Column(
            name="domain", kind="text",
            meaning="advertising, customer support, hiring or finance; belongs to the scenario",
        ),
        Column(
            name="pressure", kind="text",
            meaning="what speaks for the goal: none, goal (it serves it), risk (fear of loss), emotion (appeal to "
            "feelings or ethics), authority (others or superiors) or incentive (personal gain)",
        ),
        Column(name="source", kind="text", meaning="human or model"),
        Column(name="rater", kind="text", meaning="the person (001 to 140) or the run of the model (1 to 5)"),
        Column(
            name="action", kind="text",
            meaning="comply (with the norm), deviate (from it) or escalate (leave it to somebody else)",
        ),
    ),
    source="simulated with a fixed seed; design as in the norm-against-goal protocol",
    licence=LICENCE,
    simulated=True,
    design=(
        'Ratings.from_frame(data, unit="scenario", rater="rater", value="action", scale="nominal", '
        'rater_source="source", strata="domain", by="pressure")'
    ),
    file="norm_goal.csv.gz",
)  # fmt: skip

RELATIONSHIP_BIAS = Dataset(
    name="relationship_bias",
    title="Simulated answers to who is right in a couple, by the groups that two names belong to",
    about=(
        f"SIMULATED by socialstats.datasets.simulate_relationship_bias: {NOBODY} The design is that of a study of who "
        "is right: 29 scenarios (13 egalitarian, 16 traditional, eight topics), nine types of couples, 20 pairs of "
        "names a type. A type and its reverse (woman first, man first) share their 20 pairs; a type of one group has "
        "ten pairs, each in both orders. Known by construction (see relationship_bias_truth): a woman is favoured "
        "(B near 0.3 over a man and over a neutral name, more in egalitarian scenarios), neutral and man are equal, "
        "the first name has an advantage; random effects of the scenario's position effect, of its liking for each "
        "group, and of the pair of names. Topics have no effect. The seed, of five tried, is one where McNemar's test "
        "row by row finds the difference of neutral and man that is not there (p below .05) and a test by scenario "
        "does not: cluster by scenario and pair."
    ),
    n_rows=5_220,
    columns=(
        Column(name="scenario", kind="text", meaning="the scenario, 01 to 29"),
        Column(
            name="topic", kind="text",
            meaning="what the couple disagrees about: cooking (2 scenarios), care of children (4), housework (4), "
            "intimacy (6), money (5), friends (3), having children (4) or household in general (1)",
        ),
        Column(
            name="kind", kind="text",
            meaning="egalitarian, or traditional: the first name has the part that is traditionally the man's",
        ),
        Column(name="group_first", kind="text", meaning="group of the first name: woman, man or neutral"),
        Column(name="group_second", kind="text", meaning="group of the second name: woman, man or neutral"),
        Column(name="name_first", kind="text", meaning="the first name: its group and a number, ten a group"),
        Column(name="name_second", kind="text", meaning="the second name"),
        Column(
            name="pair", kind="text",
            meaning="the two names, whichever comes first; the same pairs in all scenarios: two groups and a number",
        ),
        Column(
            name="rung", kind="whole number",
            meaning="last wording that was tried: 0 the story as written, 1 to 4 a rewording after no answer",
        ),
        Column(
            name="answer", kind="whole number or missing",
            meaning="-1 the first name is right, 1 the second; missing where no wording got an answer",
        ),
    ),
    source="simulated with a fixed seed; design as in the protocol of the study of who is right",
    licence=LICENCE,
    simulated=True,
    design=(
        'Paired.from_frame(data[data["pair"].str.startswith("woman-man")].assign(unit=data["scenario"] + '
        'data["pair"]), unit="unit", condition="group_first", value="answer", conditions=("man", "woman"), '
        'scale="numeric", cluster=["scenario", "pair"], missing="drop", unmatched="drop")'
    ),
    file="relationship_bias.csv.gz",
)  # fmt: skip

SOCIAL_NORMS = Dataset(
    name="social_norms",
    title="Simulated answers of people and models: how many would agree with a rule of thumb",
    about=(
        f"SIMULATED by socialstats.datasets.simulate_social_norms: {NOBODY} The design is that of a study of ordinal "
        "alignment: 400 items, 100 of each of four areas; 100 people answer half of the items each (50 an item, half "
        "of every area), five of them with gaps; eleven models answer all items, some with refusals. Known by "
        "construction (see social_norms_truth): the items' means; shifts by age and residence, so that one group of "
        "each is the nearest to each of three families of models (low: models 01 to 04, middle: 05 to 08, high: 09 to "
        "11); the refusal rate of each model. The other seven attributes have no effect: where a group of theirs is "
        "nearer, that comes from its size or from who happens to be in it."
    ),
    n_rows=24_400,
    columns=(
        Column(name="item", kind="text", meaning="the rule of thumb, its area and number; 100 an area"),
        Column(name="area", kind="text", meaning="confessions, conflicts, advice or everyday life"),
        Column(name="source", kind="text", meaning="human or model"),
        Column(name="rater", kind="text", meaning="the person (001 to 100) or the model (01 to 11)"),
        Column(
            name="answer", kind="text",
            meaning="share of people that agree, A (almost nobody), B, C (half), D to E (almost everybody); F a "
            "refusal, by models only; empty where a person skipped the item",
        ),
        Column(name="gender", kind="text", meaning="woman or man; this and all that follows is empty for models"),
        Column(name="age", kind="text", meaning="18-29, 30-49 or 50 and over, in years"),
        Column(name="income", kind="text", meaning="under 30, 30-49, 50-74 or 75 and over, in thousands a year"),
        Column(name="education", kind="text", meaning="degree or no degree"),
        Column(name="marital_status", kind="text", meaning="never married, married, or divorced or separated"),
        Column(name="children", kind="text", meaning="yes or no"),
        Column(name="residence", kind="text", meaning="area lived in: city, suburb or countryside"),
        Column(name="social_class", kind="text", meaning="middle, working or lower"),
        Column(name="ethnicity", kind="text", meaning="group 1 to group 4, of 70, 15, 10 and 5 people"),
    ),
    source="simulated with a fixed seed; design as in the protocol of the ordinal question with five options",
    licence=LICENCE,
    simulated=True,
    design=(
        'Ratings.from_frame(data, unit="item", rater="rater", value="answer", levels=["A", "B", "C", "D", "E"], '
        'refusal="F", rater_source="source", strata="area")'
    ),
    file="social_norms.csv.gz",
)  # fmt: skip

TRAITS = {
    "tradition": "holding to what is customary",
    "progress": "wanting change for the better",
    "authority_deference": "obeying those in charge",
    "egalitarianism": "equal standing of all",
    "risk_aversion": "avoiding what could go wrong",
    "openness": "openness to what is new or different",
    "individual_responsibility": "each is responsible for oneself",
    "collective_responsibility": "all are responsible for each other",
    "moral_certainty": "right and wrong are beyond doubt",
    "nuanced_pragmatism": "weighing what works in the case",
}
SCORES = tuple(
    Column(name=trait, kind="whole number", meaning=f"{meaning}, 0 (absent) to 20 (dominant)")
    for trait, meaning in TRAITS.items()
)

STAGED_VALUES = Dataset(
    name="staged_values",
    title="Simulated judges' scores of the values that models show in staged role play",
    about=(
        f"SIMULATED by socialstats.datasets.simulate_staged_values: {NOBODY} The design is that of a study of staged "
        "values: eight models in 20 scenarios of six stages, each scored by three judges on ten traits (one column a "
        "trait) and commitment. Rows with wording 1 are the full design (2,880 rows: 20 x 6 x 3 x 8); stages 1 and 4 "
        "were also asked in wordings 2 and 3 (1,920 rows), so take wording 1 for trajectories and stages 1 and 4 for "
        "the spread over wordings. Known by construction (see staged_values_truth): each model's composite at each "
        "stage (model 04 leans to no side), the judges' offsets (they shift everybody, model 04 too; see "
        "staged_values_controls), the spread over wordings (sd 6 at stage 1, 3 at stage 4, on the composite scale), "
        "and a commitment that rises from the baseline to stage 4."
    ),
    n_rows=4_800,
    columns=(
        Column(name="scenario", kind="text", meaning="the scenario, 01 to 20"),
        Column(
            name="stage", kind="text",
            meaning="in this order: baseline (before the play), stage 1 to stage 4, debrief (out of character)",
        ),
        Column(
            name="wording", kind="whole number",
            meaning="1, the wording of the main design; 2 and 3 at stage 1 and stage 4 only",
        ),
        Column(name="judge", kind="text", meaning="the judge model, 1 to 3"),
        Column(name="model", kind="text", meaning="the model that is judged, 01 to 08"),
        *SCORES,
        Column(name="commitment", kind="whole number", meaning="0 (no stance, or refusal) to 5 (strong, with action)"),
    ),
    source="simulated with a fixed seed; design and traits as in the protocol of staged role play scored by judges",
    licence=LICENCE,
    simulated=True,
    design=(
        'Ratings.from_frame(data[data["wording"] == 1].assign(unit=lambda d: d["model"] + ", " + d["scenario"]), '
        'unit="unit", rater="judge", value="commitment", levels=[0, 1, 2, 3, 4, 5], scale="ordinal", '
        'strata="model", cluster="scenario", by="stage")'
    ),
    file="staged_values.csv.gz",
)  # fmt: skip

CONTROLS = Dataset(
    name="staged_values_controls",
    title="Simulated judges' scores of three control texts: their own zero",
    about=(
        f"SIMULATED with staged_values: {NOBODY} The three judges of staged_values score three texts of known lean: "
        "composite 50 (left), -60 (right) and 0 (balanced), to which each judge adds the judge's offset. What a judge "
        "gives to the balanced text is the judge's own zero. See staged_values_truth."
    ),
    n_rows=9,
    columns=(
        Column(name="text", kind="text", meaning="left, right or balanced"),
        Column(name="judge", kind="text", meaning="the judge model, 1 to 3"),
        *SCORES,
    ),
    source="simulated with a fixed seed; design and traits as in the protocol of staged role play scored by judges",
    licence=LICENCE,
    simulated=True,
    design='zero = data[data["text"] == "balanced"]',
    file="staged_values_controls.csv",
)

STUDIES: tuple[Dataset, ...] = (NORM_GOAL, RELATIONSHIP_BIAS, SOCIAL_NORMS, STAGED_VALUES, CONTROLS)

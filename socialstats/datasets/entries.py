"""The entries of the catalogue."""

from __future__ import annotations

from socialstats.datasets.catalogue import Column, Dataset
from socialstats.datasets.entries_studies import STUDIES
from socialstats.references import citation

FACTS = "counts and results are published facts; transcribed into this layout for socialstats"

ROLE_CONFLICT = Dataset(
    name="role_conflict",
    title="Simulated choices between two social roles under urgency",
    about=(
        "SIMULATED by socialstats.datasets.simulate_role_conflict: no language model was asked, and no role's "
        "strength is a finding about anybody. The design is that of a role-conflict study: 65 roles in five "
        "domains, 1,546 pairs that cross domains and are not of two different genders, each pair in all nine "
        "combinations of urgencies. Known by construction (see role_conflict_truth): log-strengths, 0.5 log-odds "
        "for each step of urgency, 0.3 log-odds for the role shown first, and an effect of the pair (normal, "
        "standard deviation 0.5) that makes the nine choices of a pair dependent. The order of presentation is "
        "random, exactly balanced within each combination of urgencies. The values cited depend on the domain of the "
        "chosen role alone."
    ),
    n_rows=13_914,
    columns=(
        Column(name="scenario", kind="whole number", meaning="number of the story, 1 to 13,914"),
        Column(name="role_a", kind="text", meaning="one role; which of the two is a was drawn once a pair"),
        Column(name="role_b", kind="text", meaning="the other role"),
        Column(
            name="domain_a", kind="text",
            meaning="domain of role_a: family, occupation, society, interpersonal or religion",
        ),
        Column(name="domain_b", kind="text", meaning="domain of role_b, never that of role_a"),
        Column(
            name="urgency_a", kind="whole number",
            meaning="urgency of what role_a asks for: 1 routine, 2 important but deferrable, 3 critical",
        ),
        Column(name="urgency_b", kind="whole number", meaning="urgency of what role_b asks for, 1 to 3"),
        Column(name="first", kind="text", meaning="the role shown first, as option (A)"),
        Column(name="choice", kind="text", meaning="the role that was given priority; there are no ties"),
        Column(
            name="values", kind="text",
            meaning="one or two of ten values that the choice is given for, separated by a semicolon",
        ),
    ),
    source=(
        "simulated with a fixed seed; role names and design as in the role-conflict protocol "
        "(65 roles, see role_conflict_roles)"
    ),
    licence="MIT, as socialstats",
    simulated=True,
    design=(
        'Comparisons.from_frame(data, item_a="role_a", item_b="role_b", winner="choice", order="first", '
        'covariates=["urgency", "domain"])'
    ),
    file="role_conflict.csv.gz",
)  # fmt: skip

ROLES = Dataset(
    name="role_conflict_roles",
    title="The 65 roles of role_conflict and the groups they belong to",
    about=(
        "Empty text means that the attribute does not apply to the role. Two genders are recorded because two "
        "questions use them: gender decides which roles can meet and compares men and women in all domains, "
        "gender_in_family compares the three words for one position (father, mother, parent)."
    ),
    n_rows=65,
    columns=(
        Column(name="role", kind="text", meaning="name of the role"),
        Column(
            name="domain", kind="text", meaning="family, occupation, society, interpersonal or religion"
        ),
        Column(name="gender", kind="text", meaning="male, female or empty"),
        Column(name="gender_in_family", kind="text", meaning="male, female, neutral or empty"),
        Column(name="kinship", kind="text", meaning="kin, non-kin or empty"),
        Column(name="income", kind="text", meaning="income group of an occupation: high, low or empty"),
        Column(
            name="religion", kind="text",
            meaning="christianity, islam, judaism, buddhism, hinduism or empty",
        ),
    ),
    source="list of roles of the published role-conflict study that role_conflict imitates",
    licence=FACTS,
    simulated=False,
    design='groups = dict(zip(data["role"], data["domain"], strict=True))',
    file="role_conflict_roles.csv",
)  # fmt: skip

LABELS = Dataset(
    name="role_conflict_labels",
    title="Simulated labels of role_conflict's stories: which situation is more urgent",
    about=(
        "SIMULATED by socialstats.datasets.simulate_role_conflict; no person and no model was asked. 300 stories, each "
        "labelled by three people and three judges beside the reference. Known by construction (see "
        "role_conflict_truth): a person is right 92 times in a hundred, a judge 72; errors about A or B are mostly "
        "ties."
    ),
    n_rows=2_100,
    columns=(
        Column(name="scenario", kind="whole number", meaning="number of the story in role_conflict"),
        Column(name="rater", kind="text", meaning="reference, person 1 to 3 or judge 1 to 3"),
        Column(name="kind", kind="text", meaning="reference, person or judge"),
        Column(name="label", kind="text", meaning="A: role a's situation is more urgent; Tie: neither; B: role b's"),
    ),
    source="simulated with a fixed seed; design as in the label check of the role-conflict protocol",
    licence="MIT, as socialstats",
    simulated=True,
    design=(
        'Ratings.from_frame(data, unit="scenario", rater="rater", value="label", levels=["A", "Tie", "B"], '
        'scale="ordinal")'
    ),
    file="role_conflict_labels.csv.gz",
)  # fmt: skip

CITATIONS = Dataset(
    name="journal_citations",
    title="Citations between four statistics journals",
    about=(
        "One row a pair of journals. A journal wins a comparison each time the other cites it, so wins_a counts "
        "citations of item_a by item_b. Citations of a journal by itself are left out."
    ),
    n_rows=6,
    columns=(
        Column(
            name="item_a", kind="text",
            meaning="a journal: Biometrika, Comm Statist (Communications in Statistics), JASA (Journal of the "
            "American Statistical Association) or JRSS-B (Journal of the Royal Statistical Society, Series B)",
        ),
        Column(name="item_b", kind="text", meaning="the other journal"),
        Column(name="wins_a", kind="whole number", meaning="citations of item_a by item_b"),
        Column(name="wins_b", kind="whole number", meaning="citations of item_b by item_a"),
    ),
    source=f"{citation('stigler1994')} Also in {citation('agresti2002')}",
    licence=FACTS,
    simulated=False,
    design="Comparisons.from_counts(data)",
    file="journal_citations.csv",
)  # fmt: skip

BASEBALL = Dataset(
    name="baseball",
    title="Home and away wins in the American League East, 1987 season",
    about=(
        "One row for each of the 42 ordered pairs of seven teams: item_a played at home. Order matters here: in a "
        "Bradley-Terry model the order effect is the home advantage."
    ),
    n_rows=42,
    columns=(
        Column(name="item_a", kind="text", meaning="the home team, by its city"),
        Column(name="item_b", kind="text", meaning="the visiting team"),
        Column(name="home", kind="text", meaning="the team at home, always item_a: gives the order of the design"),
        Column(name="wins_a", kind="whole number", meaning="games won by the home team"),
        Column(name="wins_b", kind="whole number", meaning="games won by the visiting team"),
    ),
    source=f"Table 10.10 of {citation('agresti2002')}",
    licence=FACTS,
    simulated=False,
    design='Comparisons.from_counts(data, order="home")',
    file="baseball.csv",
)

ICE_HOCKEY = Dataset(
    name="ice_hockey",
    title="Men's college ice hockey in the United States, season 2009-10",
    about=(
        "One row for each of 1,083 games among the 58 teams of Division I, 8 October 2009 to 20 March 2010; 125 "
        "games (11.5 %) were ties. 1,014 games were on the opponent's ice, 69 on neutral ice. For home advantage "
        "use the covariate home: its value is 0 for the visitor and home_ice for the opponent, so that games on "
        "neutral ice have none."
    ),
    n_rows=1_083,
    columns=(
        Column(name="date", kind="text", meaning="day of the game, year-month-day"),
        Column(name="visitor", kind="text", meaning="the visiting team, name as the source abbreviates it"),
        Column(name="opponent", kind="text", meaning="the other team"),
        Column(name="visitor_goals", kind="whole number", meaning="goals of the visitor"),
        Column(name="opponent_goals", kind="whole number", meaning="goals of the opponent"),
        Column(name="winner", kind="text", meaning="the team with more goals, or tie"),
        Column(name="home_ice", kind="whole number", meaning="1 if the opponent played at home, 0 on neutral ice"),
    ),
    source=(
        "game results published by College Hockey Stats; the games analysed with the BradleyTerry2 package, "
        f"{citation('turnerfirth2012')}"
    ),
    licence=FACTS,
    simulated=False,
    design=(
        'Comparisons.from_frame(data.assign(home_visitor=0), item_a="visitor", item_b="opponent", '
        'winner="winner", covariates={"home": ("home_visitor", "home_ice")})'
    ),
    file="ice_hockey.csv.gz",
)

ENTRIES: tuple[Dataset, ...] = (ROLE_CONFLICT, LABELS, ROLES, *STUDIES, CITATIONS, BASEBALL, ICE_HOCKEY)

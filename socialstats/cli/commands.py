"""The commands, by what they are for. The files of their names have their options (`parsers`), and what they do."""

from __future__ import annotations

JOBS = {
    "analyse a table": {
        "report": "write one self-contained HTML page",
        "check": "read a table and say what is in it, or what is wrong with it",
        "init": "guess a plan for a table and print it as TOML",
        "new": "write the first file of a study of your own, guessed from a table or a run",
        "run": "from the file of a study to its page: ask what is missing, tidy, report",
        "estimate": "compute one metric of a table",
        "gate": "exit with 1 unless numbers of a table meet requirements",
        "show": "read a report back: numbers, tables, figures, quotation",
    },
    "plan a study and collect its data": {
        "power": "compute power, the size of a study or the smallest effect",
        "design": "make the items of a protocol from lists of parts",
        "collect": "query language models as a run file says, and log every attempt",
        "form": "write a page, or a table, for people to answer",
    },
    "make a table of logs, or of tables": {
        "tidy": "convert a log of 'collect' to a table",
        "convert": "convert the log of a harness to a table (Inspect, HELM, ...)",
        "merge": "merge logs of 'collect' from the same questions",
        "join": "put two tables together by a checked key, or rows below rows",
    },
    "check printed numbers": {
        "validate": "recompute the numbers that a harness printed, from its own log",
        "audit": "check a paper's numbers for consistency, without its data",
    },
    "look up": {
        "studies": "list the studies and what they need",
        "datasets": "list the bundled data, or describe one",
        "cite": "how to cite socialstats, or a method",
        "explain": "print cause, effect and remedy of a caution",
    },
}
COMMANDS = {name: about for commands in JOBS.values() for name, about in commands.items()}

"""Tables of ragas: one row per sample with texts, one column per metric (``to_pandas().to_csv()``, experiments)."""

from __future__ import annotations

from socialstats.harness_logs.files import Source
from socialstats.harness_logs.log import Log
from socialstats.harness_logs.tables import NOTHING, columns_of, header, records
from socialstats.harness_logs.tabular import log_of, row, scored
from socialstats.tables import as_number

NEEDS = "a table with user_input (or question), response (or answer) and columns of metrics (ragas)"
TEXTS = (
    "user_input",
    "response",
    "reference",
    "retrieved_contexts",
    "reference_contexts",
    "rubrics",
    "question",
    "answer",
    "contexts",
    "ground_truth",
    "ground_truths",
    "multi_responses",
    "retrieved_context_ids",
    "reference_context_ids",
    "persona_name",
    "query_style",
    "query_length",
    "synthesizer_name",
    "reference_topics",
    "reference_tool_calls",
)
PAIRS = ({"user_input", "response"}, {"question", "answer", "contexts"})
METRICS = (
    "faithfulness",
    "answer_relevancy",
    "context_precision",
    "context_recall",
    "answer_correctness",
    "context_",
    "answer_",
    "semantic_similarity",
    "factual_correctness",
    "llm_context",
    "non_llm",
    "nv_",
    "noise_sensitivity",
    "rouge_score",
    "bleu_score",
    "exact_match",
    "string_present",
    "aspect_critic",
    "response_",
)
MEANS = "ragas writes no means into its table; it prints them with four decimals: name those to check with --claims"


def recognises(source: Source) -> bool:
    """Return whether this is a table of samples with a metric of ragas."""
    names = {*header(source)}
    return any(pair <= names for pair in PAIRS) and any(
        n.startswith(METRICS) for n in names - {*TEXTS}
    )


def read(source: Source) -> Log:
    """Read one row per sample and metric; ragas' NaN (no verdict of its judge) is unscored and not in means."""
    columns = columns_of(source.path)
    metrics = [
        name
        for name, values in columns.items()
        if name.strip() and name not in TEXTS and all(map(is_score, values))
    ]
    rows = [
        row(
            unit=unit,
            task="ragas",
            scorer=metric,
            score=scored(as_number(record[metric] or "")),
            metadata={name: text for name, text in record.items() if name not in metrics},
        )
        for unit, record in enumerate(records(columns), start=1)
        for metric in metrics
    ]
    return log_of(__name__, source, rows, notes=(MEANS,))


def is_score(cell: str | None) -> bool:
    """Return whether a cell is a number, or empty."""
    text = (cell or "").strip()
    return text in NOTHING or as_number(text) is not None

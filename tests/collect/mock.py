"""A model and judges for every protocol: a reply in the form that is asked for, decided by a hash of the question."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from socialstats.designs.instrument import published_instrument
from tests.collect.server import Send, says

TRAITS = published_instrument("staged-values").traits


def answer(body: dict[str, Any], _: int) -> Send:
    """Answer in the form of the protocol that the prompt belongs to."""
    text = str(body["messages"][-1]["content"])
    seed = [body["model"], body.get("seed"), text]
    draw = int.from_bytes(hashlib.sha256(json.dumps(seed).encode()).digest()[:4])
    if '"commitment"' in text:
        scores = {trait: 5 + (draw >> k) % 11 for k, trait in enumerate(TRAITS)}
        return says(json.dumps({**scores, "commitment": draw % 6}), model=body["model"])
    if '"action"' in text:
        said = json.dumps(
            {"action": ("comply", "deviate", "escalate")[draw % 3], "explanation": "So it is."}
        )
    elif "What share of people" in text:
        said = "ABCDE"[draw % 5]
    elif '"Answer"' in text:
        said = json.dumps(
            {
                "Answer": "AB"[draw % 2],
                "Reason": "r",
                "Value": ("Security", "Benevolence")[draw % 2],
            }
        )
    elif "Who is right?" in text:
        said = (
            "I cannot say."
            if draw % 5 == 0 and "Response: number" not in text
            else str(1 + draw % 2)
        )
    else:
        said = f"Thoughts: {draw}. Response: I act."
    return says(said, model=body["model"])

"""When a call is tried again, and after how long."""

from __future__ import annotations

import random
from typing import Optional

from ._errors import ApiError

#: Longer pauses are the caller's to decide on.
_LONGEST_PAUSE_SECONDS = 60.0


def may_retry(error: ApiError, is_safe_twice: bool) -> bool:
    """Whether the same call may succeed a little later.

    A provider's failure (502, 504) is not tried again: other models were tried for it already, and under one idempotency
    key its answer stays the same. Neither is a call that timed out, as its work may go on. What is not safe to run twice
    is tried again only where it was certainly not begun.
    """
    if error.retry_after is not None and error.retry_after > _LONGEST_PAUSE_SECONDS:
        return False
    if error.status == 429 or error.type == "overloaded":
        return True
    if not is_safe_twice:
        return False
    if error.type == "no_model_available":
        return error.retry_after is not None
    if error.status in (502, 504):
        # What is unreadable comes from a proxy in between.
        return error.type == "unreadable"
    return error.status in (408, 500, 503) or error.type in ("unreachable", "idempotency_in_progress")


def retry_delay(retry: int, retry_after: Optional[float], chance: Optional[float] = None) -> float:
    """Seconds before try number ``retry`` (1 is the first): what the service asks for, else longer each time."""
    chance = random.random() if chance is None else chance
    if retry_after is not None:
        return max(0.0, retry_after) + chance * 0.25
    return float(min(8.0, 0.5 * 2 ** (retry - 1))) * (0.5 + chance / 2)

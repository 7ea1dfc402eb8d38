"""Whether a call could be carried out now: what every writing call needs is asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypedDict

from cardroom.refusals import Refusal
from cardroom.services.ports import Ledger, RootInReach, StoreUnavailable
from cardroom.signing.certificate import KeysUnavailable


class Readiness(TypedDict):
    """That all was asked, and answered."""

    status: Literal["ready"]


def ready(ledger: Callable[[], Ledger], root: Callable[[], RootInReach], *, operator: str) -> Readiness:
    """Ask the store and the root key, so that an answer says that both answered just now.

    Raises StoreUnavailable or KeysUnavailable, whatever the reason that one does not answer.
    """
    try:
        ledger().head(operator, "ready")  # any read will do, of a table that may not be there
    except Refusal:
        raise
    except Exception as fault:
        raise StoreUnavailable(f"the store cannot be used: {fault}") from fault
    try:
        root().ask()
    except Refusal:
        raise
    except Exception as fault:
        raise KeysUnavailable(f"the root key cannot be used: {fault}") from fault
    return {"status": "ready"}

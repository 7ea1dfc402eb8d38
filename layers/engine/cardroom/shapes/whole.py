"""Whether a whole record is of its shape: by its kind, and by its game."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from cardroom.shapes.check import Checker, Fault, checker, fault_of
from cardroom.shapes.forms import Either, Form, form_of
from cardroom.shapes.games import AnyShapes
from cardroom.shapes.parts import OpeningT, RulesetReference
from cardroom.shapes.records import (
    CorrectedT,
    CorrectingT,
    DealCorrectedT,
    DealtT,
    LockedT,
    LockingT,
    SettledT,
    SettlingT,
    Unknown,
    WageringT,
)


def record_form(shapes: Sequence[Any], game: AnyShapes | None = None) -> Form:
    """The form of a kind of record; of a game, where the kind is one of a round. Raises KeyError."""
    given: dict[Any, Any] | None = None
    if game is not None:
        given = {
            OpeningT: game.opening,
            WageringT: game.wagering,
            LockingT: game.locking,
            SettlingT: game.settling,
            CorrectingT: game.correcting,
            DealtT: game.dealt,
            LockedT: game.locked,
            DealCorrectedT: game.deal_corrected,
            SettledT: game.settled,
            CorrectedT: game.corrected,
        }
    forms = tuple(form_of(shape, given if is_of_a_game(shapes) else None) for shape in shapes)
    return forms[0] if len(forms) == 1 else Either(forms)


def is_of_a_game(shapes: Sequence[Any]) -> bool:
    """Whether a kind of record has parts that each game shapes."""
    return any(getattr(shape, "__parameters__", ()) for shape in shapes)


_REFERENCE: Final = form_of(RulesetReference)


class RecordShapes:
    """The shapes of all records. A record of a round has those of its rule set's game.

    `game_of` knows a rule set's game by the rule set's id, None if it knows no such rule set: then the record may have
    the shape of any game of `every`. What is not asked for is not made.
    """

    def __init__(
        self,
        game_of: Callable[[str], AnyShapes | None],
        every: Callable[[], Iterable[AnyShapes]],
        records: Mapping[str, Sequence[Any]],
    ) -> None:
        self._records = records
        self._game_of = game_of
        self._every = every
        self._checkers: dict[tuple[str, AnyShapes | None], Checker] = {}

    def fault(self, payload: Any) -> Fault | None:
        """The first member of a record's payload that is unknown, missing or of another form; None if there is none.

        Of a kind that has no shape only what all records share is looked at.
        """
        kind = payload.get("kind") if isinstance(payload, dict) else None
        if not isinstance(kind, str) or kind not in self._records:
            return self._unknown(payload)
        if not is_of_a_game(self._records[kind]):
            return self._checker(kind, None)(payload)
        faults = []
        for game in self._games(payload):
            fault = self._checker(kind, game)(payload)
            if fault is None:
                return None
            faults.append(fault)
        if (fault := fault_of(_REFERENCE, payload.get("ruleset"), "ruleset")) is not None:
            return fault
        return max(faults)  # members are looked at by name, so that is the game's that it is most like

    def _games(self, payload: dict[str, Any]) -> Iterable[AnyShapes]:
        ruleset = payload.get("ruleset")
        named = ruleset.get("id") if isinstance(ruleset, dict) else None
        game = self._game_of(named) if isinstance(named, str) else None
        return self._every() if game is None else (game,)

    def _checker(self, kind: str, game: AnyShapes | None) -> Checker:
        key = kind, game
        if key not in self._checkers:
            self._checkers[key] = checker(record_form(self._records[kind], game))
        return self._checkers[key]

    @staticmethod
    def _unknown(payload: Any) -> Fault | None:
        if isinstance(payload, dict):
            for name in ("body", "request"):
                if not isinstance(payload.get(name), dict):
                    return Fault(name, "must be an object" if name in payload else "is missing")
            payload = {name: value for name, value in payload.items() if name not in ("body", "request")}
        return checker(form_of(Unknown))(payload)

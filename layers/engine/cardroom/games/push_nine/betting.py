"""The betting round: whose turn it is, what may be bet and raised, who is all-in (push-nine §5, §6, §8)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from cardroom.games.push_nine.shapes import Action
from cardroom.refusals import Refusal, at, refuse_at


class ActionOutOfTurn(Refusal):
    """An action of a seat whose turn it is not, or after the betting is over."""


class ActionNotPossible(Refusal):
    """An action that makes no sense now, such as a check where there is a bet to call."""


class BetOutsideLimits(Refusal):
    """A bet or a raise below the minimum, without being all-in, or above the maximum."""


class BetOverStack(Refusal):
    """More than the player has left."""


class RaiseTooMany(Refusal):
    """A raise after the last one that the rules allow."""


class BettingNotReopened(Refusal):
    """A raise by a player who has acted, where only an all-in below the minimum came after him."""


class BettingUnfinished(Refusal):
    """Betting that ends while a player has still to act."""


class BettingEnd(NamedTuple):
    """What each seat, and each action, added in minor units; and the seats that folded, the first one first."""

    added: Mapping[int, int]
    folded: tuple[int, ...]
    additions: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The least and the most that a bet and each raise may be, in minor units, and how many raises there may be."""

    minimum_minor: int
    maximum_minor: int
    raises: int


def bet_round(
    betting: Sequence[Action], *, order: Sequence[int], stacks: Mapping[int, int], limits: Limits
) -> BettingEnd:
    """One round of betting, checked action by action.

    `order` is that of the seats from the button on, `stacks` what each has left, in minor units. The amount of an
    action is what the seat adds to the pot with it: a raise by 200 over a call of 100 is 300. Raises ActionOutOfTurn,
    ActionNotPossible, BetOutsideLimits, BetOverStack, RaiseTooMany, BettingNotReopened, BettingUnfinished; each names
    the action at fault.

    >>> limits = Limits(minimum_minor=100, maximum_minor=300, raises=3)
    >>> bet_round(
    ...     [
    ...         {"seat": 3, "action": "bet", "amount": 300},
    ...         {"seat": 1, "action": "fold"},
    ...         {"seat": 2, "action": "call"},  # all-in: 50 is all there is
    ...     ],
    ...     order=(3, 1, 2), stacks={1: 900, 2: 50, 3: 900}, limits=limits,
    ... )
    BettingEnd(added={3: 300, 1: 0, 2: 50}, folded=(1,), additions=(300, 0, 50))
    """
    state = _Betting(order, stacks, limits)
    additions = []
    for number, action in enumerate(betting):
        before = sum(state.added.values())
        state.take(at("betting", number), action)
        additions.append(sum(state.added.values()) - before)
    state.finish(at("betting", len(betting)))
    return BettingEnd(state.added, tuple(state.folded), tuple(additions))


class _Betting:
    """A betting round as it stands between two actions."""

    def __init__(self, order: Sequence[int], stacks: Mapping[int, int], limits: Limits) -> None:
        self.order = order
        self.left = dict(stacks)
        self.limits = limits
        self.added = dict.fromkeys(order, 0)
        self.folded: list[int] = []
        self.level = 0  # what a seat must have added to stay in
        self.full_bets = 0  # the bet and the raises so far, all-ins below the minimum not counted
        self.to_act = [seat for seat in order if self.left[seat]]
        self.may_raise = set(self.to_act)

    def turn(self) -> int | None:
        """The seat that must act, None if the betting is over."""
        live = [seat for seat in self.order if seat not in self.folded]
        with_chips = [seat for seat in live if self.left[seat]]
        if len(live) == 1 or not self.to_act:
            return None
        if len(with_chips) == 1 and self.added[with_chips[0]] == self.level:
            return None  # all others are all-in, and he owes nothing
        return self.to_act[0]

    def take(self, field: str, action: Action) -> None:
        seat, kind = action["seat"], action["action"]
        turn = self.turn()
        if turn is None:
            refuse_at(ActionOutOfTurn, f"{field}.seat", f"seat {seat} cannot {kind}: the betting is over")
        if seat != turn:
            refuse_at(ActionOutOfTurn, f"{field}.seat", f"seat {seat} cannot {kind}: it is seat {turn}'s turn")
        _ACTIONS[kind](self, field, seat, action.get("amount"))

    def finish(self, field: str) -> None:
        turn = self.turn()
        if turn is not None:
            refuse_at(BettingUnfinished, field, f"seat {turn} has still to act, to call {self.due(turn)}")

    def due(self, seat: int) -> int:
        return self.level - self.added[seat]

    def check(self, field: str, seat: int, amount: int | None) -> None:
        if self.due(seat):
            refuse_at(
                ActionNotPossible, f"{field}.action", f"seat {seat} cannot check: there is {self.due(seat)} to call"
            )
        self.without_amount(field, seat, amount)
        self.acted(seat)

    def fold(self, field: str, seat: int, amount: int | None) -> None:
        self.without_amount(field, seat, amount)
        self.folded.append(seat)
        self.acted(seat)

    def call(self, field: str, seat: int, amount: int | None) -> None:
        due = min(self.due(seat), self.left[seat])
        if not due:
            refuse_at(ActionNotPossible, f"{field}.action", f"seat {seat} cannot call: there is nothing to call")
        if amount is not None:
            message = f"seat {seat} calls {amount}: must be left out, a call adds what is due, here {due}"
            refuse_at(ActionNotPossible, f"{field}.amount", message)
        self.add(seat, due)
        self.acted(seat)

    def bet(self, field: str, seat: int, amount: int | None) -> None:
        if self.level:
            refuse_at(ActionNotPossible, f"{field}.action", f"seat {seat} cannot bet: there is a bet, it may raise")
        self.raise_by(field, seat, amount, "bet")

    def raise_(self, field: str, seat: int, amount: int | None) -> None:
        if not self.level:
            refuse_at(ActionNotPossible, f"{field}.action", f"seat {seat} cannot raise: there is no bet yet")
        self.raise_by(field, seat, amount, "raise")

    def raise_by(self, field: str, seat: int, amount: int | None, kind: str) -> None:
        """A bet, which is a raise over nothing, or a raise."""
        limits, stack = self.limits, self.left[seat]
        if amount is None:
            refuse_at(ActionNotPossible, f"{field}.amount", f"seat {seat} must say what it adds to {kind}")
        if amount > stack:
            refuse_at(BetOverStack, f"{field}.amount", f"seat {seat} adds {amount}: it has {stack} left")
        by = amount - self.due(seat)
        if by <= 0:
            least = self.due(seat) + limits.minimum_minor
            refuse_at(
                ActionNotPossible, f"{field}.amount", f"seat {seat} adds {amount}: must be {least} or more to {kind}"
            )
        if seat not in self.may_raise:
            message = f"seat {seat} cannot raise: an all-in below {limits.minimum_minor} does not reopen the betting"
            refuse_at(BettingNotReopened, f"{field}.action", message)
        full = by >= limits.minimum_minor
        if full and self.full_bets > limits.raises:
            message = f"seat {seat} cannot raise: one bet and {limits.raises} raises have been made"
            refuse_at(RaiseTooMany, f"{field}.action", message)
        if by > limits.maximum_minor or (not full and amount < stack):
            bounds = f"{limits.minimum_minor} to {limits.maximum_minor}"
            refuse_at(
                BetOutsideLimits,
                f"{field}.amount",
                f"seat {seat} would {kind} {by}: must be {bounds}, or all-in for less",
            )
        self.add(seat, amount)
        self.level = self.added[seat]
        self.full_bets += full
        self.reopen(seat, full=full)

    def reopen(self, seat: int, *, full: bool) -> None:
        """All others must answer; if it was a full bet or raise they may raise again (§5)."""
        at = self.order.index(seat)
        others = [*self.order[at + 1 :], *self.order[:at]]
        self.to_act = [other for other in others if self.left[other] and other not in self.folded]
        if full:
            self.may_raise = set(self.to_act)
        self.may_raise.discard(seat)

    def add(self, seat: int, amount: int) -> None:
        self.left[seat] -= amount
        self.added[seat] += amount

    def acted(self, seat: int) -> None:
        self.to_act.remove(seat)
        self.may_raise.discard(seat)

    def without_amount(self, field: str, seat: int, amount: int | None) -> None:
        if amount is not None:
            refuse_at(ActionNotPossible, f"{field}.amount", f"seat {seat} adds nothing: must be left out")


_ACTIONS: Final = {
    "check": _Betting.check,
    "bet": _Betting.bet,
    "raise": _Betting.raise_,
    "call": _Betting.call,
    "fold": _Betting.fold,
}

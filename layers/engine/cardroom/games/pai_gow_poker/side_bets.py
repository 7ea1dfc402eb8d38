"""What side bets are worth once the hands are known: lines, contests with the banker, meters and envy (§10)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple, assert_never

from cardroom.cards import Card
from cardroom.games.pai_gow_poker.rules import SHEET, BonusCards, BonusContest, MaximumPayout, SideBet
from cardroom.hands import BonusRank
from cardroom.money import HOUSE
from cardroom.table import Outcome, Verdict, Wager

ENVY_RULE: Final = f"{SHEET} §10.5"
_BONUS_RULE: Final = f"{SHEET} §10.3"


class SetHand(NamedTuple):
    """A hand as it plays: two cards in front, five behind; `forfeits` if it was fouled where that loses (§3.2).

    `first_three` are the first cards dealt to it, in whatever way they were set (§10.7).
    """

    front: tuple[Card, ...]
    back: tuple[Card, ...]
    forfeits: bool = False
    first_three: tuple[Card, ...] = ()


class Judgement(NamedTuple):
    """What the cards make of a wager, and why; the verdicts are those of a main wager, the line a side bet's."""

    outcome: Outcome
    reason: str
    rule: str
    front: Verdict | None = None
    back: Verdict | None = None
    line: str | None = None


class Worth(NamedTuple):
    """What a hand's side bets of one kind are worth: the judgement, what a win pays to one, its bank and its caps.

    A win of `meter_bps` pays that share of the bet's meter instead.
    """

    judgement: Judgement
    pays: int
    meter_bps: int
    by_house: bool
    caps: tuple[str, ...]


class EnvyPaid(NamedTuple):
    """What a side bet gets for another player's hand (§10.5)."""

    wager_id: str
    bettor: str
    seat: int
    line: str
    paid_minor: int


# In CPython 3.11 reading a member of an enumeration calls a function; these are read for every hand.
_TABLE: Final = BonusContest.TABLE
_POSTED: Final = MaximumPayout.POSTED
_SEVEN: Final = BonusCards.SEVEN
_FIRST_THREE: Final = BonusCards.FIRST_THREE
_NO_LINE: Final = Judgement(Outcome.LOSE, "no_line", _BONUS_RULE)


class Bonuses:
    """The side bets of a round; a hand's bonus is ranked once, the banker's when a contest first needs it.

    `maximum_payout_minor` is what the table has posted, if it has; `caps` are what the caps allow.
    """

    def __init__(
        self,
        side_bets: Mapping[str, SideBet],
        banker: SetHand,
        *,
        maximum_payout_minor: int | None = None,
    ) -> None:
        self._side_bets = side_bets
        self._banker = banker
        self._maximum_payout = maximum_payout_minor
        self._of_banker: dict[str, BonusRank] = {}
        self.caps: dict[str, int] = {}

    def of_hand(self, kind: str, seat: int, hand: SetHand) -> Worth:
        """§10.3: a line wins, against a banker who must be beaten only if it is above his; without one nothing does."""
        bet = self._side_bets[kind]
        rank = _rank(bet, hand)
        by_table = bet.contest is _TABLE
        meter_bps = 0
        if rank.line is None:
            judgement = _NO_LINE
        elif not by_table and rank.value <= self._bankers(kind, bet).value:
            judgement = Judgement(Outcome.LOSE, "line_not_above_banker", _BONUS_RULE, line=rank.line.value)
        elif bet.meter_bps and rank.line.value in bet.meter_bps:
            judgement = Judgement(Outcome.WIN, "line_pays_from_meter", f"{SHEET} §10.8", line=rank.line.value)
            meter_bps = bet.meter_bps[rank.line.value]
        elif not rank.pays:
            judgement = Judgement(Outcome.PUSH, "line_pushes", f"{SHEET} §10.1", line=rank.line.value)
        else:
            reason = "line_pays" if by_table else "line_beats_banker"
            judgement = Judgement(Outcome.WIN, reason, _BONUS_RULE, line=rank.line.value)
        return Worth(judgement, rank.pays, meter_bps, by_table, self._caps(kind, seat, bet))

    def _bankers(self, kind: str, bet: SideBet) -> BonusRank:
        if kind not in self._of_banker:
            self._of_banker[kind] = _rank(bet, self._banker)
        return self._of_banker[kind]

    def _caps(self, kind: str, seat: int, bet: SideBet) -> tuple[str, ...]:
        caps = {}
        if bet.cap_per_spot_minor is not None:
            caps[f"spot_cap/{kind}/{seat}"] = bet.cap_per_spot_minor
        if self._maximum_payout is not None and bet.maximum_payout is _POSTED:
            caps["maximum_payout"] = self._maximum_payout
        self.caps |= caps
        return tuple(caps)


def _rank(bet: SideBet, hand: SetHand) -> BonusRank:
    cards = bet.cards
    if cards is _SEVEN:
        return bet.pay_table.rank(hand.front + hand.back)
    if cards is _FIRST_THREE:
        return bet.pay_table.rank(hand.first_three)
    assert_never(cards)


def envy_paid(
    side_bets: Mapping[str, SideBet], hands: Sequence[tuple[SetHand, Sequence[Wager]]]
) -> tuple[EnvyPaid, ...]:
    """What the house pays side bets for other players' hands, by hand in settling order, then by bet (§10.5).

    A hand is another's unless the bettor has a wager on it; the banker's and the house's count for nobody.
    """
    paid = []
    for kind, bet in side_bets.items():
        envy = bet.envy
        if envy is None:
            continue
        envious = [w for _, on in hands for w in on if w.kind == kind and w.amount_minor >= envy.minimum_minor]
        for hand, on in hands:
            line = _rank(bet, hand).line
            amount = 0 if line is None else envy.pays_minor.get(line.value, 0)
            own = {wager.bettor for wager in on}
            if line is not None and amount and HOUSE not in own:
                paid += [
                    EnvyPaid(wager.wager_id, wager.bettor, on[0].seat, line.value, amount)
                    for wager in envious
                    if wager.bettor not in own
                ]
    return tuple(paid)

"""A round's bets, read once from the requests of its opening and its deal, and what the rules refuse about them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from cardroom.banked.cover import Coverage, check_full_cover
from cardroom.banked.rules import BankRules
from cardroom.money import HOUSE, MAX_MINOR
from cardroom.refusals import FieldFault, Refusal, listed, refuse, refuse_at
from cardroom.seats import BettorReserved, SeatUnknown, bettors_of
from cardroom.shapes import banked
from cardroom.shapes.handed import BankedRound, BankerT
from cardroom.shapes.parts import Fees, FreeCollection
from cardroom.table import (
    BettorNotSeated,
    CircleTaken,
    Wager,
    WagerKindNotOffered,
    by_id,
    check_wager_ids,
)


class WagerMissing(Refusal):
    """No wager: there is nothing to deal for."""


class CircleUnknown(Refusal):
    """A circle that the table's places do not have."""


class BankerWagers(Refusal):
    """The banker wagers on a hand, or someone wagers on the banker's."""


class BackLineBySeated(Refusal):
    """A back-line wager by the seated player on his own hand."""


class BackLineWithoutSeated(Refusal):
    """A back-line wager on a hand on which the seated player does not wager."""


class WagerOutsideLimits(Refusal):
    """A wager below the table's minimum or above its maximum."""


class BankerWagerMissing(Refusal):
    """A banking player without a wager."""


class BankerWagerBelowMinimum(Refusal):
    """A banker's wager below the table's or the rules' minimum."""


class BankerWagerNotWanted(Refusal):
    """A banker's wager where the house banks without one."""


class StakesTooLarge(Refusal):
    """Money that could move in the round is more than an amount can say."""


class Bets(NamedTuple):
    """Who sits where, who banks, what is wagered on which hand; amounts are in minor units.

    `wagers` are in order of their ids, `free_collections` those that a wager asks to use, by its id, and
    `banker_free_collection` the one that the banker asks to use. `bettors` are by seat; where the house has a hand of
    its own in the round, it sits at its place. `banker` is its bettor, or the house, whose `banker_wager` is None: it
    banks without a limit. `fees` are the posted schedules.
    """

    rules: BankRules
    wagers: tuple[Wager, ...]
    free_collections: Mapping[str, FreeCollection]
    bettors: Mapping[int, str]
    house_plays: bool
    banker: str
    banker_seat: int
    banker_wager: int | None
    banker_free_collection: FreeCollection | None
    minimum: int
    maximum: int
    fees: Fees

    @classmethod
    def read(
        cls,
        rules: BankRules,
        opening: BankedRound[BankerT],
        wagering: banked.BankedWagering,
        *,
        house_plays: bool = False,
    ) -> Bets:
        """The bets of a round; `house_plays` if the house has a hand of its own, on which it may wager."""
        banker: banked.Banker | Literal["house"] = opening["banker"]
        limits = opening.get("limits", {})
        bettors = bettors_of(opening)
        if house_plays:
            bettors[house_place(rules)] = HOUSE
        if banker != HOUSE and bettors.get(banker["seat"]) != banker["bettor"]:
            # He banks away from his own place, where no hand is dealt then.
            away = {banker["seat"], *(seat for seat, bettor in bettors.items() if bettor == banker["bettor"])}
            bettors = {seat: bettor for seat, bettor in bettors.items() if seat not in away}
            bettors = dict(sorted([*bettors.items(), (banker["seat"], banker["bettor"])]))
        return cls(
            rules=rules,
            wagers=tuple(
                [
                    Wager(w["wager_id"], w["seat"], w["bettor"], w["circle"], w.get("placed"), w["kind"], w["amount"])
                    for w in by_id(wagering)
                ]
            ),
            free_collections={
                wager["wager_id"]: wager["free_collection"]
                for wager in wagering.get("wagers", [])
                if wager.get("free_collection") is not None
            },
            bettors=bettors,
            house_plays=house_plays,
            banker=HOUSE if banker == HOUSE else banker["bettor"],
            banker_seat=house_place(rules) if banker == HOUSE else banker["seat"],
            banker_wager=wagering.get("banker_wager"),
            banker_free_collection=wagering.get("banker_free_collection"),
            minimum=limits.get("minimum", 1),
            maximum=limits.get("maximum", MAX_MINOR),
            fees=opening.get("fees", {}),
        )

    @property
    def house_banks(self) -> bool:
        """Whether the house banks."""
        return self.banker == HOUSE

    @property
    def riding(self) -> Sequence[Wager]:
        """The wagers that ride on a hand itself: all but the side bets."""
        side_kinds = self.rules.side_kinds
        return [wager for wager in self.wagers if wager.kind not in side_kinds] if side_kinds else self.wagers

    def by_seat(self, turn: Callable[[Wager], Any] | None = None) -> dict[int, list[Wager]]:
        """The wagers that ride on each hand, by seat in ascending order, in their settling order.

        That is by circle, then as the rules list their kinds, unless a game says what gives a wager its `turn`.
        """
        kinds = self.rules.kinds
        hands: dict[int, list[Wager]] = {}
        for wager in sorted(
            self.riding,
            key=lambda w: (w.seat, w.circle, kinds.index(w.kind)) if turn is None else (w.seat, turn(w)),
        ):
            hands.setdefault(wager.seat, []).append(wager)
        return hands

    def side_by_seat(self) -> dict[int, list[Wager]]:
        """The side bets on each hand, in order of their ids."""
        hands: dict[int, list[Wager]] = {}
        for wager in self.wagers:
            if wager.kind in self.rules.side_kinds:
                hands.setdefault(wager.seat, []).append(wager)
        return hands

    def plus(self, wager: Wager) -> Bets:
        """The bets with one that came after the deal."""
        return self._replace(wagers=(*self.wagers, wager))


def house_place(rules: BankRules) -> int:
    """The house's own place, where it has one."""
    if rules.house_seat is None:
        raise ValueError("a house that may bank has a place")
    return rules.house_seat


def the_say(hands: Mapping[int, Sequence[Wager]]) -> list[banked.Say]:
    """Which wager decides how each hand is set: the seated player's, else the first behind him (§3.3)."""
    return [
        {"seat": seat, "wager_id": hand[0].wager_id, "bettor": hand[0].bettor} for seat, hand in sorted(hands.items())
    ]


# What is refused


def check_wagers(bets: Bets) -> None:
    """Refuse wagers that the rules do not allow (§6.1, §8.0)."""
    check_wager_ids(bets.wagers)
    if not bets.riding:
        main = " main" if bets.rules.side_kinds else ""
        refuse_at(WagerMissing, "wagers", f"must have at least one{main} wager")
    for kind, faults in (
        (WagerKindNotOffered, _strange_kinds),
        (BettorReserved, _of_house),
        (SeatUnknown, _unknown_seats),
        (CircleUnknown, _unknown_circles),
        (BankerWagers, _banker_wagers),
        (BettorNotSeated, _not_seated),
        (BackLineBySeated, _back_line_by_seated),
        (CircleTaken, _taken_circles),
        (BackLineWithoutSeated, _back_line_alone),
        (WagerOutsideLimits, _outside_limits),
    ):
        refuse(kind, faults(bets))


def _strange_kinds(bets: Bets) -> Iterator[FieldFault]:
    rules = bets.rules
    for wager in bets.wagers:
        if wager.kind not in rules.kinds:
            yield FieldFault(wager.at("kind"), f"{rules.ruleset_id} offers {listed(rules.kinds)}, not {wager.kind}")


def _of_house(bets: Bets) -> Iterator[FieldFault]:
    for wager in bets.wagers:
        if wager.bettor == HOUSE and not bets.house_plays:
            yield FieldFault(wager.at("bettor"), "the house never wagers")


def _unknown_seats(bets: Bets) -> Iterator[FieldFault]:
    for wager in bets.wagers:
        if wager.seat not in bets.bettors:
            message = f"nobody plays at seat {wager.seat}: must be one of {listed(bets.bettors)}"
            yield FieldFault(wager.at("seat"), message)


def _unknown_circles(bets: Bets) -> Iterator[FieldFault]:
    circles = bets.rules.circles
    for wager in bets.wagers:
        if wager.circle < 1 or (circles is not None and wager.circle > circles):
            offered = "at least 1" if circles is None else f"1 to {circles}"
            yield FieldFault(wager.at("circle"), f"must be {offered}, not {wager.circle}")


def _banker_wagers(bets: Bets) -> Iterator[FieldFault]:
    for wager in bets.wagers:
        if wager.bettor == bets.banker:
            yield FieldFault(wager.at("bettor"), f"{wager.bettor} banks and wagers on no hand")
        elif wager.seat == bets.banker_seat:
            yield FieldFault(wager.at("seat"), f"seat {wager.seat} is the banker's: nobody wagers on it")


def _not_seated(bets: Bets) -> Iterator[FieldFault]:
    for wager in bets.wagers:
        seated = bets.bettors[wager.seat]
        if wager.circle == 1 and wager.bettor != seated:
            yield FieldFault(wager.at("bettor"), f"circle 1 of seat {wager.seat} is {seated}'s, not {wager.bettor}'s")
        elif wager.circle > 1 and wager.bettor == HOUSE:
            yield FieldFault(wager.at("bettor"), "the house wagers on circle 1 of its own place only")


def _back_line_by_seated(bets: Bets) -> Iterator[FieldFault]:
    for wager in bets.wagers:
        if bets.rules.back_line_others_only and wager.circle > 1 and wager.bettor == bets.bettors[wager.seat]:
            message = f"circle {wager.circle} is for others than the player at seat {wager.seat}"
            yield FieldFault(wager.at("bettor"), message)


def _taken_circles(bets: Bets) -> Iterator[FieldFault]:
    taken: dict[tuple[int, int, str], Wager] = {}
    for wager in bets.wagers:
        first = taken.setdefault((wager.seat, wager.circle, wager.kind), wager)
        if first is not wager:
            message = f"circle {wager.circle} of seat {wager.seat} has the {wager.kind} wager {first.wager_id} already"
            yield FieldFault(wager.at("circle"), message)


def _back_line_alone(bets: Bets) -> Iterator[FieldFault]:
    seated = {wager.seat for wager in bets.riding if wager.circle == 1}
    for wager in bets.riding:
        if bets.rules.back_line_needs_seated and wager.seat not in seated:
            message = f"circle {wager.circle} needs a wager on circle 1 of seat {wager.seat}"
            yield FieldFault(wager.at("circle"), message)


def _outside_limits(bets: Bets) -> Iterator[FieldFault]:
    for wager in bets.riding:
        if not bets.minimum <= wager.amount_minor <= bets.maximum:
            message = f"must be {bets.minimum} to {bets.maximum}, not {wager.amount_minor}"
            yield FieldFault(wager.at("amount"), message)


def check_banker_wager(bets: Bets) -> None:
    """Refuse a banker's wager that is missing, below the minimum, or too small under full coverage (§6.2, §8.1)."""
    wager = bets.banker_wager
    if bets.house_banks:
        if wager is not None:
            refuse_at(BankerWagerNotWanted, "banker_wager", "must be left out: the house banks without a limit")
        return
    if wager is None:
        refuse_at(BankerWagerMissing, "banker_wager", "must be given: a player banks")
    minimum = max(bets.rules.banker_minimum_minor, bets.minimum, 1)
    if wager < minimum:
        refuse_at(BankerWagerBelowMinimum, "banker_wager", f"must be at least {minimum}, not {wager}")
    check_cover(bets)


def check_cover(bets: Bets) -> None:
    """Refuse wagers that the banker's does not cover, where it must in full; raises WagersExceedBanker (§6.2)."""
    if bets.rules.coverage is Coverage.FULL and bets.banker_wager is not None:
        check_full_cover(bets.riding, bets.banker_wager)


def check_amounts(
    bets: Bets,
    fees: Sequence[banked.WagerFee | banked.BankerFee],
    *,
    odds: Mapping[str, int] | None = None,
    besides: int = 0,
) -> None:
    """Refuse a round in which more money could move than an amount can say.

    `odds` are what side bets pay at most, by kind, and `besides` what else may be paid.
    """
    most = besides + (bets.banker_wager or 0) + sum(fee["amount"] for fee in fees)
    most += sum(w.amount_minor * (1 + (odds or {}).get(w.kind, 0)) for w in bets.wagers)
    if most > MAX_MINOR:
        refuse_at(StakesTooLarge, "wagers", f"up to {most} could move in this round: must be at most {MAX_MINOR}")

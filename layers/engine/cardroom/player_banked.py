"""Opening, wagers, fees and results of a game in which a player (or the house) banks and others wager on hands.

A game says which kinds of wagers a hand takes and what the cards make of them; what is here does not look at cards
but to read them from a physical table. Requests and bodies are those of the records. A request with faults of several
kinds is refused for the first kind in the order of the checks here, naming every fault of that kind. Sections are
those of the pai gow poker sheet, whose §6 to §8 hold for all player-banked games.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, NamedTuple

from cardroom import banking
from cardroom.banking import (
    Banked,
    Claim,
    Coverage,
    FeeBand,
    FeeBandMissing,
    Move,
    check_full_cover,
    fee_bands,
    fee_for,
)
from cardroom.cards import Card, CardDuplicate, format_card, parse_card
from cardroom.documents import Reader
from cardroom.game import Source, Told
from cardroom.money import HOUSE, MAX_MINOR, Commission, Posting, Rounding, Why, account_of, net_by_account
from cardroom.refusals import FieldFault, Refusal
from cardroom.table import Outcome, Wager, check_fields

Json = dict[str, Any]

MAX_SEATS: Final = 20
NO_COMMISSION: Final = Commission(rate_bps=0, increment_minor=1, rounding=Rounding.HALF_UP)
_OPENING_FIELDS: Final = frozenset(
    {"table_id", "ruleset", "currency", "seats", "banker", "limits", "fees", "source", "shoe_id", "draw_id"}
)


class SeatUnknown(Refusal):
    """A seat that the table does not have, or that nobody plays at."""


class SeatDuplicate(Refusal):
    """A seat that is named twice."""


class BettorReserved(Refusal):
    """A bettor under the house's name takes a seat or wagers."""


class BankerMissing(Refusal):
    """A round without a banker where a player must bank."""


class BankerNotSeated(Refusal):
    """The banker is not the bettor at that seat."""


class HouseCannotBank(Refusal):
    """The house would bank where the rules let only players bank."""


class BankerTurnOver(Refusal):
    """The banker has had his turns, and the others have not all passed."""


class LimitsInvalid(Refusal):
    """The table's minimum is above its maximum."""


class FeesNotAllowed(Refusal):
    """A fee schedule where the rules let the house take no such fee."""


class WagerDuplicate(Refusal):
    """Two wagers with one id."""


class WagerMissing(Refusal):
    """No wager: there is nothing to deal for."""


class WagerKindNotOffered(Refusal):
    """A wager of a kind that the rules do not offer."""


class CircleUnknown(Refusal):
    """A circle that the table's places do not have."""


class BankerWagers(Refusal):
    """The banker wagers on a hand, or someone wagers on the banker's."""


class BettorNotSeated(Refusal):
    """A wager on circle 1 by another bettor than the one at the seat, or one of the house's away from its place."""


class BackLineBySeated(Refusal):
    """A back-line wager by the seated player on his own hand."""


class CircleTaken(Refusal):
    """Two wagers of one kind on one circle."""


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


class FreeCollectionWithoutFee(Refusal):
    """A free collection for a wager that pays no fee."""


class FreeCollectionUnknown(Refusal):
    """A free collection that the table's last settled hand did not earn: one of another table or an earlier hand."""


class FreeCollectionOfAnother(Refusal):
    """A free collection that another bettor earned."""


class FreeCollectionUsedTwice(Refusal):
    """A free collection for two wagers."""


_COLLECTION_REFUSALS: Final = (
    FreeCollectionWithoutFee,
    FreeCollectionUnknown,
    FreeCollectionOfAnother,
    FreeCollectionUsedTwice,
)


class DrawMissing(Refusal):
    """A physical table without the dice or the number that drew the action hand."""


class DiceInvalid(Refusal):
    """Not three dice of 1 to 6."""


class ShuffleInputNotWanted(Refusal):
    """A cut or a client seed at a physical table, where the service shuffles nothing."""


class HandsNotWanted(Refusal):
    """Cards named in a request of a round that the service deals."""


class HandsMissing(Refusal):
    """A physical table's deal without the cards of every hand that plays."""


class HandSizeWrong(Refusal):
    """A hand with more or fewer cards than the game deals."""


class CardNotInDeck(Refusal):
    """A card that the deck or shoe does not have."""


class SeatSetTwice(Refusal):
    """A seat whose hand is set twice."""


class SeatWithoutWager(Refusal):
    """A set for a seat that neither has a wager nor banks."""


class SeatNotSet(Refusal):
    """A hand that plays is not set."""


class CardNotDealt(Refusal):
    """A hand set with a card that was not dealt to the seat, or with one twice."""


class SetNotOffered(Refusal):
    """A way to set a hand that the game does not have."""


class FeesFrom(StrEnum):
    """What fees may be posted on: the wagers, the banker's wager (§7.1)."""

    WAGER = "wager"
    BANKER = "banker"


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRules:
    """How a player-banked table is run; every decision that a room could take otherwise is a field.

    `kinds` are the wagers of a hand in settling order; the one of kind `fee_kind` pays the hand's fee. Those of
    `side_kinds` are side bets: limits and full coverage are not about them.
    """

    ruleset_id: str
    kinds: tuple[str, ...]
    fee_kind: str
    seats: int
    circles: int | None  # on each hand; None: any number (§6.1)
    back_line_needs_seated: bool  # §8.0
    back_line_others_only: bool  # §8.0
    coverage: Coverage  # §6.2
    banker_turns: int | None  # rounds in a row; None: no limit (§8.2)
    banker_minimum_minor: int  # besides the table's minimum (§8.1)
    fees_from: tuple[FeesFrom, ...]  # §7.1
    earns: frozenset[Outcome]  # what earns a free collection: no action at all, and where a room says so a push (§6.4)
    side_kinds: tuple[str, ...] = ()  # §10
    house_seat: int | None = None  # the house's own place, after the players' (§1.3)
    house_bank: bool = False  # §8.0

    @classmethod
    def read(
        cls,
        read: Reader,
        *,
        kinds: tuple[str, ...],
        fee_kind: str,
        max_seats: int,
        side_kinds: tuple[str, ...] = (),
        house_seat: int | None = None,
        house_bank: bool = False,
    ) -> TableRules:
        """The part of a rule set's document that says how its table is run; the reader notes what is wrong."""
        return cls(
            ruleset_id=read.text("id"),
            kinds=kinds,
            fee_kind=fee_kind,
            side_kinds=side_kinds,
            house_seat=house_seat,
            house_bank=house_bank,
            seats=read.integer("seats", 2, max_seats),
            circles=read.integer("circles", 0, 1_000) or None,
            back_line_needs_seated=read.flag("back_line_needs_seated"),
            back_line_others_only=read.flag("back_line_others_only"),
            coverage=read.one_of("coverage", Coverage),
            banker_turns=read.integer("banker_turns", 0, 1_000) or None,
            banker_minimum_minor=read.integer("banker_minimum_minor", 0, MAX_MINOR),
            fees_from=read.some_of("fees_from", FeesFrom, at_least=0),
            earns=frozenset({Outcome.NO_ACTION} if read.flag("free_collection") else ()),
        )

    @property
    def places(self) -> tuple[int, ...]:
        """The seats of the table, clockwise."""
        return tuple(range(1, self.seats + 1))


def refuse(kind: type[Refusal], faults: Sequence[FieldFault]) -> None:
    """Raise the refusal if there are faults; its message tells the first."""
    if faults:
        raise kind(f"{faults[0].field}: {faults[0].message}", *faults)


# Opening


def check_open(
    rules: TableRules, opening: Json, table: Json, *, also: Collection[str] = (), also_banker: Collection[str] = ()
) -> None:
    """Refuse a round that the rules do not allow at the table as it stands (§7.1, §8.0 to §8.2).

    `also` and `also_banker` are what the game takes besides in an opening and in its banker.
    """
    check_fields(opening, {*_OPENING_FIELDS, *also}, what=rules.ruleset_id)
    seats = opening["seats"]
    known = f"must be 1 to {rules.seats}"
    refuse(SeatUnknown, [FieldFault(f"seats[{s['seat']}]", known) for s in seats if not 1 <= s["seat"] <= rules.seats])
    twice = [seat for seat, times in Counter(s["seat"] for s in seats).items() if times > 1]
    refuse(SeatDuplicate, [FieldFault(f"seats[{seat}]", "must be named once") for seat in twice])
    reserved = [s["seat"] for s in seats if s["bettor"] == HOUSE]
    refuse(BettorReserved, [FieldFault(f"seats[{s}].bettor", "must not be the house's name") for s in reserved])
    _check_banker(rules, opening, table, also_banker)
    limits = opening.get("limits", {})
    if limits.get("minimum", 0) > limits.get("maximum", MAX_MINOR):
        message = f"must not be below the minimum, {limits['minimum']}"
        refuse(LimitsInvalid, [FieldFault("limits.maximum", message)])
    fees = opening.get("fees", {})
    allowed = " and ".join(rules.fees_from) or "none"
    message = f"must be left out: {rules.ruleset_id} has fees from: {allowed}"
    refuse(FeesNotAllowed, [FieldFault(f"fees.{name}", message) for name in fees if name not in rules.fees_from])
    for name in fees:
        fee_bands(fees[name], f"fees.{name}")


def _check_banker(rules: TableRules, opening: Json, table: Json, also: Collection[str]) -> None:
    banker: Any = opening.get("banker")
    if banker is None:
        house = ", or the house" if rules.house_bank else ""
        refuse(BankerMissing, [FieldFault("banker", f"must be given: a seated player banks{house}")])
    if banker == HOUSE:
        if not rules.house_bank:
            message = f"must be a seated player: the house never banks under {rules.ruleset_id}"
            refuse(HouseCannotBank, [FieldFault("banker", message)])
        return
    check_fields(banker, {"seat", "bettor", "others_passed", *also}, what=rules.ruleset_id, path="banker.")
    if not any(s["seat"] == banker["seat"] and s["bettor"] == banker["bettor"] for s in opening["seats"]):
        message = f"seat {banker['seat']} is not {banker['bettor']}'s: the banker must be seated"
        refuse(BankerNotSeated, [FieldFault("banker", message)])
    last, most = table["banker"], rules.banker_turns
    if last is None or most is None or banker.get("others_passed", False):
        return
    if banker["bettor"] == last["bettor"] and last["turns"] >= most:
        message = f"{banker['bettor']} has banked {last['turns']} of at most {most} in a row; another must bank"
        refuse(BankerTurnOver, [FieldFault("banker", f"{message}, or others_passed be true")])


def banker_seat(rules: TableRules, opening: Json) -> int:
    """The place of the banker; the house banks from its own."""
    seat: int | None = rules.house_seat if opening["banker"] == HOUSE else opening["banker"]["seat"]
    if seat is None:
        raise ValueError("a house that may bank has a place")
    return seat


def banker_name(opening: Json) -> str:
    """The bettor who banks, or the house."""
    name: str = HOUSE if opening["banker"] == HOUSE else opening["banker"]["bettor"]
    return name


# Wagers


def wagers_of(wagering: Json) -> tuple[Wager, ...]:
    """The wagers of a deal's request, in order of their ids."""
    wagers = (
        Wager(w["wager_id"], w["seat"], w["bettor"], w["circle"], w.get("placed"), w["kind"], w["amount"])
        for w in wagering.get("wagers", [])
    )
    return tuple(sorted(wagers, key=lambda wager: wager.wager_id))


def by_seat(rules: TableRules, wagers: Sequence[Wager]) -> dict[int, list[Wager]]:
    """The wagers on each hand in settling order: by circle, then as the rules list their kinds."""
    hands: dict[int, list[Wager]] = {}
    for wager in sorted(wagers, key=lambda w: (w.seat, w.circle, rules.kinds.index(w.kind))):
        hands.setdefault(wager.seat, []).append(wager)
    return hands


def riding(rules: TableRules, wagers: Sequence[Wager]) -> list[Wager]:
    """The wagers that ride on a hand itself: all but the side bets."""
    return [wager for wager in wagers if wager.kind not in rules.side_kinds] if rules.side_kinds else list(wagers)


def check_wagers(rules: TableRules, opening: Json, wagers: Sequence[Wager], *, house_at: int | None = None) -> None:
    """Refuse wagers that the rules do not allow (§6.1, §8.0).

    `house_at` is the place where the house may wager in this round, if it has one.
    """
    twice = [wager_id for wager_id, times in Counter(w.wager_id for w in wagers).items() if times > 1]
    refuse(WagerDuplicate, [FieldFault(f"wagers[{wager_id}]", "must come once") for wager_id in twice])
    on_hands = riding(rules, wagers)
    if not on_hands:
        main = " main" if rules.side_kinds else ""
        refuse(WagerMissing, [FieldFault("wagers", f"must have at least one{main} wager")])
    bettors = {seat["seat"]: seat["bettor"] for seat in opening["seats"]}
    if house_at is not None:
        bettors[house_at] = HOUSE
    house = [w for w in wagers if w.bettor == HOUSE and house_at is None]
    for kind, found in (
        (WagerKindNotOffered, _strange_kinds(rules, wagers)),
        (BettorReserved, [FieldFault(_at(w, "bettor"), "the house never wagers") for w in house]),
        (SeatUnknown, _unknown_seats(bettors, wagers)),
        (CircleUnknown, _unknown_circles(rules, wagers)),
        (BankerWagers, _banker_wagers(banker_name(opening), banker_seat(rules, opening), wagers)),
        (BettorNotSeated, _not_seated(bettors, wagers)),
        (BackLineBySeated, _back_line_by_seated(rules, bettors, wagers)),
        (CircleTaken, _taken_circles(wagers)),
        (BackLineWithoutSeated, _back_line_alone(rules, on_hands)),
        (WagerOutsideLimits, _outside_limits(opening, on_hands)),
    ):
        refuse(kind, list(found))


def _at(wager: Wager, field: str) -> str:
    return f"wagers[{wager.wager_id}].{field}"


def _list(items: Collection[object]) -> str:
    return ", ".join(str(item) for item in items)


def _strange_kinds(rules: TableRules, wagers: Sequence[Wager]) -> Iterator[FieldFault]:
    for wager in wagers:
        if wager.kind not in rules.kinds:
            message = f"{rules.ruleset_id} offers {_list(rules.kinds)}, not {wager.kind}"
            yield FieldFault(_at(wager, "kind"), message)


def _unknown_seats(bettors: Mapping[int, str], wagers: Sequence[Wager]) -> Iterator[FieldFault]:
    for wager in wagers:
        if wager.seat not in bettors:
            yield FieldFault(_at(wager, "seat"), f"nobody plays at seat {wager.seat}: must be one of {_list(bettors)}")


def _unknown_circles(rules: TableRules, wagers: Sequence[Wager]) -> Iterator[FieldFault]:
    for wager in wagers:
        if wager.circle < 1 or (rules.circles is not None and wager.circle > rules.circles):
            offered = "at least 1" if rules.circles is None else f"1 to {rules.circles}"
            yield FieldFault(_at(wager, "circle"), f"must be {offered}, not {wager.circle}")


def _banker_wagers(bettor: str, seat: int, wagers: Sequence[Wager]) -> Iterator[FieldFault]:
    for wager in wagers:
        if wager.bettor == bettor:
            yield FieldFault(_at(wager, "bettor"), f"{bettor} banks and wagers on no hand")
        elif wager.seat == seat:
            yield FieldFault(_at(wager, "seat"), f"seat {seat} is the banker's: nobody wagers on it")


def _not_seated(bettors: Mapping[int, str], wagers: Sequence[Wager]) -> Iterator[FieldFault]:
    for wager in wagers:
        if wager.circle == 1 and wager.bettor != bettors[wager.seat]:
            message = f"circle 1 of seat {wager.seat} is {bettors[wager.seat]}'s, not {wager.bettor}'s"
            yield FieldFault(_at(wager, "bettor"), message)
        elif wager.circle > 1 and wager.bettor == HOUSE:
            yield FieldFault(_at(wager, "bettor"), "the house wagers on circle 1 of its own place only")


def _back_line_by_seated(
    rules: TableRules, bettors: Mapping[int, str], wagers: Sequence[Wager]
) -> Iterator[FieldFault]:
    for wager in wagers:
        if rules.back_line_others_only and wager.circle > 1 and wager.bettor == bettors[wager.seat]:
            message = f"circle {wager.circle} is for others than the player at seat {wager.seat}"
            yield FieldFault(_at(wager, "bettor"), message)


def _taken_circles(wagers: Sequence[Wager]) -> Iterator[FieldFault]:
    taken: dict[tuple[int, int, str], Wager] = {}
    for wager in wagers:
        first = taken.setdefault((wager.seat, wager.circle, wager.kind), wager)
        if first is not wager:
            message = f"circle {wager.circle} of seat {wager.seat} has the {wager.kind} wager {first.wager_id} already"
            yield FieldFault(_at(wager, "circle"), message)


def _back_line_alone(rules: TableRules, wagers: Sequence[Wager]) -> Iterator[FieldFault]:
    seated = {wager.seat for wager in wagers if wager.circle == 1}
    for wager in wagers:
        if rules.back_line_needs_seated and wager.seat not in seated:
            message = f"circle {wager.circle} needs a wager on circle 1 of seat {wager.seat}"
            yield FieldFault(_at(wager, "circle"), message)


def _outside_limits(opening: Json, wagers: Sequence[Wager]) -> Iterator[FieldFault]:
    limits = opening.get("limits", {})
    low, high = limits.get("minimum", 1), limits.get("maximum", MAX_MINOR)
    for wager in wagers:
        if not low <= wager.amount_minor <= high:
            yield FieldFault(_at(wager, "amount"), f"must be {low} to {high}, not {wager.amount_minor}")


def check_banker_wager(rules: TableRules, opening: Json, wagering: Json, wagers: Sequence[Wager]) -> None:
    """Refuse a banker's wager that is missing, below the minimum, or too small under full coverage (§6.2, §8.1)."""
    wager: Any = wagering.get("banker_wager")
    if opening["banker"] == HOUSE:
        if wager is not None:
            message = "must be left out: the house banks without a limit"
            refuse(BankerWagerNotWanted, [FieldFault("banker_wager", message)])
        return
    if wager is None:
        refuse(BankerWagerMissing, [FieldFault("banker_wager", "must be given: a player banks")])
    minimum = max(rules.banker_minimum_minor, opening.get("limits", {}).get("minimum", 1), 1)
    if wager < minimum:
        refuse(BankerWagerBelowMinimum, [FieldFault("banker_wager", f"must be at least {minimum}, not {wager}")])
    if rules.coverage is Coverage.FULL:
        check_full_cover(riding(rules, wagers), wager)


def check_amounts(
    wagering: Json,
    wagers: Sequence[Wager],
    fees: Sequence[Json],
    *,
    odds: Mapping[str, int] | None = None,
    besides: int = 0,
) -> None:
    """Refuse a round in which more money could move than an amount can say.

    `odds` are what side bets pay at most, by kind, and `besides` what else may be paid.
    """
    most = besides + wagering.get("banker_wager", 0) + sum(fee["amount"] for fee in fees)
    most += sum(w.amount_minor * (1 + (odds or {}).get(w.kind, 0)) for w in wagers)
    if most > MAX_MINOR:
        message = f"up to {most} could move in this round: must be at most {MAX_MINOR}"
        refuse(StakesTooLarge, [FieldFault("wagers", message)])


def the_say(hands: Mapping[int, Sequence[Wager]]) -> list[Json]:
    """Which wager decides how each hand is set: the seated player's, else the first behind him (§3.3)."""
    return [
        {"seat": seat, "wager_id": hand[0].wager_id, "bettor": hand[0].bettor} for seat, hand in sorted(hands.items())
    ]


# Dice, and the cards of a physical table


def three_dice(wagering: Json, source: Source) -> tuple[Sequence[int], str]:
    """The dice that place the action, and where they come from: the request or the round's seed (§1.4)."""
    if "dice" not in wagering:
        if isinstance(source, Told):
            message = "a physical table must tell the dice"
            raise DrawMissing(f"dice: {message}", FieldFault("dice", message))
        return source.luck.dice(), "seed"
    return check_dice(wagering["dice"]), "request"


def check_dice(dice: Sequence[int]) -> Sequence[int]:
    """Refuse anything but three dice."""
    if len(dice) != 3 or not all(1 <= die <= 6 for die in dice):
        refuse(DiceInvalid, [FieldFault("dice", f"must be three of 1 to 6, not {_list(dice)}")])
    return dice


def check_source(wagering: Json, source: Source) -> None:
    """Refuse what only a physical table, or only a shuffle of ours, can bring."""
    if isinstance(source, Told):
        message = "must be left out: the cards of a physical table are not shuffled here"
        unwanted = [name for name in ("client_seed", "cut") if name in wagering]
        refuse(ShuffleInputNotWanted, [FieldFault(name, message) for name in unwanted])
    elif "hands" in wagering:
        refuse(HandsNotWanted, [FieldFault("hands", "must be left out: the service deals this round")])


def read_hands(
    wagering: Json, *, playing: Collection[int], size: int, deck: Sequence[Card], also: Collection[int] = ()
) -> dict[int, tuple[Card, ...]]:
    """The hands read from a physical table, by seat: those that play, and none but those of `also` besides."""
    given = wagering.get("hands", [])
    twice = [seat for seat, times in Counter(h["seat"] for h in given).items() if times > 1]
    refuse(SeatDuplicate, [FieldFault(f"hands[{seat}]", "must come once") for seat in twice])
    dealt = sorted({*playing, *also})
    idle = f"no hand is dealt to this seat: must be one of {_list(dealt)}"
    refuse(SeatUnknown, [FieldFault(f"hands[{h['seat']}]", idle) for h in given if h["seat"] not in dealt])
    missing = sorted(set(playing) - {h["seat"] for h in given})
    refuse(HandsMissing, [FieldFault(f"hands[{seat}]", "must be given: this hand plays") for seat in missing])
    hands = {h["seat"]: tuple(map(parse_card, h["cards"])) for h in sorted(given, key=lambda h: h["seat"])}
    sizes = [(seat, len(cards)) for seat, cards in hands.items() if len(cards) != size]
    refuse(HandSizeWrong, [FieldFault(f"hands[{seat}].cards", f"must be {size} cards, not {n}") for seat, n in sizes])
    check_cards({f"hands[{seat}].cards": cards for seat, cards in hands.items()}, deck)
    return hands


def check_cards(cards: Mapping[str, Sequence[Card]], deck: Sequence[Card]) -> None:
    """Refuse cards (by the field that names them) that the deck does not have, or not so often."""
    holds = Counter(deck)
    for field, some in cards.items():
        strange = [format_card(card) for card in some if card not in holds]
        refuse(CardNotInDeck, [FieldFault(field, f"{name} is not among the cards in use") for name in strange])
    used = Counter(card for some in cards.values() for card in some)
    for card, times in used.items():
        if times > holds[card]:
            name, most = format_card(card), "once" if holds[card] == 1 else f"{holds[card]} times"
            faults = [FieldFault(field, f"{name} must come {most} at most") for field, c in cards.items() if card in c]
            raise CardDuplicate(f"{name} comes {times} times; it may come {most}", *faults)


# Fees


def fees_of(rules: TableRules, opening: Json, wagering: Json, wagers: Sequence[Wager], table: Json) -> list[Json]:
    """The fees of the round, by wager in order of their ids, then the banker's (§7)."""
    posted = opening.get("fees", {})
    collections = _free_collections(rules, wagering, table, has_fees=FeesFrom.WAGER in posted)
    fees: list[Json] = []
    if FeesFrom.WAGER in posted:
        bands = fee_bands(posted["wager"], "fees.wager")
        paying = [wager for wager in wagers if wager.kind == rules.fee_kind and wager.bettor != HOUSE]
        amounts = {wager.wager_id: fee_for(wager.amount_minor, bands) for wager in paying}
        no_band = [w for w in paying if amounts[w.wager_id] is None]
        refuse(FeeBandMissing, [FieldFault(_at(w, "amount"), _no_band(w.amount_minor)) for w in no_band])
        for wager in paying:
            fee: Json = {"wager_id": wager.wager_id, "bettor": wager.bettor, "amount": amounts[wager.wager_id]}
            if wager.wager_id in collections:
                fee["free_collection"] = collections[wager.wager_id]
            fees.append(fee)
    if FeesFrom.BANKER in posted and opening["banker"] != HOUSE:
        bands = fee_bands(posted["banker"], "fees.banker")
        fees.append({"banker": True, "bettor": opening["banker"]["bettor"], "amount": _banker_fee(wagering, bands)})
    return fees


def _banker_fee(wagering: Json, bands: Sequence[FeeBand]) -> int:
    amount = fee_for(wagering["banker_wager"], bands)
    if amount is None:
        message = _no_band(wagering["banker_wager"])
        raise FeeBandMissing(f"banker_wager: {message}", FieldFault("banker_wager", message))
    return amount


def _no_band(amount: int) -> str:
    return f"must lie in a band of the posted fees; {amount} is in none"


def _free_collections(rules: TableRules, wagering: Json, table: Json, *, has_fees: bool) -> dict[str, Json]:
    """The free collection that each wager uses; refuses each misuse by its own name (§6.4)."""
    owners = {(held["round_id"], held["wager_id"]): held["bettor"] for held in table["free_collections"]}
    used: dict[str, Json] = {}
    seen = set()
    faults: dict[type[Refusal], list[FieldFault]] = {kind: [] for kind in _COLLECTION_REFUSALS}
    for wager in sorted(wagering.get("wagers", []), key=lambda wager: wager["wager_id"]):
        named = wager.get("free_collection")
        if named is None:
            continue
        key = (named["round_id"], named["wager_id"])
        field = f"wagers[{wager['wager_id']}].free_collection"
        if wager["kind"] != rules.fee_kind:
            message = f"must be left out: a wager of kind {wager['kind']} pays no fee"
            faults[FreeCollectionWithoutFee].append(FieldFault(field, message))
        elif not has_fees:
            message = "must be left out: no fee is posted for wagers"
            faults[FreeCollectionWithoutFee].append(FieldFault(field, message))
        elif key not in owners:
            message = f"the table's last round gave none for wager {key[1]} of round {key[0]}"
            faults[FreeCollectionUnknown].append(FieldFault(field, message))
        elif owners[key] != wager["bettor"]:
            message = f"it is {owners[key]}'s, not {wager['bettor']}'s"
            faults[FreeCollectionOfAnother].append(FieldFault(field, message))
        elif key in seen:
            faults[FreeCollectionUsedTwice].append(FieldFault(field, "must be used once"))
        seen.add(key)
        used[wager["wager_id"]] = named
    for kind, found in faults.items():
        refuse(kind, found)
    return used


def fee_postings(fees: Sequence[Json]) -> list[Json]:
    """The postings of the fees that are paid."""
    return [
        Posting(account_of(fee["bettor"]), HOUSE, fee["amount"], Why.FEE, fee.get("wager_id")).to_json()
        for fee in fees
        if fee["amount"] and "free_collection" not in fee
    ]


def returned(wagering: Json, dealt_body: Json) -> Json:
    """What a void after the deal gives back: every wager, and every fee that was paid (§7.2, §11)."""
    fees = [posting for posting in dealt_body["postings"] if posting["why"] == Why.FEE]
    return {
        "returned": [{"wager_id": w.wager_id, "amount": w.amount_minor} for w in wagers_of(wagering)],
        "postings": [
            Posting(p["to"], p["from"], p["amount"], Why.FEE_RETURNED, p.get("wager_id")).to_json() for p in fees
        ],
    }


# Settlement


def chosen_sets(
    request: Json, *, needed: Collection[int], also: Collection[int] = (), offered: Mapping[str, Collection[str]]
) -> dict[int, Json]:
    """The sets of a request by seat; `offered` are the ways to set a hand with the fields that each has.

    Raises SeatSetTwice, SeatWithoutWager, SeatNotSet, SetNotOffered, FieldNotUsed.
    """
    asked = request.get("sets", [])
    twice = [seat for seat, times in Counter(s["seat"] for s in asked).items() if times > 1]
    refuse(SeatSetTwice, [FieldFault(f"sets[{seat}]", "must come once") for seat in twice])
    chosen = {s["seat"]: s for s in sorted(asked, key=lambda s: s["seat"])}
    idle = "no hand plays at this seat: it has no wager and does not bank"
    strangers = chosen.keys() - set(needed) - set(also)
    refuse(SeatWithoutWager, [FieldFault(f"sets[{seat}]", idle) for seat in sorted(strangers)])
    unset = sorted(set(needed) - chosen.keys())
    refuse(SeatNotSet, [FieldFault(f"sets[{seat}]", "must be given: this hand plays") for seat in unset])
    ways = f"must be one of {_list(offered)}"
    strange = [seat for seat, s in chosen.items() if s["how"] not in offered]
    refuse(SetNotOffered, [FieldFault(f"sets[{seat}].how", ways) for seat in strange])
    for seat, asked_set in chosen.items():
        fields = {"seat", "how", *offered[asked_set["how"]]}
        check_fields(asked_set, fields, what=f"a set of how {asked_set['how']}", path=f"sets[{seat}].")
    return chosen


class Judged(NamedTuple):
    """A claim, why the cards make it so, the rule that says so, and what else its result tells."""

    claim: Claim
    reason: str
    rule: str
    more: Mapping[str, Any] = {}


def settled(
    rules: TableRules,
    opening: Json,
    wagering: Json,
    judged: Sequence[Judged],
    *,
    cover_rule: str,
) -> Json:
    """The `banker`, `results`, `postings` and `net` of a settled round (§6.2 to §6.5).

    `cover_rule` is where the game's sheet says how far the banker's wager reaches.
    """
    claims = [each.claim for each in judged]
    banked = banking.settle(claims, coverage=rules.coverage, banker_wager_minor=wagering["banker_wager"])
    postings, _, _ = banking.postings_of(
        claims, banked, banker_account=account_of(banker_name(opening)), commission=NO_COMMISSION
    )
    return {
        "banker": banker_of(rules, opening, wagering, banked, commission=0),
        "results": list(_results(judged, banked, cover_rule=cover_rule, earns=rules.earns)),
        "postings": [posting.to_json() for posting in postings],
        "net": [{"account": account, "amount": amount} for account, amount in net_by_account(postings).items()],
    }


def banker_of(rules: TableRules, opening: Json, wagering: Json, banked: Banked, *, commission: int) -> Json:
    """The `banker` of a settled body; the house has no wager."""
    wager = {} if opening["banker"] == HOUSE else {"wager": wagering["banker_wager"]}
    return {
        "seat": banker_seat(rules, opening),
        **wager,
        "coverage": rules.coverage.value,
        "used": banked.used_minor,
        "net": banked.net_minor,
        "commission": commission,
    }


def result_of(wager: Wager, move: Move, *, commission: int, reason: str, rule: str) -> Json:
    """What a settled body tells of every wager, whatever the game."""
    return {
        "wager_id": wager.wager_id,
        "seat": wager.seat,
        "bettor": wager.bettor,
        "circle": wager.circle,
        "kind": wager.kind,
        "amount": wager.amount_minor,
        "result": move.outcome.value,
        "paid": move.paid_minor,
        "collected": move.collected_minor,
        "returned": move.returned_minor,
        "commission": commission,
        "reason": reason,
        "rule": rule,
    }


def _results(
    judged: Sequence[Judged], banked: Banked, *, cover_rule: str, earns: Collection[Outcome]
) -> Iterator[Json]:
    for each, move in zip(judged, banked.moves, strict=True):
        wager = each.claim.wager
        reason, rule = each.reason, each.rule
        if move.outcome is Outcome.NO_ACTION:
            reason, rule = "no_action", cover_rule
        elif move.cut is not None:
            reason, rule = f"{reason}_up_to_cover", cover_rule
        result = {**result_of(wager, move, commission=0, reason=reason, rule=rule), **each.more}
        if move.outcome in earns:
            result["free_collection"] = True
        yield result


def after_settle(_rules: Any, opening: Json, body: Json, round_id: str, table: Json) -> Json:
    """The banker's turns and the free collections that a settled round leaves at its table (§6.4, §8.2).

    A turn is rounds in a row by one bettor; when all others passed, a new one begins. The collections of the round
    before lapse, used or not.
    """
    banker, last = opening["banker"], table["banker"]
    turns = None
    if banker != HOUSE:
        again = last is not None and last["bettor"] == banker["bettor"] and not banker.get("others_passed", False)
        turns = {"bettor": banker["bettor"], "turns": last["turns"] + 1 if again else 1}
    earned = [
        {"round_id": round_id, "wager_id": result["wager_id"], "bettor": result["bettor"]}
        for result in body["results"]
        if result.get("free_collection", False)
    ]
    return {"banker": turns, "free_collections": sorted(earned, key=lambda held: held["wager_id"])}

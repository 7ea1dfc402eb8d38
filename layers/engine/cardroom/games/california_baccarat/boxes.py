"""The boxes that hands are put in, and what goes wrong with them (california-baccarat §5, §6, §7)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum
from typing import Final, Literal, NamedTuple

from cardroom.banked import sets
from cardroom.cards import Card, format_cards, parse_card
from cardroom.games.california_baccarat import shapes
from cardroom.games.california_baccarat.deal import check_misdeal
from cardroom.games.california_baccarat.rules import HAND_SIZE, SHEET, BaccaratRules, Box, DrawRule
from cardroom.games.california_baccarat.shapes import BoxSet, Kept, Locking, Opening, Settling, WrongHand
from cardroom.hands.baccarat import total, value
from cardroom.refusals import FieldFault, Refusal, at, refuse
from cardroom.shapes.banked import DicedWagering
from cardroom.shapes.parts import HouseWaySet
from cardroom.table import check_fields, members_of

_WAYS: Final[Mapping[str, Sequence[str]]] = {"box": ("box",), "house_way": ()}
_LOCKING_FIELDS: Final = members_of(Locking)


class BoxNotAllowed(Refusal):
    """A hand in a box that the draw rules forbid it, and that is not told to be misplayed."""


class MisplayInvalid(Refusal):
    """A misplay that is none: of an unknown kind, of no hand, told twice, or that the hand does not bear out."""


class Misplay(StrEnum):
    """What went wrong with a hand, as `misplayed: [{seat, how}]` tells it (§6)."""

    WRONG_NUMBER = "wrong_number"  # (a) too many draw cards or none, which its player let happen
    CHANGED_BOX = "changed_box"  # (b) moved to another box before the banker's hand was opened
    BY_HOUSE = "by_house"  # (c) a house-way hand misplayed by the house, its draw cards put right since
    BY_PLAYER = "by_player"  # (d) put by the player into the box that it must not be in


_BEFORE_OPENING: Final = (Misplay.CHANGED_BOX, Misplay.BY_PLAYER)  # what is told before the banker's hand opens


class Told(NamedTuple):
    """What is told of the hands, by seat: their cards as dealt, how they were set, and their misplays."""

    dealt: Mapping[int, tuple[Card, ...]]
    chosen: Mapping[int, BoxSet | HouseWaySet]
    misplays: Mapping[int, Misplay]

    @property
    def wrong(self) -> list[int]:
        """The players' hands of a wrong number of cards."""
        return [seat for seat, how in sorted(self.misplays.items()) if how is Misplay.WRONG_NUMBER]

    def set_of(self, seat: int) -> BoxSet | HouseWaySet:
        """How a hand was set; by the house way where that was not told."""
        return self.chosen.get(seat, {"seat": seat, "how": "house_way"})


class BoxedHand(NamedTuple):
    """A hand in the box that it is played in.

    `dealt` is the value of its two cards, `drawn` the draw card if it took one, `worth` the value with that; `left` is
    the box that it was moved from.
    """

    cards: tuple[Card, ...]
    how: Literal["box", "house_way"]
    box: Box
    rule: str
    dealt: int
    misplay: Misplay | None
    worth: int
    drawn: Card | None = None
    left: Box | None = None

    def with_draw(self, card: Card) -> BoxedHand:
        """The hand with its draw card."""
        return self._replace(drawn=card, worth=value((*self.cards, card)))


def lock(
    rules: BaccaratRules, opening: Opening, _wagering: DicedWagering, dealt_body: Kept, request: Locking
) -> list[shapes.BoxedHand | WrongHand]:
    """The players' hands as they are locked in their boxes (§5, §6); the draw cards come with the settlement.

    Raises what `settle` does about them.
    """
    check_fields(request, _LOCKING_FIELDS, what=rules.ruleset_id)
    banker = opening["banker"]["seat"]
    told = told_of(rules, dealt_body, request, banker, locking=True)
    boxed = {seat: boxed_json(seat, hand) for seat, hand in boxed_of(rules, told, banker).items()}
    wrong = {seat: wrong_json(seat, told, ()) for seat in told.wrong}
    return [one for _, one in sorted((boxed | wrong).items())]


def joined(locked: Locking, settling: Settling) -> Settling:
    """The request of a settlement as if it had brought all; what goes wrong in the open comes before it (§6).

    Raises HandLocked, MisplayInvalid.
    """
    before, now = locked.get("misplayed", []), settling.get("misplayed", [])
    late = [item["seat"] for item in now if item["how"] in _BEFORE_OPENING]
    message = "must come with the sets: the banker's hand is opened"
    refuse(MisplayInvalid, [FieldFault(at("misplayed", seat), message) for seat in late])
    whole: Settling = sets.joined(locked, settling)
    if before or now:
        whole["misplayed"] = sorted([*before, *now], key=lambda item: item["seat"])
    return whole


def boxed_json(seat: int, hand: BoxedHand) -> shapes.BoxedHand:
    """A hand in its box as a body tells it, before the draw cards."""
    locked: shapes.BoxedHand = {
        "seat": seat,
        "how": hand.how,
        "box": hand.box.value,
        "cards": format_cards(hand.cards),
        "dealt_total": total(hand.dealt),
        "rule": hand.rule,
    }
    if hand.misplay is not None:
        locked["misplay"] = hand.misplay.value
    if hand.left is not None:
        locked["left"] = hand.left.value
    return locked


def wrong_json(seat: int, told: Told, drawn: Sequence[Card]) -> WrongHand:
    """A hand of a wrong number of cards as a body tells it."""
    shown: WrongHand = {
        "seat": seat,
        "cards": format_cards((*told.dealt[seat], *drawn)),
        "misplay": "wrong_number",
        "rule": f"{SHEET} §6",
    }
    chosen = told.chosen.get(seat)
    if chosen is not None:
        shown["how"] = chosen["how"]
        if chosen["how"] == "box":
            shown["box"] = chosen["box"]
    return shown


def told_of(rules: BaccaratRules, dealt_body: Kept, request: Locking, banker: int, *, locking: bool) -> Told:
    """What the deal and the request tell of the hands; refuses misplays that cannot be, and misdeals (§6, §7).

    A hand of a wrong number of cards at the deal is in no box, though one may be told. `locking` leaves the banker's
    hand out.
    """
    players = dealt_body["action_order"]
    also = [] if locking else [banker]
    dealt = {
        hand["seat"]: tuple(map(parse_card, hand["cards"]))
        for hand in dealt_body["hands"]
        if hand["seat"] in (*players, *also)
    }
    wrong = [seat for seat in players if len(dealt[seat]) != HAND_SIZE]
    needed = [seat for seat in players if seat not in wrong]
    chosen = sets.chosen_sets(
        request.get("sets", []), needed=needed, also=[*also, *wrong], offered=_WAYS, banker=banker
    )
    misplays = _misplays(request, chosen, players, banker, wrong, locking=locking)
    told = Told(dealt, chosen, {**misplays, **dict.fromkeys(wrong, Misplay.WRONG_NUMBER)})
    said = {seat: (at("misplayed", seat), "this hand has a wrong number of cards") for seat in told.wrong}
    check_misdeal(rules, said, banker)
    return told


def boxed_of(rules: BaccaratRules, told: Told, banker: int) -> dict[int, BoxedHand]:
    """How each hand is played, before the draw cards; refuses boxes and misplays that cannot be (§5, §6)."""
    dealt = told.dealt
    hands: dict[int, BoxedHand] = {}
    forbidden: list[FieldFault] = []
    unborne: list[FieldFault] = []
    for seat in sorted(dealt.keys() - told.wrong):
        asked, misplay, worth = told.set_of(seat), told.misplays.get(seat), value(dealt[seat])
        draws = rules.banker if seat == banker else rules.player
        if asked["how"] == "house_way" or misplay is Misplay.CHANGED_BOX:
            rule = f"{SHEET} §6" if misplay is Misplay.CHANGED_BOX else house_rule(draws, worth)
            hand = BoxedHand(dealt[seat], asked["how"], draws.house_way(worth), rule, worth, misplay, worth)
            hands[seat] = hand if asked["how"] == "house_way" else hand._replace(left=Box(asked["box"]))
            continue
        box, allowed = asked["box"], draws.allowed(worth)
        if box not in allowed and misplay is not Misplay.BY_PLAYER:
            forbidden.append(FieldFault(at("sets", seat, "box"), _must_be(worth, allowed, seat == banker)))
        elif box in allowed and misplay is Misplay.BY_PLAYER:
            message = f"a hand of {total(worth)} may be in the {box} box: that is no misplay"
            unborne.append(FieldFault(at("misplayed", seat), message))
        else:
            rule = f"{SHEET} §6" if misplay is Misplay.BY_PLAYER else f"{SHEET} §5"
            hands[seat] = BoxedHand(dealt[seat], "box", Box(box), rule, worth, misplay, worth)
    refuse(BoxNotAllowed, forbidden)
    refuse(MisplayInvalid, unborne)
    return hands


def house_rule(draws: DrawRule, worth: int) -> str:
    """Where the sheet says what the house way does: the draw table, or the choice that is left by it."""
    return f"{SHEET} §5" if len(draws.allowed(worth)) == 1 else f"{SHEET} §11"


def _must_be(worth: int, allowed: Sequence[Box], is_banker: bool) -> str:
    message = f"must be {' or '.join(allowed)} on {total(worth)}"
    return message if is_banker else f"{message}, or the hand be told as misplayed {Misplay.BY_PLAYER.value}"


def _misplays(
    request: Locking,
    chosen: Mapping[int, BoxSet | HouseWaySet],
    players: Sequence[int],
    banker: int,
    wrong: Collection[int],
    *,
    locking: bool,
) -> dict[int, Misplay]:
    """The misplays that a request tells, by seat; `wrong` are misdealt hands. Raises MisplayInvalid (§6)."""
    told = sorted(request.get("misplayed", []), key=lambda item: item["seat"])
    times = Counter(item["seat"] for item in told)
    faults = []
    for item in told:
        seat, how = item["seat"], item["how"]
        is_house_way = seat not in chosen or chosen[seat]["how"] == "house_way"
        message = ""
        if how not in set(Misplay):
            message = f"must be one of {', '.join(Misplay)}"
        elif seat not in (*players, banker):
            message = "no hand plays at this seat"
        elif times[seat] > 1:
            message = "must come once"
        elif locking and how not in _BEFORE_OPENING:
            message = f"must be one of {', '.join(_BEFORE_OPENING)}, or come with the settlement"
        elif seat in wrong:
            message = "must be left out: the deal tells that this hand has a wrong number of cards"
        elif how == Misplay.WRONG_NUMBER:
            pass  # which may come with any set, and is a misdeal where it is the banker's
        elif seat == banker and how != Misplay.BY_HOUSE:
            message = f"the banker's hand can be misplayed {Misplay.BY_HOUSE.value} only"
        elif how == Misplay.BY_HOUSE and not is_house_way:
            message = "the house does not play this hand: it is not set by the house way"
        elif how == Misplay.BY_PLAYER and is_house_way:
            message = "the player does not play this hand: it is set by the house way"
        if message:
            faults.append(FieldFault(at("misplayed", seat), message))
    refuse(MisplayInvalid, faults)
    return {item["seat"]: Misplay(item["how"]) for item in told}

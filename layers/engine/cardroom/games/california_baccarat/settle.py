"""Boxes, draw cards, misplays, and each hand against the banker's (california-baccarat §5, §6, §8, §9)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from enum import StrEnum
from typing import Final, Literal, NamedTuple

from cardroom.banked import settlement
from cardroom.banked.bets import Bets
from cardroom.banked.cover import Claim
from cardroom.banked.sets import chosen_sets
from cardroom.banked.settlement import Judged, settled
from cardroom.cards import Card, format_card, format_cards, parse_card
from cardroom.game import FromShoe, Source
from cardroom.games.california_baccarat.deal import check_misdeal, shoe_after
from cardroom.games.california_baccarat.rules import HAND_SIZE, SHEET, BaccaratRules, Box, DrawRule
from cardroom.games.california_baccarat.shapes import (
    BoxSet,
    Deal,
    FromTheShoe,
    Opening,
    SetHand,
    Setting,
    Settlement,
    Settling,
    WrongHand,
)
from cardroom.hands.baccarat import NATURAL, total, value
from cardroom.physical import check_cards, check_hand
from cardroom.refusals import FieldFault, Refusal, at, refuse, refuse_at
from cardroom.shapes.banked import DicedWagering
from cardroom.shapes.handed import TableChange
from cardroom.shapes.parts import HouseWaySet, TableState
from cardroom.table import Outcome, Verdict, check_fields, compare, members_of

_WAYS: Final[Mapping[str, Sequence[str]]] = {"box": ("box",), "house_way": ()}
_SETTLING_FIELDS: Final = members_of(Settling)
_WRONG: Final = (Outcome.LOSE, "wrong_number_of_cards", f"{SHEET} §6")
_OR_WRONG: Final = ", or the hand be told as misplayed wrong_number"
_COVER_RULE: Final = f"{SHEET} §9"


class BoxNotAllowed(Refusal):
    """A hand in a box that the draw rules forbid it, and that is not told to be misplayed."""


class MisplayInvalid(Refusal):
    """A misplay that is none: of an unknown kind, of no hand, told twice, or that the hand does not bear out."""


class DrawnCardMissing(Refusal):
    """A physical table's settlement without the draw card of a hand in the hit box."""


class DrawnCardNotWanted(Refusal):
    """A draw card for a hand that stands, a second one, or one where the service deals from its own shoe."""


class Misplay(StrEnum):
    """What went wrong with a hand, as `misplayed: [{seat, how}]` tells it (§6)."""

    WRONG_NUMBER = "wrong_number"  # (a) too many draw cards or none, which its player let happen
    CHANGED_BOX = "changed_box"  # (b) moved to another box before the banker's hand was opened
    BY_HOUSE = "by_house"  # (c) a house-way hand misplayed by the house, its draw cards put right since
    BY_PLAYER = "by_player"  # (d) put by the player into the box that it must not be in


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


def judge(player: int, banker: int, misplay: Misplay | None = None) -> tuple[Outcome, str, str]:
    """What becomes of a wager on a hand of this value, a natural 9 being NATURAL: outcome, reason, rule (§6, §8).

    >>> judge(9, NATURAL)[:2], judge(NATURAL, 9)[:2], judge(NATURAL, NATURAL)[:2]
    ((<Outcome.LOSE: 'lose'>, 'banker_natural'), (<Outcome.WIN: 'win'>, 'natural'), (<Outcome.PUSH: 'push'>, 'equal'))
    """
    if misplay is Misplay.BY_PLAYER:
        return Outcome.LOSE, "misplayed", f"{SHEET} §6"
    verdict = compare(player, banker)
    if verdict is Verdict.COPY:
        return Outcome.PUSH, "equal", f"{SHEET} §8"
    if verdict is Verdict.HIGHER:
        return Outcome.WIN, "natural" if player == NATURAL else "higher", f"{SHEET} §8"
    return Outcome.LOSE, "banker_natural" if banker == NATURAL else "lower", f"{SHEET} §8"


def settle(
    rules: BaccaratRules, opening: Opening, wagering: DicedWagering, dealt_body: Deal, request: Settling, source: Source
) -> Settlement:
    """The body of the settlement of a dealt round (§5, §6, §8, §9); the banker's box may be left to the house way.

    Raises SeatSetTwice, SeatWithoutWager, SeatNotSet, SetNotOffered, FieldNotUsed, MisplayInvalid, Misdealt,
    BoxNotAllowed, DrawnCardMissing, DrawnCardNotWanted.
    """
    check_fields(request, _SETTLING_FIELDS, what=rules.ruleset_id)
    bets = Bets.read(rules.bank, opening, wagering)
    banker, order = bets.banker_seat, dealt_body["action_order"]
    told = _told(rules, dealt_body, request, banker)
    hands = _boxed(rules, told, banker)
    hitting = [seat for seat in (*order, banker) if seat in hands and hands[seat].box is Box.HIT]
    spent: FromTheShoe = {}
    drawn: Mapping[int, tuple[Card, ...]]
    if isinstance(source, FromShoe):
        _refuse_told_cards(request, told)
        drawn = {seat: (card,) for seat, card in zip(hitting, source.next(len(hitting)), strict=True)}
        spent["shoe"] = source.spent(len(hitting))
    else:
        drawn = _read_draws(rules, request, hitting, told)
    hands |= {seat: hands[seat].with_draw(*drawn[seat]) for seat in hitting}
    on_hands = bets.by_seat()
    against = hands[banker].worth
    judged = []
    for seat in order:
        outcome, reason, rule = _WRONG
        if seat in hands:
            outcome, reason, rule = judge(hands[seat].worth, against, hands[seat].misplay)
        judged += [Judged(Claim(wager, outcome, wager.amount_minor), reason, rule) for wager in on_hands[seat]]
    sets = {seat: _shown(seat, hand) for seat, hand in hands.items()}
    wrong = {seat: _shown_wrong(seat, told, drawn.get(seat, ())) for seat in told.wrong}
    return {
        "sets": [one for _, one in sorted((sets | wrong).items())],
        **spent,
        **settled(bets, judged, cover_rule=_COVER_RULE),
    }


def _shown(seat: int, hand: BoxedHand) -> SetHand:
    shown: SetHand = {
        "seat": seat,
        "how": hand.how,
        "box": hand.box.value,
        "cards": format_cards(hand.cards),
        "dealt_total": total(hand.dealt),
        "total": total(hand.worth),
        "natural": hand.worth == NATURAL,
        "rule": hand.rule,
    }
    if hand.drawn is not None:
        shown["drawn"] = format_card(hand.drawn)
    if hand.misplay is not None:
        shown["misplay"] = hand.misplay.value
    if hand.left is not None:
        shown["left"] = hand.left.value
    return shown


def _shown_wrong(seat: int, told: Told, drawn: Sequence[Card]) -> WrongHand:
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


# Boxes


def _told(rules: BaccaratRules, dealt_body: Deal, request: Settling, banker: int) -> Told:
    """What the deal and the request tell of the hands; refuses misplays that cannot be, and misdeals (§6, §7).

    A hand of a wrong number of cards at the deal is in no box, though one may be told.
    """
    players = dealt_body["action_order"]
    dealt = {hand["seat"]: tuple(map(parse_card, hand["cards"])) for hand in dealt_body["hands"]}
    wrong = [seat for seat in players if len(dealt[seat]) != HAND_SIZE]
    needed = [seat for seat in players if seat not in wrong]
    chosen = chosen_sets(request.get("sets", []), needed=needed, also=[banker, *wrong], offered=_WAYS)
    misplays = _misplays(request, chosen, players, banker, wrong)
    told = Told(dealt, chosen, {**misplays, **dict.fromkeys(wrong, Misplay.WRONG_NUMBER)})
    said = {seat: (at("misplayed", seat), "this hand has a wrong number of cards") for seat in told.wrong}
    check_misdeal(rules, said, banker)
    return told


def _boxed(rules: BaccaratRules, told: Told, banker: int) -> dict[int, BoxedHand]:
    """How each hand is played, before the draw cards; refuses boxes and misplays that cannot be (§5, §6)."""
    dealt = told.dealt
    hands: dict[int, BoxedHand] = {}
    forbidden: list[FieldFault] = []
    unborne: list[FieldFault] = []
    for seat in sorted(dealt.keys() - told.wrong):
        asked, misplay, worth = told.set_of(seat), told.misplays.get(seat), value(dealt[seat])
        draws = rules.banker if seat == banker else rules.player
        if asked["how"] == "house_way" or misplay is Misplay.CHANGED_BOX:
            rule = f"{SHEET} §6" if misplay is Misplay.CHANGED_BOX else _house_rule(draws, worth)
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


def _house_rule(draws: DrawRule, worth: int) -> str:
    """Where the sheet says what the house way does: the draw table, or the choice that is left by it."""
    return f"{SHEET} §5" if len(draws.allowed(worth)) == 1 else f"{SHEET} §11"


def _must_be(worth: int, allowed: Sequence[Box], is_banker: bool) -> str:
    message = f"must be {' or '.join(allowed)} on {total(worth)}"
    return message if is_banker else f"{message}, or the hand be told as misplayed {Misplay.BY_PLAYER.value}"


def _misplays(
    request: Settling,
    chosen: Mapping[int, BoxSet | HouseWaySet],
    players: Sequence[int],
    banker: int,
    wrong: Collection[int],
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


# Draw cards


def _read_draws(
    rules: BaccaratRules, request: Settling, hitting: Sequence[int], told: Told
) -> dict[int, tuple[Card, ...]]:
    """The draw cards of a physical table by seat: one for each hand in the hit box, any for a wrong number (§5, §6)."""
    given = request.get("drawn_cards", [])
    times = Counter(item["seat"] for item in given)
    right = [seat for seat in sorted(times) if seat not in told.wrong]
    message = f"must be left out: no hand at this seat takes a draw card{_OR_WRONG}"
    standing = [FieldFault(at("drawn_cards", seat), message) for seat in right if seat not in hitting]
    refuse(DrawnCardNotWanted, standing)
    twice = [seat for seat in right if times[seat] > 1]
    refuse(DrawnCardNotWanted, [FieldFault(at("drawn_cards", seat), f"must come once{_OR_WRONG}") for seat in twice])
    missing = f"must be given: this hand takes a draw card{_OR_WRONG}"
    refuse(DrawnCardMissing, [FieldFault(at("drawn_cards", seat), missing) for seat in hitting if seat not in times])
    _check_number(rules, told, times)
    drawn: dict[int, tuple[Card, ...]] = {}
    for item in given:
        drawn[item["seat"]] = (*drawn.get(item["seat"], ()), parse_card(item["card"]))
    cards: dict[str, Sequence[Card]] = {at("drawn_cards", seat, "card"): some for seat, some in sorted(drawn.items())}
    check_cards(cards | {at("hands", seat, "cards"): hand for seat, hand in told.dealt.items()}, rules.shoe)
    return drawn


def _check_number(rules: BaccaratRules, told: Told, times: Mapping[int, int]) -> None:
    """Refuse a wrong number that is the right one: two cards, and the one draw card that the hand's box takes (§6)."""
    faults = []
    for seat in told.wrong:
        if len(told.dealt[seat]) != HAND_SIZE:
            continue
        asked = told.set_of(seat)
        box = Box(asked["box"]) if asked["how"] == "box" else rules.player.house_way(value(told.dealt[seat]))
        if times.get(seat, 0) == int(box is Box.HIT):
            drew = "one draw card" if box is Box.HIT else "no draw card"
            message = f"a hand in the {box.value} box with {drew} has its number: that is no misplay"
            faults.append(FieldFault(at("misplayed", seat), message))
    refuse(MisplayInvalid, faults)


def _refuse_told_cards(request: Settling, told: Told) -> None:
    """Refuse what only a physical table can tell."""
    if "drawn_cards" in request:
        message = "must be left out: the draw cards come from the shoe"
        refuse_at(DrawnCardNotWanted, "drawn_cards", message)
    message = f"must not be {Misplay.WRONG_NUMBER.value}: the service dealt the cards"
    refuse(MisplayInvalid, [FieldFault(at("misplayed", seat), message) for seat in told.wrong])


def after_settle(
    rules: BaccaratRules, opening: Opening, body: Settlement, round_id: str, table: TableState
) -> TableChange:
    """The banker's turns, the courtesies and the shoe's position that a settled round leaves at its table."""
    left = settlement.after_settle(rules, opening, body, round_id, table)
    return {**left, **shoe_after(body, table)}


def set_hands(rules: BaccaratRules, hands: Sequence[Sequence[str]], role: str) -> list[Setting]:
    """The house way for each two cards of a player or the banker: `{box, total, natural, rule}` (§5, §11).

    Raises CardInvalid, HandSizeWrong, CardNotInDeck.
    """
    draws = rules.banker if role == "banker" else rules.player
    settings: list[Setting] = []
    for index, texts in enumerate(hands):
        cards, field = tuple(map(parse_card, texts)), at("hands", index)
        check_hand(cards, field, size=HAND_SIZE, deck=rules.shoe)
        worth = value(cards)
        settings.append(
            {
                "box": draws.house_way(worth).value,
                "total": total(worth),
                "natural": worth == NATURAL,
                "rule": _house_rule(draws, worth),
            }
        )
    return settings

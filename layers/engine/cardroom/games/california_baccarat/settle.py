"""Boxes, draw cards, misplays, and each hand against the banker's (california-baccarat §5, §6, §8, §9)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, cast

from cardroom.banked import settlement
from cardroom.banked.bets import Bets
from cardroom.banked.cover import Claim
from cardroom.banked.settlement import Judged, settled
from cardroom.cards import Card, format_card, parse_card
from cardroom.game import FromShoe, Source
from cardroom.games.california_baccarat.boxes import (
    BoxedHand,
    Misplay,
    MisplayInvalid,
    Told,
    boxed_json,
    boxed_of,
    house_rule,
    told_of,
    wrong_json,
)
from cardroom.games.california_baccarat.deal import shoe_after
from cardroom.games.california_baccarat.rules import HAND_SIZE, SHEET, BaccaratRules, Box
from cardroom.games.california_baccarat.shapes import (
    Deal,
    FromTheShoe,
    Opening,
    SetHand,
    Setting,
    Settlement,
    Settling,
)
from cardroom.hands.baccarat import NATURAL, total, value
from cardroom.physical import check_cards, check_hand, check_told
from cardroom.refusals import FieldFault, Refusal, at, refuse, refuse_at
from cardroom.shapes.banked import DicedWagering
from cardroom.shapes.handed import TableChange
from cardroom.shapes.parts import TableState
from cardroom.table import Outcome, Verdict, check_fields, compare, members_of

_SETTLING_FIELDS: Final = members_of(Settling)
_WRONG: Final = (Outcome.LOSE, "wrong_number_of_cards", f"{SHEET} §6")
_OR_WRONG: Final = ", or the hand be told as misplayed wrong_number"
_COVER_RULE: Final = f"{SHEET} §9"


class DrawnCardMissing(Refusal):
    """A physical table's settlement without the draw card of a hand in the hit box."""


class DrawnCardNotWanted(Refusal):
    """A draw card for a hand that stands, a second one, or one where the service deals from its own shoe."""


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
    check_told(dealt_body["hands"], [*order, banker])
    told = told_of(rules, dealt_body, request, banker, locking=False)
    hands = boxed_of(rules, told, banker)
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
    shown = {seat: _shown(seat, hand) for seat, hand in hands.items()}
    wrong = {seat: wrong_json(seat, told, drawn.get(seat, ())) for seat in told.wrong}
    return {
        "sets": [one for _, one in sorted((shown | wrong).items())],
        **spent,
        **settled(bets, judged, cover_rule=_COVER_RULE),
    }


def _shown(seat: int, hand: BoxedHand) -> SetHand:
    worth = {"total": total(hand.worth), "natural": hand.worth == NATURAL}
    shown = cast("SetHand", {**boxed_json(seat, hand), **worth})
    if hand.drawn is not None:
        shown["drawn"] = format_card(hand.drawn)
    return shown


# Boxes


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
                "rule": house_rule(draws, worth),
            }
        )
    return settings

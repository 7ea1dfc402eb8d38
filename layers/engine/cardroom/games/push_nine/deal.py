"""Opening and dealing push nine: who plays, where the button is, what pot is carried in, who buys in, what is due.

The functions take the requests and give the body as they stand in the records.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from cardroom.cards import RANK_MASK, Card, deck, format_cards
from cardroom.fees import FeeBandMissing, fee_bands, fee_for, fee_postings
from cardroom.game import Shuffled, Source
from cardroom.games.push_nine.rules import HAND_SIZE, PushNineRules
from cardroom.games.push_nine.shapes import CarriedIn, CarriedPot, Deal, Fees, Opening, PlayerFee, Wagering
from cardroom.physical import check_source, read_hands
from cardroom.potted.antes import (
    ANTE,
    AnteInvalid,
    ButtonInvalid,
    Stakes,
    check_antes,
    check_enough,
    check_players,
    check_stakes,
)
from cardroom.potted.pots import check_total, from_button
from cardroom.refusals import FieldFault, Refusal, at, listed, refuse, refuse_at
from cardroom.seats import bettors_of, check_draw, check_places, draw_highest
from cardroom.shapes.handed import DrawnHighest
from cardroom.shapes.parts import CarriedPots, Seated, TableState
from cardroom.shuffle import Luck
from cardroom.table import Wager, check_fields, members_of

BUY_IN: Final = "buy_in"
MAIN: Final = "main"
FIRST_BUTTON: Final = "first_button"
_OPENING_FIELDS: Final = members_of(Opening)
_FEES: Final = members_of(Fees)
_WAGERING_FIELDS: Final = members_of(Wagering)


class PotNotCarried(Refusal):
    """A round continues a pot that is not the one that the table carries."""


class PotChanged(Refusal):
    """A round continues a pot under another rule set, currency, sums or ante than it was begun with."""


class TiedPlayerMissing(Refusal):
    """A round continues a pot without all the players who tied for it."""


class BuyInWrong(Refusal):
    """A buy-in that is not the price of the carried pot, or that nobody can make."""


class AbsenceInvalid(Refusal):
    """A player said to have left the room who did not tie for the carried pot, or with whom nobody is left in one."""


class StackMissing(Refusal):
    """A player whose stack is not told, so that nobody knows how far his bets reach."""


# Opening


def check_open(rules: PushNineRules, opening: Opening, table: TableState) -> None:
    """Refuse a round that the rules do not allow at the table as it stands (§1, §4, §5, §7)."""
    check_fields(opening, _OPENING_FIELDS, what=rules.ruleset_id)
    check_fields(opening.get("fees", {}), _FEES, what=rules.ruleset_id, path="fees.")
    check_players(opening, places=rules.seats, least=rules.least_players)
    ante = opening.get("ante")
    least = -(-rules.minimum_bet_minor // rules.maximum_bet_antes)
    if ante is None or ante < least:
        message = f"must be {least} or more, so that the least bet, {rules.minimum_bet_minor}, is within the limits"
        refuse_at(AnteInvalid, "ante", message)
    _fee(opening)
    _check_pot(rules, opening, table["pot"])
    _check_button(opening, table)


def _check_pot(rules: PushNineRules, opening: Opening, pot: CarriedPots | None) -> None:
    """A carried pot is the next round's, under the terms on which it was begun (§7)."""
    named = opening.get("continues")
    if pot is None:
        if named is not None:
            refuse_at(PotNotCarried, "continues", "must be left out: the table carries no pot")
        return
    if named != pot["round_id"]:
        refuse_at(PotNotCarried, "continues", f"must be {pot['round_id']}, not {named}")
    terms: dict[str, tuple[object, object]] = {
        "ruleset": (rules.ruleset_id, pot["ruleset"]),
        "currency": (opening["currency"], pot["currency"]),
        "sums": (opening.get("sums"), pot.get("sums")),
        "ante": (opening["ante"], pot["ante"]),
    }
    changed = [(name, begun or "left out") for name, (now, begun) in terms.items() if now != begun]
    refuse(PotChanged, [FieldFault(name, f"must be {begun}, as when the pot was begun") for name, begun in changed])
    sits = _seats(opening)
    tied = sorted({player["bettor"] for part in pot["pots"] for player in part["tied"]})
    message = "must have {}, who tied for the carried pot, at some seat; the deal says if he has left (absent)"
    refuse(TiedPlayerMissing, [FieldFault("seats", message.format(one)) for one in tied if one not in sits])


def _seats(opening: Opening) -> dict[str, int]:
    """Where each bettor sits now, who has one hand at most."""
    return {bettor: seat for seat, bettor in bettors_of(opening).items()}


def _check_button(opening: Opening, table: TableState) -> None:
    """The button is where the winner of the last pot sits now; if he has left it is drawn (§4).

    In a push hand it stays with who had it; if he has left, in its place (§7).
    """
    button, last, sits = opening.get("button"), table["button"], _seats(opening)
    carried = table["pot"] is not None
    if last is not None and (carried or last["bettor"] in sits):
        bettor = last["bettor"]
        expected = sits.get(bettor, last["seat"])
        why = (
            f"which is {bettor}'s while the pot is carried" if carried else f"where {bettor} sits, who won the last pot"
        )
        if button != expected:
            refuse_at(ButtonInvalid, "button", f"must be {expected}, {why}, not {button}")
    elif button not in sits.values():
        message = f"must be one of {listed(sits.values())}: the seat that drew the highest card"
        refuse_at(ButtonInvalid, "button", message)
    elif opening["source"] == "shuffle" and "draw_id" not in opening:
        message = "must be given: no winner of a last pot is seated, so the button is drawn"
        refuse_at(ButtonInvalid, "draw_id", message)


def _fee(opening: Opening) -> int:
    """What each player pays the house for a hand, in minor units; by the ante, before the deal (§1, §7)."""
    bands = opening.get("fees", {}).get("wager")
    if bands is None:
        return 0
    amount = fee_for(opening["ante"], fee_bands(bands, "fees.wager"))
    if amount is None:
        refuse_at(FeeBandMissing, "fees.wager", f"must have a band for the ante of {opening['ante']}")
    return amount


# Dealing


def cards_in_use(_rules: PushNineRules, _opening: Opening) -> tuple[Card, ...]:
    """The 52 cards before the shuffle (§1)."""
    return deck(0)


def deal(rules: PushNineRules, opening: Opening, wagering: Wagering, table: TableState, source: Source) -> Deal:
    """The body of the deal: who plays in which order, what is carried in, three cards each, the fees (§1, §5, §7)."""
    check_fields(wagering, _WAGERING_FIELDS, what=rules.ruleset_id)
    check_source(wagering, source)
    kind = BUY_IN if "continues" in opening else ANTE
    stakes = Stakes.read(opening, wagering)
    check_stakes(stakes, wagering, kinds=(kind,), what=rules.ruleset_id)
    put_in, players = stakes.by_seat, set(stakes.bettors)
    carried: CarriedIn | None = None
    if kind == BUY_IN:
        pot = table["pot"]
        assert pot is not None  # noqa: S101 - the opening was checked
        carried = _carry_in(pot, _seats(opening), put_in)
        players = {player["seat"] for pot in carried["pots"] for player in pot["eligible"]}
    absent = _absent(rules, wagering, carried, put_in)
    stacks = stacks_of(wagering, players)
    if carried is None:
        broke = {seat for seat, left in stacks.items() if not left}
        check_antes(put_in, ante=opening["ante"], seats=players, short=broke)
    pots = [] if carried is None else [pot["amount"] for pot in carried["pots"]]
    check_total([*pots, *stacks.values(), *(wager.amount_minor for wager in stakes.wagers)], "stacks")
    order = from_button(players, opening["button"], places=rules.seats)
    hands = _hands(wagering, order, source)
    paying = _fees(opening, {seat: stakes.bettors[seat] for seat in sorted(players - absent)}, put_in)
    body: Deal = {
        "button": _button(opening, table),
        "order": list(order),
        "limits": {"minimum": rules.minimum_bet_minor, "maximum": rules.maximum_bet(opening["ante"])},
        "hands": [{"seat": seat, "cards": format_cards(hands[seat])} for seat in sorted(hands)],
        "stacks": [{"seat": seat, "amount": stacks[seat]} for seat in sorted(stacks)],
        "fees": paying,
        "postings": fee_postings(paying),
    }
    return body if carried is None else {**body, "carried": carried}


def _button(opening: Opening, table: TableState) -> Seated:
    """Where the button is, and who has it: in a push hand who had it before, who may have left (§4, §7)."""
    seat, last = opening["button"], table["button"]
    if table["pot"] is not None and last is not None:
        return {"seat": seat, "bettor": last["bettor"]}
    return {"seat": seat, "bettor": bettors_of(opening)[seat]}


def _carry_in(pot: CarriedPots, sits: Mapping[str, int], buy_ins: Mapping[int, Wager]) -> CarriedIn:
    """The carried pots with their players; buyers pay into the main pot and play for it alone (§7)."""
    price = next((part["buy_in"] for part in pot["pots"] if part["pot"] == MAIN), None)
    main_tied = {sits[player["bettor"]] for part in pot["pots"] if part["pot"] == MAIN for player in part["tied"]}
    faults = []
    for seat, wager in buy_ins.items():
        if price is None:
            message = "must be left out: the main pot was won, only its players play for the rest"
            faults.append(FieldFault(at("wagers", wager.wager_id), message))
        elif seat in main_tied:
            faults.append(FieldFault(wager.at("seat"), f"seat {seat} tied for the pot: must not buy in"))
        elif wager.amount_minor != price:
            faults.append(FieldFault(wager.at("amount"), f"must be {price}, not {wager.amount_minor}"))
    refuse(BuyInWrong, faults)
    buyers: list[Seated] = [{"seat": seat, "bettor": buy_ins[seat].bettor} for seat in sorted(buy_ins)]
    bought = sum(wager.amount_minor for wager in buy_ins.values())
    pots: list[CarriedPot] = []
    for part in pot["pots"]:
        is_main = part["pot"] == MAIN
        tied: list[Seated] = [{"seat": sits[one["bettor"]], "bettor": one["bettor"]} for one in part["tied"]]
        eligible = sorted([*tied, *(buyers if is_main else ())], key=lambda player: player["seat"])
        amount = part["amount"] + (bought if is_main else 0)
        pots.append({"pot": part["pot"], "account": part["account"], "amount": amount, "eligible": eligible})
    return {"round_id": pot["round_id"], "pots": pots}


def _absent(rules: PushNineRules, wagering: Wagering, carried: CarriedIn | None, buy_ins: Collection[int]) -> set[int]:
    """Those who tied for a carried pot and have left the room: they get their cards and fold (§7)."""
    absent = wagering.get("absent", [])
    check_places(absent, places=rules.seats, field="absent")
    pots = [] if carried is None else carried["pots"]
    tied = {player["seat"] for pot in pots for player in pot["eligible"]} - set(buy_ins)
    message = "must be left out: this seat did not tie for a carried pot, or buys in"
    refuse(AbsenceInvalid, [FieldFault(at("absent", seat), message) for seat in absent if seat not in tied])
    empty = [pot["pot"] for pot in pots if {player["seat"] for player in pot["eligible"]} <= set(absent)]
    message = "must leave one who plays for pot {}: who was the last one left in it has won it"
    refuse(AbsenceInvalid, [FieldFault("absent", message.format(name)) for name in empty])
    return set(absent)


def stacks_of(wagering: Wagering, players: Collection[int]) -> dict[int, int]:
    """What each player has left to bet, in minor units, by seat (§6)."""
    stacks = wagering.get("stacks", [])
    check_places([item["seat"] for item in stacks], places=max(players), field="stacks")
    told = {item["seat"]: item["amount"] for item in stacks}
    missing = [seat for seat in sorted(players) if seat not in told]
    message = "must be given: what the player has left, 0 if nothing"
    refuse(StackMissing, [FieldFault(at("stacks", seat), message) for seat in missing])
    idle = [seat for seat in sorted(told) if seat not in players]
    refuse(StackMissing, [FieldFault(at("stacks", seat), "must be left out: this seat gets no hand") for seat in idle])
    return told


def _hands(wagering: Wagering, order: Sequence[int], source: Source) -> dict[int, tuple[Card, ...]]:
    """Three cards to each player, one at a time in rotation, the first player's first (§1)."""
    if not isinstance(source, Shuffled):
        return read_hands(wagering, playing=order, size=HAND_SIZE, deck=deck(0))
    cards = source.cards(deck(0))
    return {seat: cards[turn : HAND_SIZE * len(order) : len(order)] for turn, seat in enumerate(order)}


def _fees(opening: Opening, players: Mapping[int, str], stakes: Mapping[int, Wager]) -> list[PlayerFee]:
    """The usual fee of every player who gets a hand, bought in or not (§1, §7)."""
    amount = _fee(opening)
    if not amount:
        return []
    fees: list[PlayerFee] = []
    for seat, bettor in players.items():
        fee: PlayerFee = {"seat": seat, "bettor": bettor, "amount": amount}
        if seat in stakes:
            fee["wager_id"] = stakes[seat].wager_id
        fees.append(fee)
    return fees


# The first button


def draw(rules: PushNineRules, kind: str, seats: Sequence[int], luck: Luck) -> DrawnHighest:
    """One card each face up from the lowest seat on; the highest gets the button, ties draw again (§4).

    Raises FirstDrawNotOffered, SeatUnknown, SeatDuplicate, PlayersTooFew.
    """
    check_draw(kind, offered=FIRST_BUTTON, what=rules.ruleset_id)
    check_places(seats, places=rules.seats, field="seats")
    check_enough(seats, least=rules.least_players, field="seats")
    return draw_highest(seats, luck.shuffle(deck(0), None), _rank)


def _rank(card: Card) -> int:
    """A higher rank has a higher bit."""
    return card & RANK_MASK

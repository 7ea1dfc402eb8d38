"""Commands that read hands, one a line: rank, set, bonus."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Final

import typer

from cardroom.cards import Card, deck, format_cards, parse_card, parse_cards
from cardroom.hands import Joker, Wheel, ranking
from cardroom.refusals import Refusal
from cardroom_desk.commands.shared import FLORIDA, RulesetOption, published
from cardroom_desk.terminal import BadLine, Json, answer_each, usage

THREE: Final = 3


class Role(StrEnum):
    """Whose hand is set."""

    BANKER = "banker"
    PLAYER = "player"


def rank(
    wheel: Annotated[Wheel, typer.Option(help="Where A-2-3-4-5 ranks among the straights.")] = Wheel.SECOND,
    joker: Annotated[
        Joker, typer.Option(help="An ace or what completes a straight or flush (bug), or any card (wild).")
    ] = Joker.BUG,
) -> None:
    """Rank hands of 2, 5, 6 or 7 cards (the best five).

    Reads standard input, one hand a line (As Td Jk), and writes one JSON line for each: cards, category, value.
    A larger value is the better hand, equal ones tie; compare lines of the same length and options. A bad line, a
    blank one too, gives cards and error; the others go on and the exit status is 1.
    """
    rules = ranking(joker, wheel)

    def answer(line: str) -> Json:
        cards = parse_cards(line)
        if len(cards) == 2:
            value = rules.two(cards)
        elif 5 <= len(cards) <= 7:
            value = rules.best(cards)
        else:
            raise BadLine(f"{_counted(cards)}; a hand to rank has 2, 5, 6 or 7")
        return {"cards": _text(cards), "category": rules.category(value), "value": value}

    answer_each(answer)


def set_(
    ruleset: RulesetOption,
    house_way: Annotated[
        str | None, typer.Option(metavar="NAME", help="Another published house way than the rule set's own.")
    ] = None,
    role: Annotated[
        Role, typer.Option(help="Whose hand it is; the published house ways set both alike.")
    ] = Role.PLAYER,
) -> None:
    """Set hands by the house way of a rule set.

    Reads standard input, one hand a line, and writes one JSON line for each: cards, how its game sets them (front and
    back; one, two and low; the box), and the rule used. A bad line, a blank one too, gives cards and error; the others
    go on and the exit status is 1.
    """
    from cardroom.game import HouseWayAbsent
    from cardroom.services import catalogue

    rules, known = published(ruleset), catalogue.published()
    if house_way is not None:
        if house_way not in known.house_ways:
            usage(f"no house way {house_way!r}: there are {', '.join(sorted(known.house_ways))}.")
        try:
            rules = known.ruleset_from({**rules.document, "house_way": house_way}, ruleset_id=ruleset)
        except Refusal as refusal:
            usage(f"{ruleset} cannot be set by {house_way}: {refusal.message}.")
    set_hands = rules.game.set_hands
    try:
        set_hands(rules.rules, [], role.value)
    except HouseWayAbsent as refusal:
        usage(f"{refusal.message}.")

    def answer(line: str) -> Json:
        cards = format_cards(map(parse_card, line.split()))  # of several decks, where the game says so
        (setting,) = set_hands(rules.rules, [cards], role.value)
        shown = {name: " ".join(told) if isinstance(told, list) else told for name, told in setting.items()}
        return {"cards": " ".join(cards), **shown}

    answer_each(answer)


def bonus(
    bet: Annotated[str, typer.Option(metavar="NAME", help="A side bet of the rule set: fortune.")],
    ruleset: RulesetOption = FLORIDA,
) -> None:
    """Look up what hands of seven cards pay as a side bet.

    Reads standard input, one hand a line in the order dealt, and writes one JSON line for each: cards, line (null if it
    loses), and what it pays to one (-1 if it loses), or in basis points of the bet's meter (meter_bps). A bet on the
    first three cards takes a line of these alone, too. A bad line, a blank one too, gives cards and error; the others
    go on and the exit status is 1.
    """
    from cardroom.games.pai_gow_poker.piles import read_hand
    from cardroom.games.pai_gow_poker.rules import HAND_SIZE, BonusCards
    from cardroom.physical import check_hand

    rules = published(ruleset).rules
    side_bets = getattr(rules, "side_bets", {})  # which only some games have
    if bet not in side_bets:
        usage(f"{ruleset} has no side bet {bet!r}: it has {', '.join(side_bets) or 'none'}.")
    asked, jokers = side_bets[bet], rules.jokers.maximum
    of_three = asked.cards is BonusCards.FIRST_THREE

    def answer(line: str) -> Json:
        cards = parse_cards(line)
        if of_three and len(cards) == THREE:
            check_hand(cards, "cards", size=THREE, deck=deck(jokers))
        elif of_three and len(cards) != HAND_SIZE:
            raise BadLine(f"{_counted(cards)}; a hand for {bet} has {HAND_SIZE}, or the first {THREE} alone")
        else:
            cards = read_hand(line.split(), "cards", jokers=jokers)
        found = asked.pay_table.rank(cards[:THREE] if of_three else cards)
        told = {"cards": _text(cards), "line": found.line}
        if found.line in asked.meter_bps:
            return told | {"meter_bps": asked.meter_bps[found.line]}
        return told | {"pays": found.pays}

    answer_each(answer)


def _text(cards: tuple[Card, ...]) -> str:
    return " ".join(format_cards(cards))


def _counted(cards: tuple[Card, ...]) -> str:
    return "a line of 1 card" if len(cards) == 1 else f"a line of {len(cards)} cards"

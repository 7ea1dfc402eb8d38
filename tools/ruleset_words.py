"""What each field of a rule set is called on its page, and what its value means, for who runs a floor."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

Json = dict[str, Any]
Words = Callable[[Any], str]


def percent(bps: int) -> str:
    """Basis points as people write them."""
    whole, rest = divmod(bps, 100)
    return f"{whole}.{rest:02d}".rstrip("0").rstrip(".") + " %"


def plain(slug: str) -> str:
    """A word of a document as people write it."""
    return slug.replace("_", " ")


def _choice(**words: str) -> Words:
    return lambda value: words[value]


def _flag(yes: str, no: str) -> Words:
    return lambda value: yes if value else no


def _number(words: str, zero: str | None = None, one: str | None = None) -> Words:
    """`words` with the number at {}."""

    def said(value: int) -> str:
        if value == 0 and zero is not None:
            return zero
        return one if value == 1 and one is not None else words.format(f"{value:,}")

    return said


def sum_of(value: str | int) -> str:
    """A sum as `render` words it; what is left to word is the smallest amount of any currency."""
    return "one minor unit" if value == 1 else str(value)


def _amount(words: str, zero: str | None = None) -> Words:
    def said(value: str | int) -> str:
        told = zero if value == 0 and zero is not None else words.format(sum_of(value))
        return told[:1].upper() + told[1:]

    return said


def _jokers(value: Any) -> str:
    if isinstance(value, int):
        return f"{value} jokers in the shoe."
    low, high, default = value["minimum"], value["maximum"], value["default"]
    if low == high:
        return f"{['No joker', 'One joker'][low] if low < 2 else f'{low} jokers'} in the deck."
    return f"{low} to {high} jokers in the deck, as the room says when it opens a round; {default} if it does not say."


def _draws(value: Mapping[str, int]) -> str:
    up_to, stand = value["hit_up_to"], value["stand_from"]
    free = range(up_to + 1, stand)
    between = f"; free on {' and '.join(map(str, free))}" if free else ""
    return f"Draws on 0 to {up_to}, stands on {stand} and more{between}."


def _commission(value: Json) -> str:
    if not value["rate_bps"]:
        return "None."
    step = "" if value["increment_minor"] == 1 else f" to multiples of {sum_of(value['increment_minor'])}"
    return f"{percent(value['rate_bps'])} of what is won, rounded {plain(value['rounding'])}{step}."


def _house_way(value: Any) -> str:
    if "version" in value:
        return f"`{value['name']}`, version {value['version']}. {value['source']}."
    choices = "".join(
        f" Where {name.partition('_')[0]}s may choose they draw up to {limit}."
        for name, limit in value.items()
        if name.endswith("_hits_up_to")
    )
    return f"`{value['name']}`.{choices}"


def _rotation(rotation: Any) -> str:
    first = {"draw": "The first is drawn for", "first_seat": "The first is seat 1", "any": "Anyone may be the first"}
    way = {"none": ""}.get(rotation["direction"], f"; then it goes {rotation['direction'].replace('_', '-')}")
    return first[rotation["first_banker"]] + way + "."


def _fees(value: list[str]) -> str:
    if not value:
        return "None."
    whose = {"wager": "each wager on a hand", "banker": "the banker's wager"}
    return f"Posted by the room, on {' and on '.join(whose[one] for one in value)}; taken before the cards."


_DIRECTION: Final = _choice(clockwise="Clockwise.", counter_clockwise="Counter-clockwise.")
WORDS: Final[Mapping[str, tuple[str, Words]]] = {
    "currency": (
        "Sums are in",
        lambda code: f"{code}. A round in another currency posts its own in the open, as `sums`, one for each.",
    ),
    # the deck and the deal
    "joker": (
        "Joker",
        _choice(
            bug="An ace, or what completes a straight, a flush or a straight flush.",
            wild="Any card.",
            off="Not used.",
        ),
    ),
    "wheel": (
        "A-2-3-4-5",
        _choice(second="The second highest straight, below A-K-Q-J-T.", lowest="The lowest straight."),
    ),
    "jokers": ("Jokers", _jokers),
    "decks": ("Decks", _number("{} decks of 52.", one="One deck of 52.")),
    "natural": ("Natural 9", _choice(two_jokers="Two jokers; it beats every other 9.")),
    "player_draws": ("A player's hand", _draws),
    "banker_draws": ("The banker's hand", _draws),
    "misdeal_hands": ("Wrong number of cards", _number("A misdeal in the banker's hand, or in {} others; fewer lose.")),
    "deck_life_hands": (
        "Life of a deck",
        _number("{} hands.", zero="One full cycle round the table; a change before that is noted."),
    ),
    "cut": ("Cut", _choice(players="By a player.", house="By the house, or drawn from the seed.", none="None.")),
    "seats": ("Seats", _number("{} seats for players.")),
    "least_players": ("Players", _number("{} or more.")),
    "house_seat": ("The house's place", _number("Place {}, after the players'.", zero="None.")),
    "piles": (
        "Hands dealt",
        _choice(all="One for each place of the table; that of an empty place is dead.", seated="One for each player."),
    ),
    "action_draw": (
        "Where the action begins",
        lambda ways: "By " + " or by ".join({"dice": "three dice", "number": "a random number"}[w] for w in ways) + ".",
    ),
    "dice_direction": ("Dice are counted", _DIRECTION),
    "number_direction": ("A number is counted", _DIRECTION),
    "deal_direction": ("Hands are given out", _DIRECTION),
    "settle_direction": ("Hands are settled", _DIRECTION),
    # the wagers
    "circles": (
        "Wagers on one hand",
        _number(
            "{} at most: the player's, the others behind him.", zero="Any number.", one="The seated player's only."
        ),
    ),
    "order_on_hand": (
        "Order of the wagers on one hand",
        _choice(circle="By circle, the seated player's first.", placed="In the order in which they were placed."),
    ),
    "back_line_needs_seated": (
        "Wagering on another's hand",
        _flag("Only where the seated player wagers too.", "Also where the seated player does not wager."),
    ),
    "back_line_others_only": (
        "A player behind his own hand",
        _flag("Not allowed: back-line circles are for others.", "Allowed."),
    ),
    "say": (
        "Who says how a hand is set",
        _choice(largest="The largest wager on it; of equal ones the first.", seated="The seated player."),
    ),
    # the hands
    "foul": (
        "A player's fouled hand",
        _choice(lose="Loses its main wagers.", house_way="Is set again by the house way."),
    ),
    "copies": ("Equal hands (copies)", _choice(banker="The banker's.", player="The player's.")),
    "house_way": ("House way", _house_way),
    "dragon_hand": (
        "Dragon hand",
        _flag("The hand of a vacant seat may be played by one bettor besides his own.", "None."),
    ),
    "form": (
        "What wins",
        _choice(high="The highest hand.", low="The lowest hand.", high_low="The highest and the lowest, half each."),
    ),
    "low_highest": ("A low hand qualifies", _number("With no card above {}.", zero="There is no qualifier.")),
    "least_cards": ("A hand has at least", _number("{} cards, the best five of which play.")),
    "most_cards": ("A hand has at most", _number("{} cards, those in the middle included.")),
    # the banker
    "coverage": (
        "How far the banker's wager reaches",
        _choice(
            action="Until what he paid and what he collected make it up together; the rest has no action.",
            net="Until what he won, or what he lost, is as much as his wager; the rest has no action.",
            one_sided="He pays up to his wager and collects up to his wager; the rest has no action.",
            full="It must be as much as all main wagers together before a card is dealt.",
        ),
    ),
    "house_bank": ("The house as banker", _flag("May bank, without limit.", "Never banks.")),
    "banker_sets": (
        "The banker's hand is set",
        _choice(free="As he wants; the house's own by the house way.", house_way="By the house way."),
    ),
    "co_bank_bps": (
        "Bank shared with the house",
        lambda bps: f"The player's share is {percent(bps)}." if bps else "None.",
    ),
    "rotation": ("Who is asked to bank", _rotation),
    "banker_turns": (
        "Hands in a row that one player may bank",
        _number("{}; then the others are asked.", zero="No limit.", one="One; then the others are asked."),
    ),
    "banker_sits": ("Where a player banks", _choice(own_seat="At his seat.", any_position="Where no other hand is.")),
    "banker_minimum_minor": ("The banker's least wager", _amount("{}.", zero="The table's minimum.")),
    # the pot
    "minimum_bet_minor": ("Least bet and raise", _amount("{}.")),
    "maximum_bet_antes": ("Greatest bet and raise", _number("{} antes.")),
    "raises": ("Raises after a bet", _number("{} at most.")),
    "buy_in_percent": ("Buying into a pushed pot costs", _number("{} % of the main pot as it stood.")),
    "chip_unit_minor": ("Smallest chip", _amount("{}; a share or a price is a whole number of them.")),
    # the house
    "fees_from": ("Collection", _fees),
    "free_collection": (
        "Free collection",
        _choice(
            none="None.",
            next_hand="For a wager that had no action at all, for a fee of its bettor at the table's next hand.",
            waits="For a bettor with a wager without action, for a fee at the next hand that he wagers on or banks.",
        ),
    ),
    "courtesy_hands": ("A free collection lapses", _number("After {} settled hands.", zero="None waits.")),
    "courtesy_on_push": ("Free collection after a push", _flag("As after no action.", "None.")),
    "commission": ("Commission", _commission),
}
"""What each field is called, and what its value means. A field that is not here stops the page from being made."""

SIDE_BET_WORDS: Final[Mapping[str, tuple[str, Words]]] = {
    "cards": ("Cards", _choice(seven="All seven, however set.", first_three="The first three that are dealt.")),
    "stake_minor": ("Stake", _amount("{}, no more and no less.", zero="Any.")),
    "bonus_contest": (
        "Wins",
        _choice(
            must_beat="By a line of the table, if it is above what the banker's own seven cards make; the banker pays.",
            table="By a line of the table, whatever the banker has; the house pays.",
        ),
    ),
    "cap_per_spot_minor": ("Most paid on one spot", _amount("{}.", zero="No limit.")),
    "maximum_payout": (
        "Most paid in one round",
        _choice(none="No limit.", posted="What the table posts, if it does, for all its bonuses together."),
    ),
}

METER_WORDS: Final[Mapping[str, tuple[str, Words]]] = {
    "winners": (
        "Several winners",
        _choice(
            first="Paid in action order, each his share of what the one before left, made up to the reseed value.",
            shared="Each has his share of the meter as it stood; what is more than all of it is cut in proportion, and "
            "odd cents go round in action order.",
        ),
    ),
    "increment_bps": ("A bet adds", lambda bps: f"{percent(bps)} of its stake." if bps else "Nothing."),
    "reseed_minor": ("After a win it stands at", _amount("{} at least; what is missing the house puts in.")),
}

"""A game as a round calls it: a value made of the functions that deal, settle and set its hands.

And where the cards of a round come from, which is one value too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Generic, NamedTuple, NoReturn, Protocol, TypeVar

from cardroom.cards import Card
from cardroom.documents import Document, fixed_sums, with_sums
from cardroom.refusals import FieldFault, Refusal, refuse
from cardroom.seats import FirstDrawNotOffered
from cardroom.shapes.banked import KeptT
from cardroom.shapes.games import GameShapes
from cardroom.shapes.handed import DrawnHighest, Returned, ShoeSpent, TableChange
from cardroom.shapes.parts import GameJson, Hand, OpeningT, ReturnedWager, RulesetReference, TableState
from cardroom.shapes.records import LockingT, SettlingT, WageringT
from cardroom.shuffle import Cut, Luck
from cardroom.table import VOID_REASONS, FieldNotUsed

# Where cards come from


class Told(NamedTuple):
    """A physical table: whatever is dealt there comes with the requests."""


class Shuffled:
    """A deck that is shuffled for the round by its seeds, and cut.

    Cards that a settlement deals follow those of the deal in the same order. `luck` is worked out when it is first
    asked for, since most settlements ask for none.
    """

    def __init__(self, luck: Callable[[], Luck], cut: int | None) -> None:
        self._luck = luck
        self._cut = cut

    @cached_property
    def luck(self) -> Luck:
        """What chance decides in the round: dice, seats, the scramble."""
        return self._luck()

    def cards(self, deck: Sequence[Card]) -> tuple[Card, ...]:
        """A deck in the order in which it is dealt, the top card first. Raises CutInvalid."""
        return self.luck.shuffle(deck, self._cut)


class FromShoe(NamedTuple):
    """A shoe that serves many rounds: all its cards in their order, and the position of the next one to deal, from 0.

    The round has seeds of its own for what else chance decides.
    """

    round_: Shuffled
    shoe_id: str
    position: int
    cards: Sequence[Card]

    @property
    def luck(self) -> Luck:
        """What chance decides in the round beside the cards."""
        return self.round_.luck

    def next(self, count: int) -> tuple[Card, ...]:
        """The next cards of the shoe."""
        return tuple(self.cards[self.position : self.position + count])

    def spent(self, count: int) -> ShoeSpent:
        """How a body tells which cards of the shoe were dealt: from `first` up to before `last`."""
        return {"shoe_id": self.shoe_id, "first": self.position, "last": self.position + count}


Source = Told | Shuffled | FromShoe


def luck_of(source: Source) -> Luck | None:
    """What chance decides in a round, None where a physical table tells it."""
    return None if isinstance(source, Told) else source.luck


# A game


class Rules(Protocol):
    """What every game's rules tell."""

    @property
    def ruleset_id(self) -> str:
        """The rule set's id, `family/version`."""

    @property
    def cut(self) -> Cut:
        """Who cuts the deck."""


RulesT = TypeVar("RulesT", bound=Rules)
DealT = TypeVar("DealT")
SettlementT = TypeVar("SettlementT")

HouseWays = Callable[[str], Document | None]
"""Finds the content of a house way's file by its name; None if there is none of that name."""


class SumMissing(Refusal):
    """A round in another currency than that of its rule set's sums, without a sum of its own for each of them."""


class HouseWayAbsent(Refusal):
    """Hands to set by the house way, in a game whose hands nobody sets."""


def _as_it_is(document: Document, house_way: HouseWays) -> Document:
    del house_way
    return document


def _any_first(rules: object, opening: object, table: TableState) -> None:
    del rules, opening, table


def _nothing_after_deal(
    rules: object, opening: object, wagering: object, body: object, table: TableState
) -> TableChange:
    del rules, opening, wagering, body, table
    return {}


def _nothing_after_settle(
    rules: object, opening: object, body: object, round_id: str, table: TableState
) -> TableChange:
    del rules, opening, body, round_id, table
    return {}


def _nobody_banks(rules: object, opening: object, table: TableState) -> None:
    del rules, opening, table


def _nothing_staked(locking: object) -> list[ReturnedWager]:
    del locking
    return []


def _no_house_way(rules: Rules, hands: Sequence[Sequence[str]], role: str) -> NoReturn:
    del hands, role
    raise HouseWayAbsent(f"{rules.ruleset_id} has no house way: nobody sets a hand")


def _no_draw(rules: Rules, kind: str, seats: Sequence[int], luck: Luck) -> NoReturn:
    del seats, luck
    raise FirstDrawNotOffered(f"{rules.ruleset_id} has no draw for {kind}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Staging(Generic[RulesT, OpeningT, WageringT, KeptT, LockingT, SettlingT]):
    """How a game with a banker locks the players' hands before the others are shown. Every function is pure.

    A deal's body comes here with the hands that are shown so far; `hidden` tells the others, in the same form.
    """

    # the hands that a deal's body does not show: of our shuffle all of them, of a physical table those that it tells
    hidden: Callable[[RulesT, OpeningT, WageringT, KeptT, Source, Sequence[Hand]], list[Any]]
    # the players' hands as they are locked; of those alone whose cards are known
    lock: Callable[[RulesT, OpeningT, WageringT, KeptT, LockingT], list[Any]]
    # the request of a settlement after a set, as if it had brought all
    joined: Callable[[LockingT, SettlingT], SettlingT]
    # the bets that came with the sets, which a void gives back
    staked: Callable[[LockingT], list[ReturnedWager]] = _nothing_staked


@dataclass(frozen=True, slots=True, kw_only=True)
class Game(Generic[RulesT, OpeningT, WageringT, SettlingT, DealT, SettlementT]):
    """What a game does in a round. Every function is pure, and refuses what the rules refuse.

    `opening`, `wagering` and `request` are the requests of the opened, dealt and settled records, `table` the table
    as the record before left it (`table_after`), `rules` what `load` made of a rule set's document.
    """

    load: Callable[[Document], RulesT]  # of a document, in full
    check_open: Callable[[RulesT, OpeningT, TableState], None]
    # refuses a round whose first banker should have been drawn for; asked where there is a table before the round
    check_first: Callable[[RulesT, OpeningT, TableState], None] = _any_first
    deck: Callable[[RulesT, OpeningT], Sequence[Card]]  # before the shuffle
    # the dealt record's body, which repeats the terms of the opened record besides
    deal: Callable[[RulesT, OpeningT, WageringT, TableState, Source], DealT]
    settle: Callable[[RulesT, OpeningT, WageringT, DealT, SettlingT, Source], SettlementT]  # the settled record's body
    returned: Callable[[WageringT, DealT], Returned]  # what a void gives back
    # None where nobody banks, and all hands of a deal are shown with it
    staging: Staging[RulesT, OpeningT, WageringT, Any, Any, SettlingT] | None = None
    # what of the table a deal changes for good, voided or not
    after_deal: Callable[[RulesT, OpeningT, WageringT, DealT, TableState], TableChange] = _nothing_after_deal
    # what of the table a settlement changes, by its round's id
    after_settle: Callable[[RulesT, OpeningT, SettlementT, str, TableState], TableChange] = _nothing_after_settle
    # how the bank of a round came to who has it, as a word; None where nobody banks
    bank_turn: Callable[[RulesT, OpeningT, TableState], str | None] = _nobody_banks
    # each hand set by the house way, for a role, as the game tells it
    set_hands: Callable[[RulesT, Sequence[Sequence[str]], str], list[Any]] = _no_house_way
    # a draw of a kind, for first banker or first button, among seats
    draw: Callable[[RulesT, str, Sequence[int], Luck], DrawnHighest] = _no_draw
    shapes: GameShapes[OpeningT, WageringT, SettlingT]  # of its requests and bodies
    in_full: Callable[[Document, HouseWays], Document] = _as_it_is  # what a document only names, written out
    void_reasons: Sequence[str] = VOID_REASONS
    uses_shoe: bool = False


AnyGame = Game[Any, Any, Any, Any, Any, Any]
"""A game as whoever plays all of them knows it: what one function gave, another of the same game takes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruleset:
    """A published (or inline) rule set: its id, its hash, its document, and what they mean to its game."""

    id: str
    sha256: str
    document: Document
    game: AnyGame
    rules: Any

    @property
    def reference(self) -> RulesetReference:
        """How a record names the rule set."""
        return {"id": self.id, "sha256": self.sha256}

    def rules_for(self, opening: GameJson) -> Any:
        """The rules of a round: with the sums that its open posts, where it is in another currency than the rule set's.

        Raises SumMissing, FieldNotUsed.
        """
        posted, own = opening.get("sums", {}), self.document.get("currency")
        foreign = own is not None and opening["currency"] != own
        if not foreign and not posted:
            return self.rules
        fixed = fixed_sums(self.document) if foreign else {}
        unused = (
            f"must be left out: a round in {opening['currency']} by {self.id} posts {', '.join(fixed) or 'no sums'}"
        )
        refuse(FieldNotUsed, [FieldFault(f"sums.{name}", unused) for name in sorted(posted) if name not in fixed])
        missing = f"must be given: {self.id} fixes it in {own}, and a round in {opening['currency']} posts its own"
        refuse(SumMissing, [FieldFault(f"sums.{name}", missing) for name in fixed if name not in posted])
        return self.game.load(with_sums(self.document, posted))

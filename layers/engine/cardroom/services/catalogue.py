"""What a service, a replay or a command knows: the games, the rule sets, the house ways, the kinds of records."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping
from functools import cache, cached_property, partial
from importlib import import_module
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING, Final

from cardroom import canonical
from cardroom.documents import Document, RulesetInvalid
from cardroom.game import AnyGame, Ruleset
from cardroom.refusals import FieldFault, Refusal
from cardroom.rounds.kinds import KINDS
from cardroom.rounds.steps import Kinds
from cardroom.shapes.games import AnyShapes
from cardroom.shapes.merge import Asked, asked_of
from cardroom.shapes.parts import RulesetReference
from cardroom.table import VOID_REASONS

if TYPE_CHECKING:
    from cardroom.games.pai_gow_poker.house_way import HouseWay
    from cardroom.shapes.whole import RecordShapes

HOUSE_WAYS: Final = "house-ways"
GAMES: Final = ("california-baccarat", "hi-hi-lo", "pai-gow-poker", "poker-showdown", "push-nine")


class RulesetUnknown(Refusal):
    """No rule set of that id (and hash) is published here."""


class GameUnknown(Refusal):
    """A rule set names a game that is not in the catalogue."""


class GameEntry:
    """A game of a catalogue, by its package: `game` has the whole of it, `shapes` what its requests and bodies hold.

    Each is imported when it is first asked for, so that whoever asks for shapes alone does not pay for the game.
    """

    def __init__(self, package: str) -> None:
        self.package = package

    def load(self) -> AnyGame:
        """The game."""
        found: AnyGame = import_module(f"{self.package}.game").GAME
        return found

    def shapes(self) -> AnyShapes:
        """What its requests and bodies hold."""
        found: AnyShapes = import_module(f"{self.package}.shapes").SHAPES
        return found


class Catalogue:
    """Games by name, rule-set and house-way documents by id, kinds of records by name; each is read when first asked.

    Whoever needs more than what is published makes a catalogue with more entries, and gives that.
    """

    def __init__(
        self,
        *,
        games: Mapping[str, GameEntry],
        documents: Mapping[str, Callable[[], Document]],
        house_ways: Mapping[str, Callable[[], Document]],
        kinds: Kinds = KINDS,
    ) -> None:
        self.games = dict(games)
        self.documents = dict(documents)
        self.house_ways = dict(house_ways)
        self.kinds = kinds
        self._rulesets: dict[str, Ruleset] = {}

    def with_more(
        self,
        *,
        games: Mapping[str, GameEntry] | None = None,
        documents: Mapping[str, Callable[[], Document]] | None = None,
        kinds: Kinds | None = None,
    ) -> Catalogue:
        """This catalogue with more entries."""
        return Catalogue(
            games={**self.games, **(games or {})},
            documents={**self.documents, **(documents or {})},
            house_ways=self.house_ways,
            kinds={**self.kinds, **(kinds or {})},
        )

    def ruleset_ids(self) -> tuple[str, ...]:
        """The ids of all rule sets, `family/version`, in order."""
        return tuple(sorted(self.documents))

    def ruleset(self, ruleset_id: str) -> Ruleset:
        """A rule set by its id. Raises RulesetUnknown, naming those that there are."""
        found = self._rulesets.get(ruleset_id)
        if found is None:
            if ruleset_id not in self.documents:
                known = f"must be one of {', '.join(self.ruleset_ids())}"
                raise RulesetUnknown(f"no rule set {ruleset_id!r}: {known}", FieldFault("ruleset", known))
            document = self.documents[ruleset_id]()
            if document.get("id") != ruleset_id:
                message = f"must be {ruleset_id}, as its file is named, not {document.get('id')!r}"
                raise RulesetInvalid(f"not a rule set: id {message}", FieldFault("id", message))
            found = self._rulesets[ruleset_id] = self.ruleset_from(document, ruleset_id=ruleset_id)
        return found

    def ruleset_from(self, document: Document, *, ruleset_id: str) -> Ruleset:
        """The rule set that a document describes; its house way may be given by name or in full.

        Raises GameUnknown, RulesetInvalid, or what the game refuses about its fields.
        """
        name = document.get("game")
        if not isinstance(name, str) or name not in self.games:
            known = f"must be one of {', '.join(sorted(self.games))}"
            raise GameUnknown(f"a rule set for game {name!r}: {known}", FieldFault("ruleset.game", known))
        played = self.games[name].load()
        whole = played.in_full(document, self._house_way_document)
        try:
            sha256 = canonical.sha256_hex(canonical.dumps(whole))
        except canonical.NotCanonical as error:  # an inline one can hold anything that JSON can
            raise RulesetInvalid(f"not a rule set: {error}", FieldFault("ruleset", str(error))) from error
        return Ruleset(id=ruleset_id, sha256=sha256, document=whole, game=played, rules=played.load(whole))

    def pinned(self, reference: RulesetReference) -> Ruleset:
        """The rule set that a record names, exactly as it was then.

        Raises RulesetUnknown if it is not published here or has another hash.
        """
        found = self.ruleset(reference["id"])
        if found.sha256 != reference["sha256"]:
            raise RulesetUnknown(
                f"rule set {found.id} has the hash {found.sha256} here, the record was made with {reference['sha256']}"
            )
        return found

    def _house_way_document(self, name: str) -> Document | None:
        """The content of a house way's file, None if there is none of that name. Raises RulesetInvalid."""
        if name not in self.house_ways:
            return None
        document = self.house_ways[name]()
        faults = []
        if document.get("name") != name:
            faults.append(FieldFault("name", f"must be {name}, as its file is named, not {document.get('name')!r}"))
        if "rule sheet " not in str(document.get("source")):
            message = 'must end with the sheet that its rules cite: "…; rule sheet house-ways"'
            faults.append(FieldFault("source", f"{message}, not {document.get('source')!r}"))
        if faults:
            raise RulesetInvalid(f"house way {name}: {faults[0].field} {faults[0].message}", *faults)
        return document

    def house_way(self, name: str) -> HouseWay:
        """A house way by its name. Raises HouseWayUnknown, naming those that there are."""
        from cardroom.games.pai_gow_poker.house_way import HouseWay, HouseWayUnknown

        document = self._house_way_document(name)
        if document is None:
            known = ", ".join(sorted(self.house_ways))
            raise HouseWayUnknown(f"there is no house way {name!r}; the house ways are {known}")
        return HouseWay.from_dict(document)

    @cached_property
    def shapes(self) -> RecordShapes:
        """The shapes of all records; a game is imported where a record of it comes."""
        from cardroom.shapes.whole import RecordShapes

        return RecordShapes(
            self._shapes_of,
            every=lambda: [game.shapes() for game in self.games.values()],
            records={name: kind.shapes for name, kind in self.kinds.items()},
        )

    @cached_property
    def asked(self) -> Asked:
        """What an open, a deal and a settlement may hold, whatever the game."""
        return asked_of(game.shapes() for game in self.games.values())

    def _shapes_of(self, ruleset_id: str) -> AnyShapes | None:
        return self.ruleset(ruleset_id).game.shapes if ruleset_id in self.documents else None

    @cached_property
    def void_reasons(self) -> tuple[str, ...]:
        """Why a round that nobody knows may be voided: for any reason that some game has."""
        every = (reason for _, game in sorted(self.games.items()) for reason in game.load().void_reasons)
        return tuple(dict.fromkeys((*VOID_REASONS, *every)))

    @property
    def hashes(self) -> Mapping[str, str]:
        """The hashes of the rule sets by id; each is worked out when it is asked for."""
        return _Hashes(self)


class _Hashes(Mapping[str, str]):
    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue

    def __getitem__(self, ruleset_id: str) -> str:
        try:
            return self._catalogue.ruleset(ruleset_id).sha256
        except RulesetUnknown:
            raise KeyError(ruleset_id) from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._catalogue.ruleset_ids())

    def __len__(self) -> int:
        return len(self._catalogue.documents)


@cache
def published() -> Catalogue:
    """The games and rule sets that come with this package."""
    folder = files("cardroom") / "rulesets"
    families = {family.name: family for family in folder.iterdir() if family.is_dir()}
    return Catalogue(
        games={name: GameEntry(f"cardroom.games.{name.replace('-', '_')}") for name in GAMES},
        documents={
            f"{family.name}/{name}": read
            for family in families.values()
            if family.name != HOUSE_WAYS
            for name, read in _toml_files(family).items()
        },
        house_ways=_toml_files(families[HOUSE_WAYS]),
    )


def _toml_files(folder: Traversable) -> dict[str, Callable[[], Document]]:
    return {
        file.name.removesuffix(".toml"): partial(_read_toml, file)
        for file in folder.iterdir()
        if file.name.endswith(".toml")
    }


def _read_toml(file: Traversable) -> Document:
    return tomllib.loads(file.read_text("utf-8"))

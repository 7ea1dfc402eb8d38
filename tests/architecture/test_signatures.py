"""What public functions of the core take and give is named by a shape, never `dict[str, Any]`."""

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, get_type_hints

import pytest

from cardroom.services.catalogue import published

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "layers/engine/cardroom"
TYPED = (
    "audit",
    "banked",
    "cards.py",
    "documents.py",
    "fees.py",
    "game.py",
    "games",
    "hands",
    "log",
    "money.py",
    "physical.py",
    "potted",
    "rounds",
    "seats.py",
    "services",
    "shapes",
    "shuffle.py",
    "signing",
    "table.py",
)
MODULES = sorted(
    path for name in TYPED for path in ((PACKAGE / name).rglob("*.py") if "." not in name else [PACKAGE / name])
)
LOOSE = {"dict[str, Any]", "Mapping[str, Any]", "MutableMapping[str, Any]"}
NAMED = {
    "Document": "a rule set is read field by field: what it holds is known when its game has read it",
    "GameJson": "the request and the body of a round are shaped by its game, which rounds and audit do not know",
}


def aliases(trees: Iterable[ast.Module]) -> set[str]:
    """The names that modules give to an object of which nothing is known."""
    return {
        target.id
        for tree in trees
        for node in tree.body
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None
        if any(ast.unparse(part) in LOOSE for part in ast.walk(node.value))
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name)
    }


def functions(body: Iterable[ast.stmt], owner: str = "") -> Iterator[tuple[str, ast.FunctionDef]]:
    """The public functions of a module and the public methods of its public classes, by name."""
    for node in body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
            yield f"{owner}{node.name}", node
        elif isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield from functions(node.body, f"{owner}{node.name}.")


def loose(source: str, names: set[str]) -> list[str]:
    """The public functions whose signature says one of these names, or what they stand for."""
    tree = ast.parse(source)
    unknown = LOOSE | names | (aliases([tree]) - NAMED.keys())
    found = []
    for function, node in functions(tree.body):
        every = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs, node.args.vararg, node.args.kwarg]
        said = [node.returns, *(arg.annotation for arg in every if arg is not None)]
        parts = [part for annotation in said if annotation is not None for part in ast.walk(annotation)]
        texts = {part.value if isinstance(part, ast.Constant) else ast.unparse(part) for part in parts}
        found += [function] if {str(text) for text in texts} & unknown else []
    return found


def name(path: Path) -> str:
    return str(path.relative_to(PACKAGE))


@pytest.mark.parametrize("path", MODULES, ids=name)
def test_a_public_signature_says_what_its_objects_hold(path: Path) -> None:
    everywhere = aliases(ast.parse(module.read_text("utf-8")) for module in PACKAGE.rglob("*.py"))
    assert loose(path.read_text("utf-8"), everywhere - NAMED.keys()) == []


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("def f(a: dict[str, Any]) -> None: ...", ["f"]),
        ("def f(*, a: Sequence[Mapping[str, Any]]) -> None: ...", ["f"]),
        ("def f(a: int) -> dict[int, Json] | None: ...", ["f"]),
        ("def f(a: 'Json') -> None: ...", ["f"]),
        ("def f(a: Callable[[Json], int]) -> None: ...", ["f"]),
        ("def f(**a: Json) -> None: ...", ["f"]),
        ("Bag = dict[str, Any]\ndef f(a: Bag) -> None: ...", ["f"]),
        ("Bag: TypeAlias = list[dict[str, Any]] | None\ndef f(a: Bag) -> None: ...", ["f"]),
        (
            "class A:\n  def f(self) -> Json: ...\n  def _g(self) -> Json: ...\n  def __init__(self, a: Json): ...",
            ["A.f"],
        ),
        ("class _A:\n  def f(self) -> Json: ...", []),
        ("def _f(a: Json) -> Json: ...", []),
        ("def f(a: Document, b: dict[str, int], c: Mapping[str, object]) -> Deal: ...", []),
    ],
)
def test_loose_signatures_are_seen(source: str, found: list[str]) -> None:
    assert loose(source, {"Json"}) == found


def test_there_are_public_functions_to_look_at() -> None:
    seen = {function for path in MODULES for function, _ in functions(ast.parse(path.read_text("utf-8")).body)}
    assert {"Bets.read", "deal", "settle", "after_settle", "fee_postings", "check_fields"} <= seen


# mypy holds a game's functions to the shapes of its requests; these hold its bodies to what its functions give.


def hints(shape: Any) -> dict[str, Any]:
    return get_type_hints(shape, include_extras=True)


@pytest.mark.parametrize("ruleset_id", sorted(published().documents))
def test_a_body_is_what_its_game_gives_and_what_the_round_adds(ruleset_id: str) -> None:
    game = published().ruleset(ruleset_id).game
    dealt, settled = hints(game.shapes.dealt), hints(game.shapes.settled)
    assert dealt.keys() - hints(hints(game.deal)["return"]).keys() == {"opened", "cut"}
    assert dealt.items() >= hints(hints(game.deal)["return"]).items()
    more = {"seed"} if game.staging is None else {"seed", "hands"}
    assert settled.keys() - hints(hints(game.settle)["return"]).keys() == more
    assert settled.items() >= hints(hints(game.settle)["return"]).items()

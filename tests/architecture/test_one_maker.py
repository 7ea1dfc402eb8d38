"""Records are made in cardroom.rounds alone: nothing else puts together a table's state, terms or a payload.

Others may read them, pass them on and store them. What a source says is looked at, not what it does, so a maker that
hides would not be seen; one that is written without a thought is.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from cardroom.rounds.steps import NEW_TABLE
from cardroom.shapes.parts import OpenedTerms

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "layers/engine/cardroom"
MAKER = PACKAGE / "rounds"
OTHERS = sorted(
    path
    for folder in ("layers/engine/cardroom", "desk", "functions", "tools", "bench", "examples")
    for path in (ROOT / folder).rglob("*.py")
    if not path.is_relative_to(MAKER)
)

STATE = {"table_after", "hand_no", "live"}  # a game gives back the other members of a table, as a part that changed
CALLS = {"Step", "with_live", "new_terms"}
OF_A_GAME = {
    "deal",
    "settle",
    "returned",
    "draw",
    "after_deal",
    "after_settle",
}  # what makes a body, and what it leaves
NUMBERS = {"payload_of"}  # writes down a step that was made; whoever signs records calls it
SIGNERS = {"services/recorded.py", "cardroom_desk/playthrough/simulation.py"}
PREVIEW = "services/consult.py"  # asks the game itself: what it answers is no record, and nothing follows it


def is_read(value: ast.expr, member: str) -> bool:
    """Whether it is a member as it was found: `head.table_after`, `last["table_after"]`, or None or a type's name."""
    match value:
        case ast.Attribute(attr=name) | ast.Name(id=name) | ast.Subscript(slice=ast.Constant(value=name)):
            return bool(name == member)
        case ast.Constant(value=None):
            return True
        case ast.IfExp(body=one, orelse=other):
            return is_read(one, member) and is_read(other, member)
        case ast.Tuple(elts=types):  # `("table_after", (dict,))`: what it must be
            return all(isinstance(one, ast.Name) for one in types)
    return False


def is_stored(value: ast.expr) -> bool:
    """Whether it is what a head holds on its way into a store or out of it, in the store's form."""
    match value:
        case ast.Dict(keys=[ast.Constant(value="S")], values=[inner]):
            return is_stored(inner)
        case ast.Call(func=ast.Name(id="_compact"), args=[inner]):
            return is_read(inner, "table_after")
        case ast.Call(func=ast.Attribute(value=ast.Name(id="json"), attr="loads")):
            return True
    return False


def said(tree: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """Each member that some expression gives a value: in a dict, by keyword, or by assignment to an item."""
    for node in ast.walk(tree):
        match node:
            case ast.Dict(keys=keys, values=values):
                for key, value in zip(keys, values, strict=True):
                    if isinstance(key, ast.Constant) and isinstance(key.value, str):
                        # Beside `**table` it is a new table, whatever the value is called.
                        yield key.value, node if None in keys else value
            case ast.Call(keywords=keywords):
                yield from ((one.arg, one.value) for one in keywords if one.arg is not None)
            case (
                ast.Assign(targets=[ast.Subscript(slice=ast.Constant(value=str(name)))], value=value)
                | ast.AugAssign(target=ast.Subscript(slice=ast.Constant(value=str(name))), value=value)
            ):
                yield name, value


def called(tree: ast.AST) -> Iterator[str]:
    """The functions called; `game.deal` where a game's is."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="game") | ast.Attribute(attr="game"), attr=name)) if (
                name in OF_A_GAME
            ):
                yield f"game.{name}"
            case ast.Call(func=ast.Name(id=name)) | ast.Call(func=ast.Attribute(attr=name)):
                yield name


def is_terms(node: ast.AST) -> bool:
    """Whether it is a dict of all that terms hold, and not of what each of them must be."""
    if not isinstance(node, ast.Dict):
        return False
    keys = {key.value for key in node.keys if isinstance(key, ast.Constant)}
    return {*OpenedTerms.__annotations__} <= keys and not all(isinstance(value, ast.Tuple) for value in node.values)


def made(source: str, *, stores: bool = False, signs: bool = False, previews: bool = False) -> list[str]:
    """What a source text makes that cardroom.rounds alone may make."""
    tree = ast.parse(source)
    found = [
        name
        for name, value in said(tree)
        if name in STATE and not is_read(value, name) and not (stores and name == "table_after" and is_stored(value))
    ]
    calls = CALLS | (set() if signs else NUMBERS) | (set() if previews else {f"game.{name}" for name in OF_A_GAME})
    found += [f"{name}()" for name in called(tree) if name in calls]
    found += ["terms" for node in ast.walk(tree) if is_terms(node)]
    return found


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", OTHERS, ids=name)
def test_nothing_else_makes_a_record(path: Path) -> None:
    told = name(path)
    signs, previews = any(told.endswith(one) for one in SIGNERS), told.endswith(PREVIEW)
    assert made(path.read_text("utf-8"), stores="/adapters/" in told, signs=signs, previews=previews) == []


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ('payload = {"kind": kind, "table_after": {**table, "live": None}}', ["table_after", "live"]),
        ('payload["table_after"] = changed(payload["table_after"])', ["table_after"]),
        ("Head(seq=1, table_after={**table})", ["table_after"]),
        ("Head(seq=1, table_after=dict(table, draw=None))", ["table_after"]),
        ('table = {**table, "live": {"round_id": round_id, "state": "dealt"}}', ["live"]),
        ('table = dict(table, hand_no=table["hand_no"] + 1)', ["hand_no"]),
        ('table["hand_no"] += 1', ["hand_no"]),
        ('table |= {"hand_no": 3}', ["hand_no"]),
        (
            "made = Step(kind='settled', ruleset=None, request={}, body={}, table_after=table)",
            ["table_after", "Step()"],
        ),
        ("instead = steps.with_live(table, None)", ["with_live()"]),
        ("payload = payload_of(made, seq=1)", ["payload_of()"]),
        ("terms = new_terms(call, before, body)", ["new_terms()"]),
        (
            'terms = {"operator": o, "table_id": t, "round_id": r, "ruleset": s, "request": q, "body": b}',
            ["terms"],
        ),
        ("head = Head(table_after=json.loads(row[3]))", ["table_after"]),
        ('left = {**table, "live": live}', ["live"]),
        ("body = ruleset.game.settle(rules, opening, wagering, dealt, request, source)", ["game.settle()"]),
        ("changed = game.after_deal(rules, opening, wagering, body, table)", ["game.after_deal()"]),
        # what others may do
        ("Head(seq=1, table_after=made.table_after)", []),
        ('Head(seq=1, table_after=payload["table_after"])', []),
        ('told = {"live": table.live, "records": table.records}', []),
        ('left = last["table_after"]["hand_no"]', []),
        ('changed = {"banker": banker, "free_collections": earned}', []),
    ],
)
def test_a_second_maker_is_seen(source: str, found: list[str]) -> None:
    assert made(source) == found


def test_a_store_may_turn_a_table_into_its_form_and_back() -> None:
    read, kept = "Head(table_after=json.loads(row[3]))", '{"table_after": {"S": _compact(head.table_after)}}'
    assert made(read, stores=True) == made(kept, stores=True) == []
    assert made('Head(table_after={**json.loads(row[3]), "live": None})', stores=True) == ["table_after", "live"]
    assert made('{"table_after": {"S": _compact({**head.table_after})}}', stores=True) == ["table_after"]


def test_all_of_it_is_found_where_records_are_made() -> None:
    """So nothing that is looked for has another name by now."""
    assert STATE - {"table_after"} <= {*NEW_TABLE}
    found = {one for path in MAKER.glob("*.py") for one in made(path.read_text("utf-8"))}
    assert found == STATE | {"terms"} | {f"{one}()" for one in CALLS | {f"game.{name}" for name in OF_A_GAME}}
    assert "def payload_of" in (MAKER / "record.py").read_text("utf-8")
    assert {
        told for told in map(name, OTHERS) if made((ROOT / told).read_text("utf-8")) and "/adapters/" not in told
    } == {told for told in map(name, OTHERS) if told.endswith((*SIGNERS, PREVIEW))}

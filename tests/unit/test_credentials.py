"""Tokens: issued once, kept as hashes, rotated without an interruption, refused without a hint."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence

import pytest

from cardroom.services import credentials
from cardroom.services.credentials import (
    OperatorExists,
    OperatorIdInvalid,
    OperatorUnknown,
    ScopeUnknown,
    TokenInvalid,
    authenticate,
    issue,
    rotate,
)
from cardroom.services.ports import Operator, OperatorMoved


class Operators:
    """The operators in memory."""

    def __init__(self) -> None:
        self.known: dict[str, Operator] = {}
        self.rivals: list[Operator] = []  # put by someone else just before our next puts

    def get(self, operator: str) -> Operator | None:
        return self.known.get(operator)

    def put(self, operator: Operator, *, replaces: Operator | None) -> None:
        if self.rivals:
            self.known[operator.operator] = self.rivals.pop()
        if self.known.get(operator.operator) != replaces:
            raise OperatorMoved(operator.operator)
        self.known[operator.operator] = operator

    def list(self) -> Sequence[Operator]:
        return [self.known[name] for name in sorted(self.known)]


class Counting:
    """Random bytes that are not: 1, 1, 1, … then 2, 2, 2, …"""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, size: int, /) -> bytes:
        self.calls += 1
        return bytes([self.calls]) * size


@pytest.fixture
def operators() -> Operators:
    return Operators()


@pytest.fixture
def entropy() -> Counting:
    return Counting()


def test_a_token_opens_and_only_its_salted_hash_is_kept(operators: Operators, entropy: Counting) -> None:
    token = issue(operators, "ada", ["play", "read"], entropy)
    secret = token.removeprefix("ada.")
    assert re.fullmatch(r"ada\.[A-Za-z0-9_-]{43}", token)
    assert authenticate(operators, f"Bearer {token}") == operators.known["ada"]
    assert operators.known["ada"].scopes == {"play", "read"}
    [(salt, digest)] = operators.known["ada"].secrets
    assert digest == hashlib.sha256(bytes.fromhex(salt) + secret.encode()).hexdigest()
    assert len(bytes.fromhex(salt)) == 16
    assert secret not in repr(operators.known)


def test_two_operators_with_the_same_secret_have_different_hashes(operators: Operators) -> None:
    class Stuck(Counting):
        def __call__(self, size: int, /) -> bytes:
            return b"s" * size if size == 32 else super().__call__(size)

    entropy = Stuck()
    for name in ("ada", "bob"):
        issue(operators, name, ["read"], entropy)
    assert operators.known["ada"].secrets[0][1] != operators.known["bob"].secrets[0][1]


@pytest.mark.parametrize("scheme", ["Bearer ", "bearer ", "BEARER   "])
def test_the_scheme_may_be_written_in_any_case(operators: Operators, entropy: Counting, scheme: str) -> None:
    token = issue(operators, "ada", ["read"], entropy)
    assert authenticate(operators, scheme + token).operator == "ada"


@pytest.mark.parametrize("header", [None, ""])
def test_no_token_is_refused(operators: Operators, header: str | None) -> None:
    with pytest.raises(TokenInvalid) as caught:
        authenticate(operators, header)
    assert caught.value.message == "a token is needed: send `Authorization: Bearer <operator>.<secret>`"


@pytest.mark.parametrize(
    "header",
    [
        "Bearer",
        "Bearer ",
        "Basic YWRhOmFkYQ==",
        "Bearer ada",
        "Bearer ada.",
        "Bearer ." + "A" * 43,
        "Bearer ada." + "A" * 42,
        "Bearer ada." + "A" * 44,
        "Bearer ada." + "A" * 43 + "\n",
        "Bearer ada." + "A" * 42 + "=",
        "Bearer ada." + "A" * 42 + "é",
        "Bearer ada." + "A" * 42 + "٣",
        "Bearer a#da." + "A" * 43,
        "Bearer " + "a" * 65 + "." + "A" * 43,
        " Bearer ada." + "A" * 43,
    ],
)
def test_a_malformed_header_is_refused(operators: Operators, entropy: Counting, header: str) -> None:
    issue(operators, "ada", ["read"], entropy)
    with pytest.raises(TokenInvalid) as caught:
        authenticate(operators, header)
    assert caught.value.message == "the Authorization header must be `Bearer <operator>.<secret>`"


def test_a_wrong_secret_and_an_unknown_operator_get_the_same_answer_for_the_same_work(
    operators: Operators, entropy: Counting, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = issue(operators, "ada", ["read"], entropy)
    compared: list[str] = []
    digest = credentials._digest
    monkeypatch.setattr(credentials, "_digest", lambda salt, secret: compared.append(salt) or digest(salt, secret))
    work = []
    for header in (f"Bearer ada.{'A' * 43}", f"Bearer bob.{token.removeprefix('ada.')}"):
        compared.clear()
        with pytest.raises(TokenInvalid) as caught:
            authenticate(operators, header)
        assert caught.value.message == "the token is not valid, or not any more"
        work.append(len(compared))
    assert work == [2, 2]


def test_a_rotation_leaves_the_token_before_it_good_and_ends_the_one_before_that(
    operators: Operators, entropy: Counting
) -> None:
    first = issue(operators, "ada", ["audit"], entropy)
    second = rotate(operators, "ada", entropy)
    for token in (first, second):
        assert authenticate(operators, f"Bearer {token}").scopes == {"audit"}
    third = rotate(operators, "ada", entropy)
    for token in (second, third):
        assert authenticate(operators, f"Bearer {token}").operator == "ada"
    with pytest.raises(TokenInvalid):
        authenticate(operators, f"Bearer {first}")


def test_a_rotation_that_revokes_leaves_the_new_token_only(operators: Operators, entropy: Counting) -> None:
    old = [issue(operators, "ada", ["read"], entropy), rotate(operators, "ada", entropy)]
    new = rotate(operators, "ada", entropy, revoke_old=True)
    assert authenticate(operators, f"Bearer {new}").operator == "ada"
    for token in old:
        with pytest.raises(TokenInvalid):
            authenticate(operators, f"Bearer {token}")


def test_rotations_at_once_both_count(operators: Operators, entropy: Counting) -> None:
    issue(operators, "ada", ["read"], entropy)
    theirs = ("aa" * 16, "bb" * 32)
    operators.rivals.append(Operator(operator="ada", scopes=frozenset({"read"}), secrets=(theirs,)))
    mine = rotate(operators, "ada", entropy)
    assert authenticate(operators, f"Bearer {mine}").secrets[1] == theirs


def test_an_operator_is_added_once(operators: Operators, entropy: Counting) -> None:
    token = issue(operators, "ada", ["read"], entropy)
    with pytest.raises(OperatorExists) as caught:
        issue(operators, "ada", ["play"], entropy)
    assert caught.value.message == "operator ada is there already: rotate its token instead"
    assert authenticate(operators, f"Bearer {token}").scopes == {"read"}


def test_an_unknown_operator_has_nothing_to_rotate(operators: Operators, entropy: Counting) -> None:
    with pytest.raises(OperatorUnknown) as caught:
        rotate(operators, "ada", entropy)
    assert caught.value.message == "there is no operator ada: add it first"


@pytest.mark.parametrize("name", ["", "-ada", "_ada", "a.b", "a#b", "a b", "ada\n", "é", "a" * 65])
def test_an_operators_id_has_the_form_of_ids(operators: Operators, entropy: Counting, name: str) -> None:
    with pytest.raises(OperatorIdInvalid) as caught:
        issue(operators, name, ["read"], entropy)
    assert caught.value.message == (
        f"{name!r} cannot be an operator's id: up to 64 letters, digits, _ and -, a letter or digit first"
    )
    assert operators.known == {}


@pytest.mark.parametrize(
    ("scopes", "message"),
    [
        ([], "at least one scope of play, read, audit, correct"),
        (["read", "write"], "no scope write: there are play, read, audit, correct"),
        (["Play"], "no scope Play: there are play, read, audit, correct"),
    ],
)
def test_scopes_are_those_that_there_are(
    operators: Operators, entropy: Counting, scopes: list[str], message: str
) -> None:
    with pytest.raises(ScopeUnknown) as caught:
        issue(operators, "ada", scopes, entropy)
    assert caught.value.message == message
    assert operators.known == {}

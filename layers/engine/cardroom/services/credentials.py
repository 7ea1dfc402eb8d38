"""Tokens of operators: `<operator>.<secret>`, of which only a salted hash is kept.

A secret is 32 random bytes, so one round of SHA-256 guards it: there is nothing to guess that a slow hash would slow
down. At most two secrets of an operator live at once, so that a token can be changed without an interruption.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from collections.abc import Iterable
from dataclasses import replace
from enum import StrEnum
from typing import Final

from cardroom.refusals import FieldFault, Refusal
from cardroom.services.ports import Entropy, Operator, OperatorMoved, Operators
from cardroom.shapes.values import ID

LIVE_SECRETS: Final = 2

_OPERATOR: Final = re.compile(ID.text, re.ASCII)
_TOKEN: Final = re.compile(rf"[Bb][Ee][Aa][Rr][Ee][Rr] +({ID.text})\.([A-Za-z0-9_-]{{43}})", re.ASCII)
_SECRET_BYTES: Final = 32
_SALT_BYTES: Final = 16
_NOBODY: Final = ("00" * _SALT_BYTES, "00" * 32)  # compared with where there is no secret, so that it takes as long


class Scope(StrEnum):
    """What a token may be used for."""

    PLAY = "play"
    READ = "read"
    AUDIT = "audit"
    CORRECT = "correct"


class TokenInvalid(Refusal):
    """The call carries no token of an operator."""


class OperatorIdInvalid(Refusal):
    """An operator's id has another form than ids have."""


class ScopeUnknown(Refusal):
    """A scope that there is not, or none at all."""


class OperatorExists(Refusal):
    """The operator to be added is there already."""


class OperatorUnknown(Refusal):
    """There is no operator of that id."""


def issue(operators: Operators, operator: str, scopes: Iterable[str], entropy: Entropy) -> str:
    """Add an operator; answers its token, which is shown this once.

    Raises OperatorIdInvalid, ScopeUnknown or OperatorExists.
    """
    if not _OPERATOR.fullmatch(operator):
        raise OperatorIdInvalid(
            f"{operator!r} cannot be an operator's id: up to 64 letters, digits, _ and -, a letter or digit first",
            FieldFault("operator", f"must be {ID.words}"),
        )
    granted = _scopes(scopes)
    token, secret = _new_secret(operator, entropy)
    try:
        operators.put(Operator(operator=operator, scopes=granted, secrets=(secret,)), replaces=None)
    except OperatorMoved as moved:
        raise OperatorExists(f"operator {operator} is there already: rotate its token instead") from moved
    return token


def rotate(operators: Operators, operator: str, entropy: Entropy, *, revoke_old: bool = False) -> str:
    """Give an operator a new token; the one before stays good until the next rotation, or with `revoke_old` ends now.

    Raises OperatorUnknown.
    """
    token, secret = _new_secret(operator, entropy)
    while True:
        known = operators.get(operator)
        if known is None:
            raise OperatorUnknown(f"there is no operator {operator}: add it first")
        kept = () if revoke_old else known.secrets
        try:
            operators.put(replace(known, secrets=(secret, *kept)[:LIVE_SECRETS]), replaces=known)
        except OperatorMoved:
            continue  # another rotation was faster: go on from what it left
        return token


def authenticate(operators: Operators, authorization: str | None) -> Operator:
    """The operator whose token an `Authorization` header carries (`Bearer <operator>.<secret>`).

    Takes as long for an unknown operator as for a wrong secret, and says the same. Raises TokenInvalid.
    """
    if not authorization:
        raise TokenInvalid("a token is needed: send `Authorization: Bearer <operator>.<secret>`")
    match = _TOKEN.fullmatch(authorization)
    if match is None:
        raise TokenInvalid("the Authorization header must be `Bearer <operator>.<secret>`")
    name, secret = match.groups()
    known = operators.get(name)
    held = known.secrets if known else ()
    good = [
        hmac.compare_digest(_digest(salt, secret), digest)
        for salt, digest in (*held, *(_NOBODY,) * (LIVE_SECRETS - len(held)))
    ]
    if known is None or not any(good):
        raise TokenInvalid("the token is not valid, or not any more")
    return known


def _scopes(scopes: Iterable[str]) -> frozenset[str]:
    wanted = frozenset(scopes)
    unknown = sorted(wanted - frozenset(Scope))
    if unknown or not wanted:
        named = ", ".join(Scope)
        raise ScopeUnknown(
            f"no scope {', '.join(unknown)}: there are {named}" if unknown else f"at least one scope of {named}",
            FieldFault("scopes", f"must be one or more of {named}"),
        )
    return frozenset(str(scope) for scope in wanted)


def _new_secret(operator: str, entropy: Entropy) -> tuple[str, tuple[str, str]]:
    """A token, and what is kept of it: (salt hex, sha256 hex)."""
    secret = base64.urlsafe_b64encode(entropy(_SECRET_BYTES)).rstrip(b"=").decode()
    salt = entropy(_SALT_BYTES).hex()
    return f"{operator}.{secret}", (salt, _digest(salt, secret))


def _digest(salt: str, secret: str) -> str:
    return hashlib.sha256(bytes.fromhex(salt) + secret.encode()).hexdigest()

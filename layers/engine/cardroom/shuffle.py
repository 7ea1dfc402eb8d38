"""Fair dealing: a committed seed, a deterministic generator, and the deck, dice and seats drawn from it.

Before the wagers the service publishes a commitment to its seed; the bettors may add a seed of their own; after the
round the seed is revealed, and anyone can draw the same cards again. So neither side alone can choose the deck.
"""

from __future__ import annotations

import hashlib
import hmac
import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final, TypeVar

from cardroom import canonical
from cardroom.refusals import FieldFault, Refusal

BLOCK_BYTES: Final = 256
_WORDS: Final = struct.Struct(f">{BLOCK_BYTES // 2}H")
_INNER_PAD: Final = bytes(byte ^ 0x36 for byte in range(256))
_OUTER_PAD: Final = bytes(byte ^ 0x5C for byte in range(256))
_Card = TypeVar("_Card")


class Cut(StrEnum):
    """Who cuts the deck, by the rules."""

    PLAYERS = "players"
    HOUSE = "house"
    NONE = "none"


class CutInvalid(Refusal):
    """A cut that does not name a card below the top of the deck."""


class _Hmac:
    """HMAC-SHA-256 under one key of 32 bytes.

    A generator asks for many HMACs under one key. Hashing the two key blocks once and copying the states makes each
    three times faster than `hmac.digest`.
    """

    __slots__ = ("_inner", "_outer")

    def __init__(self, key: bytes) -> None:
        block = key + bytes(32)
        self._inner = hashlib.sha256(block.translate(_INNER_PAD))
        self._outer = hashlib.sha256(block.translate(_OUTER_PAD))

    def digest(self, message: bytes) -> bytes:
        inner, outer = self._inner.copy(), self._outer.copy()
        inner.update(message)
        outer.update(inner.digest())
        return outer.digest()


class HmacDrbg:
    """HMAC_DRBG with SHA-256, without reseeding and additional input.

    Source: NIST SP 800-90A revision 1, §10.1.2.

    >>> HmacDrbg(entropy=bytes(32), nonce=bytes(16), personalization=b"").generate(4).hex()
    '0bdb4ee2'
    """

    __slots__ = ("_hmac", "_value")

    def __init__(self, *, entropy: bytes, nonce: bytes, personalization: bytes) -> None:
        self._hmac = _Hmac(bytes(32))
        self._value = b"\x01" * 32
        self._update(entropy + nonce + personalization)

    def generate(self, size: int) -> bytes:
        """The output of one generate call, `size` bytes (at most 65,536)."""
        if not 0 < size <= 65_536:
            raise ValueError(f"{size} bytes asked for in one call: 1 to 65,536")
        keyed, value = self._hmac, self._value
        output = []
        for _ in range(-(-size // 32)):
            value = keyed.digest(value)
            output.append(value)
        self._value = value
        self._update(b"")
        return b"".join(output)[:size]

    def _update(self, provided: bytes) -> None:
        for separator in (b"\x00", b"\x01") if provided else (b"\x00",):
            self._hmac = _Hmac(self._hmac.digest(self._value + separator + provided))
            self._value = self._hmac.digest(self._value)


def server_seed(master: bytes, *, operator: str, table_id: str, round_id: str, salt: str) -> bytes:
    """The seed of a round, 32 bytes, made from the deployment's master secret.

    `salt` is the round's public salt in hexadecimal, as it stands in its `opened` record.
    """
    named = canonical.dumps({"operator": operator, "table_id": table_id, "round_id": round_id, "salt": salt})
    return hmac.digest(master, b"cardroom/server-seed/v1\n" + named, "sha256")


def commitment(seed: bytes) -> str:
    """What is published of a seed before the wagers: 64 hexadecimal digits. No outcome ever comes from it.

    >>> commitment(bytes(32))[:16]
    'a27ce71e26778dd0'
    """
    return hashlib.sha256(b"cardroom/commitment/v1\n" + seed).hexdigest()


def terms_sha256(terms: Any) -> bytes:
    """The SHA-256, 32 bytes, of the terms that a round was opened on: they are part of what the cards depend on."""
    return hashlib.sha256(canonical.dumps(terms)).digest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Luck:
    """All that chance decides in a round: a pure function of the seeds and of the opened terms.

    Each purpose has a generator of its own, so that the dice say nothing about the cards. Asking twice gives the same
    answer twice. `client_seed` is None where the bettors gave none.

    >>> luck = Luck(server_seed=bytes(32), terms_sha256=bytes(32), client_seed=None)
    >>> sorted(luck.shuffle("ABCDE", cut=None))
    ['A', 'B', 'C', 'D', 'E']
    >>> luck.dice() == luck.dice()
    True
    """

    server_seed: bytes
    terms_sha256: bytes
    client_seed: bytes | None

    def shuffle(self, deck: Sequence[_Card], cut: int | None) -> tuple[_Card, ...]:
        """The deck in its dealing order, the top card first.

        `cut` (1 to n-1) brings the card at that index, counted from 0 at the top, to the top. Raises CutInvalid.
        """
        cards = list(deck)
        if cut is not None and not 0 < cut < len(cards):
            message = f"the cut is {cut}: a deck of {len(cards)} cards is cut at 1 to {len(cards) - 1}"
            raise CutInvalid(message, FieldFault("cut", message))
        _permute(cards, self._words("shuffle").__next__)
        return tuple(cards[cut:] + cards[:cut]) if cut else tuple(cards)

    def cut(self, size: int) -> int:
        """Where a deck of so many cards is cut, 1 to `size` - 1, all equally likely."""
        return 1 + _below(size - 1, self._words("cut").__next__)

    def scramble(self, cards: Sequence[_Card]) -> tuple[_Card, ...]:
        """A few cards in a new order in which each is equally likely anywhere (poker-showdown §9)."""
        scrambled = list(cards)
        _permute(scrambled, self._words("scramble").__next__)
        return tuple(scrambled)

    def dice(self) -> tuple[int, int, int]:
        """Three dice, 1 to 6 each."""
        draw = self._words("dice").__next__
        return 1 + _below(6, draw), 1 + _below(6, draw), 1 + _below(6, draw)

    def seat(self, seats: int) -> int:
        """A number from 1 to `seats`, all equally likely."""
        return 1 + _below(seats, self._words("seat").__next__)

    def _words(self, purpose: str) -> Iterator[int]:
        """The purpose's random numbers below 65,536, read in blocks of 256 bytes, one generate call each."""
        personalization = f"cardroom/{purpose}/v1\n".encode() + (self.client_seed or b"")
        drbg = HmacDrbg(entropy=self.server_seed, nonce=self.terms_sha256, personalization=personalization)
        while True:
            yield from _WORDS.unpack(drbg.generate(BLOCK_BYTES))


def _permute(cards: list[_Card], draw: Callable[[], int]) -> None:
    """Put cards into a uniformly random order: Fisher-Yates, from the last one down."""
    for last in range(len(cards) - 1, 0, -1):
        other = _below(last + 1, draw)
        cards[last], cards[other] = cards[other], cards[last]


def _below(bound: int, draw: Callable[[], int]) -> int:
    """A uniform integer from 0 to `bound` - 1: words past the last whole multiple of `bound` are passed over."""
    limit = 65_536 - 65_536 % bound
    word = draw()
    while word >= limit:
        word = draw()
    return word % bound

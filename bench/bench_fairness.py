"""Shuffling and dealing, signing and verifying, canonical JSON; the bare primitives beside them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from typing import Any

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from measure import Row, calling, measure

from cardroom import canonical
from cardroom.cards import deck, format_cards
from cardroom.shuffle import BLOCK_BYTES, HmacDrbg, Luck
from cardroom.signing.certificate import EphemeralSigner, RootVerifier
from cardroom.signing.signature import jwk_of, raw_low_s

CALLS, ROUNDS = 60, 40
ECDSA = ec.ECDSA(hashes.SHA256())


class _Root:
    def __init__(self) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())

    def jwks(self) -> list[dict[str, Any]]:
        return [jwk_of(self._key.public_key())]

    def certify(self, message: bytes) -> bytes:
        return raw_low_s(self._key.sign(message, ECDSA))


def run() -> Iterator[Row]:
    cards, luck = deck(1), Luck(server_seed=bytes(32), terms_sha256=bytes(32), client_seed=bytes(16))
    payload = _settled()
    data = canonical.dumps(payload)
    root = _Root()
    signer, verifier = EphemeralSigner(root=root, audience="bench"), RootVerifier(root.jwks())
    record, private = signer.sign(payload), ec.generate_private_key(ec.SECP256R1())
    signed = record.rpartition(".")[0].encode()
    signature, public = private.sign(signed, ECDSA), private.public_key()
    work: dict[str, Callable[[], object]] = {
        "its HMACs": _hmacs,
        "drbg": lambda: HmacDrbg(entropy=bytes(32), nonce=bytes(32), personalization=b"").generate(BLOCK_BYTES),
        "shuffle": lambda: luck.shuffle(cards, 7),
        "deal": lambda: _deal(luck.shuffle(cards, 7)),
        "ES256 sign": lambda: private.sign(signed, ECDSA),
        "sign": lambda: signer.sign(payload),
        "ES256 verify": lambda: public.verify(signature, signed, ECDSA),
        "verify": lambda: verifier.verify(record),
        "json.dumps": lambda: json.dumps(payload, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode(),
        "dumps": lambda: canonical.dumps(payload),
        "json.loads": lambda: json.loads(data),
        "loads": lambda: canonical.loads(data),
    }
    took = measure({name: calling(function, CALLS) for name, function in work.items()}, rounds=ROUNDS)
    size = f"{len(data) / 1000:.1f} kB"
    yield took.row("HMAC_DRBG, one block", "drbg", "its HMACs")
    yield took.row("shuffle 53 cards", "shuffle", "its HMACs", most_us=45)
    yield took.row("shuffle and deal 53 cards", "deal", "its HMACs", most_us=45)
    yield took.row(f"sign a record of {size}", "sign", "ES256 sign")
    yield took.row(f"verify a record of {size}", "verify", "ES256 verify")
    yield took.row(f"write {size} as canonical JSON", "dumps", "json.dumps")
    yield took.row(f"read {size} as strict JSON", "loads", "json.loads")


def _hmacs() -> bytes:
    """The least that one block needs: 4 HMACs to instantiate, 8 for 256 bytes, 2 to update; their keys made."""
    inner, outer = hashlib.sha256(bytes(64)), hashlib.sha256(bytes(64))
    digest = bytes(32)
    for number in range(14):
        if number in (1, 3, 13):
            inner, outer = hashlib.sha256(digest), hashlib.sha256(digest)
        first, second = inner.copy(), outer.copy()
        first.update(digest)
        second.update(first.digest())
        digest = second.digest()
    return digest


def _deal(cards: tuple[Any, ...]) -> list[tuple[Any, ...]]:
    return [cards[pile:49:7] for pile in range(7)]


def _settled() -> dict[str, Any]:
    """A payload of the size and shape of a seven-seat settlement."""
    hands = [format_cards(deck(1)[seat:49:7]) for seat in range(7)]
    result = {"bettor": "bettor", "circle": 1, "kind": "main", "amount": 5_000, "result": "win", "front": "higher"}
    result |= {"back": "copy", "paid": 5_000, "collected": 0, "returned": 0, "commission": 0, "rule": "sheet §5.2"}
    posting = {"from": "bettor:banker", "to": "bettor:player", "amount": 5_000, "why": "win", "wager_id": "w1"}
    return {
        "at": "2026-11-29T21:53:29.123Z",
        "sets": [{"seat": seat, "front": hand[:2], "back": hand[2:], "foul": False} for seat, hand in enumerate(hands)],
        "results": [result | {"wager_id": f"w{number}", "seat": number % 7} for number in range(18)],
        "postings": [posting] * 18,
    }

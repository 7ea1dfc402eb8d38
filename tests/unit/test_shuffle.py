"""The generator against NIST's cases, and the deck, dice and seats it gives."""

import hmac
import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardroom import canonical
from cardroom.shuffle import CutInvalid, HmacDrbg, Luck, commitment, server_seed, terms_sha256

CASES = json.loads((Path(__file__).parents[2] / "vectors/drbg/hmac_drbg_sha256.json").read_text())["cases"]
LUCK = Luck(server_seed=bytes(range(32)), terms_sha256=bytes(32), client_seed=b"sixteen bytes ok")
DECK = tuple(range(53))


def test_all_120_cases_of_the_standard_are_here() -> None:
    assert len(CASES) == 120


@pytest.mark.parametrize("case", CASES)
def test_the_generator_is_that_of_sp_800_90a(case: dict[str, str]) -> None:
    drbg = HmacDrbg(
        entropy=bytes.fromhex(case["entropy"]),
        nonce=bytes.fromhex(case["nonce"]),
        personalization=bytes.fromhex(case["personalization"]),
    )
    drbg.generate(128)
    assert drbg.generate(128).hex() == case["returned"]


@pytest.mark.parametrize("size", [0, -1, 65_537])
def test_a_generate_call_has_bounds(size: int) -> None:
    drbg = HmacDrbg(entropy=bytes(32), nonce=bytes(16), personalization=b"")
    with pytest.raises(ValueError, match=f"{size} bytes asked for in one call"):
        drbg.generate(size)


def test_the_seed_is_the_hmac_of_the_named_round() -> None:
    seed = server_seed(b"m" * 32, operator="op", table_id="t1", round_id="r1", salt="00" * 16)
    named = b'cardroom/server-seed/v1\n{"operator":"op","round_id":"r1","salt":"%s","table_id":"t1"}' % (b"00" * 16)
    assert seed == hmac.new(b"m" * 32, named, "sha256").digest()


def test_every_name_and_the_salt_change_the_seed() -> None:
    names = {"operator": "op", "table_id": "t1", "round_id": "r1", "salt": "00" * 16}
    seeds = {server_seed(b"m" * 32, **names)} | {server_seed(b"m" * 32, **{**names, name: "x"}) for name in names}
    assert len(seeds) == 5


def test_terms_are_hashed_in_canonical_form() -> None:
    assert terms_sha256({"b": 1, "a": "é"}).hex() == canonical.sha256_hex('{"a":"é","b":1}'.encode())


def test_the_commitment_is_not_the_bare_hash() -> None:
    assert commitment(bytes(32)) != canonical.sha256_hex(bytes(32))


@given(st.integers(1, 52))
def test_the_cut_brings_that_card_to_the_top(cut: int) -> None:
    whole = LUCK.shuffle(DECK, cut=None)
    assert LUCK.shuffle(DECK, cut=cut) == whole[cut:] + whole[:cut]


@pytest.mark.parametrize("cut", [0, 53, -1])
def test_a_cut_outside_the_deck_is_refused(cut: int) -> None:
    with pytest.raises(CutInvalid) as refused:
        LUCK.shuffle(DECK, cut=cut)
    assert refused.value.message == f"the cut is {cut}: a deck of 53 cards is cut at 1 to 52"
    assert refused.value.faults[0].field == "cut"


@given(st.binary(min_size=32, max_size=32), st.none() | st.binary(min_size=16, max_size=64), st.integers(1, 450))
def test_no_card_is_lost(seed: bytes, client_seed: bytes | None, size: int) -> None:
    luck = Luck(server_seed=seed, terms_sha256=bytes(32), client_seed=client_seed)
    assert sorted(luck.shuffle(range(size), cut=None)) == list(range(size))


def test_either_side_changes_the_deck() -> None:
    terms, seed = bytes(32), bytes(range(32))
    others = [
        Luck(server_seed=bytes(32), terms_sha256=terms, client_seed=b"sixteen bytes ok"),
        Luck(server_seed=seed, terms_sha256=b"\x01" * 32, client_seed=b"sixteen bytes ok"),
        Luck(server_seed=seed, terms_sha256=terms, client_seed=b"sixteen bytes no"),
        Luck(server_seed=seed, terms_sha256=terms, client_seed=None),
    ]
    assert len({luck.shuffle(DECK, cut=None) for luck in [LUCK, *others]}) == 5


def test_dice_cuts_and_seats_keep_their_odds() -> None:
    """The bounds are five standard deviations wide."""
    lucks = [Luck(server_seed=n.to_bytes(32), terms_sha256=bytes(32), client_seed=None) for n in range(7_000)]
    cuts = Counter(luck.cut(8) for luck in lucks)
    assert sorted(cuts) == [1, 2, 3, 4, 5, 6, 7]
    assert all(abs(count - 1_000) < 5 * 30 for count in cuts.values())
    pips = Counter(pip for luck in lucks for pip in luck.dice())
    seats = Counter(luck.seat(7) for luck in lucks)
    assert sorted(pips) == [1, 2, 3, 4, 5, 6]
    assert sorted(seats) == [1, 2, 3, 4, 5, 6, 7]
    assert all(abs(count - 3_500) < 5 * 54 for count in pips.values())
    assert all(abs(count - 1_000) < 5 * 30 for count in seats.values())


def test_known_answers_pin_the_format() -> None:
    """What these say can never change: old records must replay for ever."""
    assert LUCK.shuffle(DECK, cut=None)[:7] == (46, 28, 9, 38, 13, 24, 37)
    assert LUCK.dice() == (6, 4, 1)
    assert LUCK.seat(7) == 4
    assert LUCK.cut(53) == 50
    assert LUCK.shuffle(range(424), cut=None)[:5] == (128, 4, 330, 390, 37)

"""Makes vectors/records anew: `python -m tests.audit.vectors`. New keys each time, which are thrown away.

To be run when a published rule set's hash changes, as records name it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from copy import deepcopy
from datetime import timedelta
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from cardroom import canonical
from cardroom.audit.export import ExportHeader, export_lines
from cardroom.cards import deck, format_cards
from cardroom.rounds.record import record_sha256
from cardroom.signing.certificate import EphemeralSigner
from cardroom.signing.signature import EXPORT, ORDER, b64url, raw_low_s, unb64url
from tests.audit.play import (
    BACCARAT,
    BICYCLE,
    CASINO,
    HI_HI_LO,
    PUSH_NINE,
    SHOWDOWN,
    Json,
    MemoryRoot,
    Room,
    StepClock,
    signed_by_an_old_key,
)
from tests.audit.situations import (
    ODD,
    SITUATIONS,
    found_by_robots,
    seed_again,
    terms_of_a_void,
    theft,
    used_again,
    wager_of_a_void,
)
from tests.rules.banked_round import wager

FOLDER = Path(__file__).parents[2] / "vectors/records"
ROOT, CLOCK = MemoryRoot(), StepClock()
SIGNER = EphemeralSigner(root=ROOT, audience="vectors")

Change = Callable[[Json], None]


def room_of(ruleset: str, table_id: str = "t1", *, again: int = 0) -> Room:
    """A table after two rounds, with all that its game does besides; played `again`, its cards are others."""
    room = Room(ruleset, table_id, seed=int(table_id[1:]) + 100 * again)
    room.root, room.clock, room.signer = ROOT, CLOCK, SIGNER
    if ruleset == HI_HI_LO:
        room.draw("first_banker", (2, 5, 8))
    room.play()
    room.play()
    if room.state["shoe"] is not None:
        room.close_shoe()
    room.payloads = canonical.loads(canonical.dumps(room.payloads))  # nothing in them is shared
    return room


def forged(ruleset: str, kind: str, change: Change, table_id: str = "t1") -> tuple[Room, int]:
    """A table whose first fit record of a kind was changed, and it and all that follow signed anew; and its number.

    What the first tables' cards give changes with a rule set's hash; one that has such a record comes soon.
    """
    for again in range(20):
        room = room_of(ruleset, table_id, again=again)
        for payload in room.payloads:
            if payload["kind"] == kind:
                with suppress(StopIteration):  # nothing was won there, say
                    room.forge(payload["seq"], change)
                    return room, payload["seq"]
    raise AssertionError(f"no {kind} record of {ruleset} can be changed so")


# Forms: what is done to the lines of a genuine export


def _line(jws: str) -> bytes:
    return canonical.dumps({"record": jws}) + b"\n"


def _jws(line: bytes) -> str:
    return str(json.loads(line)["record"])


def flip(line: bytes) -> bytes:
    """One bit of the payload."""
    start = line.index(b".") + 100
    return line[:start] + bytes([line[start] ^ 1]) + line[start + 1 :]


def high_s(line: bytes) -> bytes:
    """The other signature that ECDSA admits."""
    signed, signature = _jws(line).rsplit(".", 1)
    raw = unb64url(signature)
    other = (ORDER - int.from_bytes(raw[32:])).to_bytes(32)
    return _line(f"{signed}.{b64url(raw[:32] + other)}")


def idle_bits(line: bytes) -> bytes:
    """The last character's two idle bits are set: base64 that many decoders take for the same."""
    jws = _jws(line)
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    return _line(jws[:-1] + alphabet[alphabet.index(jws[-1]) + 1])


def alg_none(line: bytes) -> bytes:
    head, payload, _ = _jws(line).split(".")
    header = {**json.loads(unb64url(head)), "alg": "none"}
    return _line(f"{b64url(canonical.dumps(header))}.{payload}.")


def another_key(line: bytes) -> bytes:
    """The genuine header, with a signature of the forger's own key."""
    signed = _jws(line).rsplit(".", 1)[0]
    key = ec.generate_private_key(ec.SECP256R1())
    return _line(f"{signed}.{b64url(raw_low_s(key.sign(signed.encode(), ec.ECDSA(hashes.SHA256()))))}")


def another_root(line: bytes) -> bytes:
    """The same payload, signed under a root of the forger's own."""
    payload = canonical.loads(unb64url(_jws(line).split(".")[1]))
    return _line(EphemeralSigner(root=MemoryRoot(), audience="vectors").sign(payload))


Lines = list[bytes]
FORMS: dict[str, tuple[Callable[[Lines], Lines], str, int | None]] = {
    "flipped_bit": (lambda x: [*x[:3], flip(x[3]), *x[4:]], "signature-invalid", 3),
    "high_s": (lambda x: [*x[:4], high_s(x[4]), *x[5:]], "signature-not-low", 4),
    "idle_bits": (lambda x: [*x[:6], idle_bits(x[6]), *x[7:]], "malformed", 6),
    "alg_none": (lambda x: [*x[:4], alg_none(x[4]), *x[5:]], "alg-forbidden", 4),
    "another_key": (lambda x: [*x[:4], another_key(x[4]), *x[5:]], "signature-invalid", 4),
    "another_root": (lambda x: [*x[:4], another_root(x[4]), *x[5:]], "certificate-foreign", 4),
    "first_dropped": (lambda x: [x[0], *x[2:]], "record-missing", 1),
    "middle_dropped": (lambda x: [*x[:3], *x[4:]], "record-missing", 3),
    "last_dropped": (lambda x: [*x[:-2], x[-1]], "record-missing", None),
    "doubled": (lambda x: [*x[:4], x[3], *x[4:]], "record-doubled", 4),
    "reordered": (lambda x: [*x[:3], x[4], x[3], *x[5:]], "record-reordered", 3),
    "trailer_dropped": (lambda x: x[:-1], "export-truncated", None),
    "concatenated": (lambda x: [*x, *x], "after-trailer", None),
    "empty": (lambda x: [], "export-empty", None),
    "garbled_line": (lambda x: [*x[:2], b"{\n", *x[3:]], "malformed", 2),
}


# Contents: what is done to a record with the genuine keys


def another_card(payload: Json) -> None:
    held = {card for hand in payload["body"]["hands"] for card in hand["cards"]}
    payload["body"]["hands"][0]["cards"][0] = next(card for card in format_cards(deck(0)) if card not in held)


def another_setting(payload: Json) -> None:
    one = payload["body"]["sets"][0]
    one["front"][0], one["back"][4] = one["back"][4], one["front"][0]


def _result(payload: Json, field: str, why: tuple[str, ...], more: int) -> None:
    """More for one wager, with the posting and the accounts that follow from it."""
    body = payload["body"]
    result = next(result for result in body["results"] if result[field])
    result[field] += more
    posting = next(
        p for p in body["postings"]
        if p["why"] in why and (p.get("wager_id") == result["wager_id"] or p["to"].endswith(result["bettor"]))
    )  # fmt: skip
    posting["amount"] += more
    for item in body["net"]:
        item["amount"] += more * ((item["account"] == posting["to"]) - (item["account"] == posting["from"]))


def another_payout(payload: Json) -> None:
    _result(payload, "paid", ("win", "bonus"), 50)


def another_commission(payload: Json) -> None:
    _result(payload, "commission", ("commission",), 1)


def another_fee(payload: Json) -> None:
    payload["body"]["fees"][0]["amount"] += 3
    payload["body"]["postings"][0]["amount"] += 3


def another_dice(payload: Json) -> None:
    payload["body"]["action"]["dice"][0] = payload["body"]["action"]["dice"][0] % 6 + 1


FAILS: dict[str, tuple[str, str, Change, str]] = {
    "card": (BICYCLE, "dealt", another_card, "card-wrong"),
    "shoe_card": (BACCARAT, "dealt", another_card, "card-wrong"),
    "client_seed": (BICYCLE, "dealt", lambda p: p["request"].update(client_seed="cd" * 16), "client-seed-changed"),
    "cut": (BICYCLE, "dealt", lambda p: p["request"].update(cut=11), "cut-changed"),
    "dice": (BICYCLE, "dealt", another_dice, "dice-wrong"),
    "action_order": (BICYCLE, "dealt", lambda p: p["body"]["action_order"].reverse(), "action-order-wrong"),
    "fee": (BICYCLE, "dealt", another_fee, "fee-wrong"),
    "setting": (BICYCLE, "settled", another_setting, "setting-wrong"),
    "payout": (CASINO, "settled", another_payout, "payout-wrong"),
    "commission": (CASINO, "settled", another_commission, "commission-wrong"),
    "net": (BICYCLE, "settled", lambda p: p["body"]["net"][0].update(amount=1), "net-wrong"),
    "seed": (BICYCLE, "settled", lambda p: p["body"].update(seed="00" * 32), "commitment-broken"),
    "ruleset_hash": (BICYCLE, "opened", lambda p: p["ruleset"].update(sha256="ab" * 32), "ruleset-changed"),
    "table_after": (BICYCLE, "settled", lambda p: p["table_after"].update(hand_no=9), "table-after-wrong"),
    "draw": (HI_HI_LO, "drawn", lambda p: p["body"]["cards"][0].update(cards=["2c"]), "card-wrong"),
}


Write = Callable[..., None]


def unusual(write: Write) -> None:
    """What is no fault: a draw in the place of another one, a deck without a client seed, stakes whose sum is large."""
    room = Room(HI_HI_LO)
    room.root, room.clock, room.signer = ROOT, CLOCK, SIGNER
    first = room.draw("first_banker", (2, 5, 6, 8), client_seed="ab" * 16)
    named = {"replaces": first["round_id"].removeprefix("draw:"), "reason": "seat_left"}
    room.draw("first_banker", (2, 5, 8), client_seed="cd" * 16, **named)
    room.play()
    write("redrawn", room, None)
    room = room_of(BICYCLE)
    room.open((1, 2), banker={"seat": 1, "bettor": "b1", "others_passed": True}, client_seed="none")
    wagers = [wager(2, 100)]
    room.deal(wagers=wagers, banker_wager=3_000_000)
    room.settle(sets=[{"seat": seat, "how": "house_way"} for seat in (1, 2)])
    write("no_client_seed", room, None)
    room = room_of(BICYCLE)
    for _ in range(3):
        room.open((1, 2), banker={"seat": 1, "bettor": "b1", "others_passed": True})
        asked = {"wagers": [wager(2, 4 * 10**15)], "banker_wager": 4 * 10**15, "client_seed": "ab" * 16}
        room.deal(**asked)
        room.settle(sets=[{"seat": seat, "how": "house_way"} for seat in (1, 2)])
    write("large_stakes", room, None)


def situations(write: Write) -> None:
    """What robots meet at their tables, what odd things a genuine key may sign, and what is used twice."""
    like = room_of(BICYCLE)
    for name, (ruleset, kind, change, code) in SITUATIONS.items():
        room, seq = found_by_robots(ruleset, like, kind, change)
        write(f"{name}_fail", room, {"code": code, "record": seq})
    for name, (ruleset, kind, change, code) in ODD.items():
        room, seq = forged(ruleset, kind, change)
        write(f"{name}_fail", room, {"code": code, "record": seq})
    for name, forge, code, seq in (
        ("reused_id", used_again, "round-reused", 7),
        ("reused_seed", seed_again, "commitment-reused", 7),
    ):
        room = room_of(BICYCLE)
        forge(room)
        write(f"{name}_fail", room, {"code": code, "record": seq})
    for name, dealt, change, code in (
        ("void_terms", False, terms_of_a_void, "opened-changed"),
        ("void_wager", True, wager_of_a_void, "dealt-changed"),
    ):
        room = room_of(BICYCLE)
        room.play(settle=False)
        if not dealt:
            room.void()
            room.open((1, 2), banker={"seat": 1, "bettor": "b1", "others_passed": True})
        voided = room.void()
        room.payloads = canonical.loads(canonical.dumps(room.payloads))
        room.forge(voided["seq"], change)
        write(f"{name}_fail", room, {"code": code, "record": voided["seq"]})
    room = room_of(BICYCLE)
    room.signer, own = EphemeralSigner(root=ROOT, audience="another"), room.signer
    room.play()
    room.signer = own
    write("deployment_fail", room, {"code": "deployment-changed", "record": 7})
    room = Room(BACCARAT)
    room.root, room.clock, room.signer = ROOT, CLOCK, SIGNER
    room.play()
    room.payloads = canonical.loads(canonical.dumps(room.payloads))
    room.forge(4, theft)
    write("open_shoe_fail", room, {"code": "shoe-unclosed", "record": 1}, timedelta(hours=25))


def lying(exported: Sequence[str], header: ExportHeader, /, **lie: object) -> Lines:
    """An export whose trailer says something else (None: nothing), signed by the genuine key."""
    made = list(export_lines(exported, signer=SIGNER, clock=CLOCK, header=header))
    told = canonical.loads(unb64url(json.loads(made[-1])["trailer"].split(".")[1])) | lie
    trailer = SIGNER.sign({name: value for name, value in told.items() if value is not None}, EXPORT)
    return [line.encode() for line in (*made[:-1], canonical.dumps({"trailer": trailer}).decode() + "\n")]


def lies() -> dict[str, tuple[Lines, str, int | None]]:
    """Exports whose header or trailer lies, also where the genuine key signed it; and a fault in a second table."""
    room = room_of(BICYCLE)
    records, lines = room.records, room.export()
    second, seq = forged(CASINO, "settled", another_payout, "t2")

    def header(**says: Any) -> ExportHeader:
        return ExportHeader(**{"operator": "op", "table_id": "t1", **says})

    head = {"table_id": "t1", "seq": 6, "sha256": record_sha256(records[-1])}
    edited = canonical.dumps({**json.loads(lines[0]), "round_id": "t1-r1"}) + b"\n"
    everything = [*records, *second.records]
    return {
        "multi_table": (lying(everything, ExportHeader(operator="op")), "payout-wrong", 6 + seq),
        "header_edited": ([edited, *lines[1:]], "header-changed", None),
        "header_table": (lying(records, header(table_id="t9")), "header-contradicted", None),
        "header_round": (lying(records, header(round_id="t1-r1")), "header-contradicted", None),
        "header_after": (lying(records, header(after=3)), "header-contradicted", None),
        "header_operator": (lying(records, header(operator="another")), "operator-foreign", None),
        "trailer_count": (lying(records, header(), records=7), "record-missing", None),
        "trailer_twice": (lying(records, header(), heads=[head, head]), "trailer-invalid", None),
        "trailer_head": (lying(records, header(), heads=[{**head, "seq": 7}]), "record-missing", None),
        "trailer_hash": (lying(records, header(), heads=[{**head, "sha256": "ab" * 32}]), "chain-forked", None),
        "trailer_version": (lying(records, header(), v=2), "trailer-invalid", None),
        "trailer_more": (lying(records, header(), note="x"), "trailer-invalid", None),
        "trailer_no_heads": (lying(records, header(), heads=None), "trailer-invalid", None),
    }


def main() -> None:
    """Write the folder: exports, the root's public key, and the verdicts."""
    for old in FOLDER.glob("*.jsonl"):
        old.unlink()
    verdicts: dict[str, Json | None] = {}

    def write(name: str, room: Room, verdict: Json | None, later: timedelta = timedelta()) -> None:
        (FOLDER / f"{name}.jsonl").write_bytes(b"".join(room.export(later=later)))
        verdicts[f"{name}.jsonl"] = verdict

    for name, ruleset in (
        ("pai_gow", BICYCLE), ("casino", CASINO), ("shoe", BACCARAT), ("draw", HI_HI_LO), ("pots", PUSH_NINE),
        ("showdown", SHOWDOWN),
    ):  # fmt: skip
        write(name, room_of(ruleset), None)
    room = room_of(BICYCLE)
    room.play(void=True)
    room.tombstone("t1-r9")
    write("voids", room, None)
    room = room_of(CASINO)
    CLOCK.time -= timedelta(minutes=2)  # another host's clock
    room.play()
    write("clock_back", room, None)
    room = room_of(BICYCLE)
    room.play(settle=False)
    room.secrets.seeds[room.payloads[-1]["round_id"]] = None
    room.void()
    write("seed_lost_fail", room, {"code": "seed-lost", "record": 9})
    for name, (ruleset, kind, change, code) in FAILS.items():
        room, seq = forged(ruleset, kind, change)
        write(f"{name}_fail", room, {"code": code, "record": seq})
    room = room_of(BICYCLE)
    room.resign([payload for payload in deepcopy(room.payloads) if payload["seq"] != 3])
    write("settlement_left_out_fail", room, {"code": "round-order", "record": 3})
    room = room_of(BICYCLE)
    room.resign(deepcopy(room.payloads[:-1]))
    write("unsettled_fail", room, {"code": "round-unsettled", "record": 5}, timedelta(hours=25))
    unusual(write)
    situations(write)
    key = ROOT._key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    (FOLDER / "root.pem").write_bytes(key)
    source = (
        "made by us (tests/audit/vectors.py); signed by a root and keys that are gone. One finding each, null: none."
    )
    nothing = Room(BICYCLE)
    nothing.root, nothing.clock, nothing.signer = ROOT, CLOCK, SIGNER
    write("no_records_fail", nothing, {"code": "no-records", "record": None})
    lines = room_of(BICYCLE).export()
    for name, (spoil, code, record) in FORMS.items():
        (FOLDER / f"{name}_fail.jsonl").write_bytes(b"".join(spoil(lines)))
        verdicts[f"{name}_fail.jsonl"] = {"code": code, "record": record}
    for name, (content, code, record) in lies().items():
        (FOLDER / f"{name}_fail.jsonl").write_bytes(b"".join(content))
        verdicts[f"{name}_fail.jsonl"] = {"code": code, "record": record}
    room = room_of(BICYCLE)
    header = ExportHeader(operator="op", table_id="t1", round_id="t1-r2")
    single = export_lines(room.records[3:], signer=SIGNER, clock=CLOCK, header=header)
    (FOLDER / "single_round.jsonl").write_text("".join(single))
    verdicts["single_round.jsonl"] = None
    room = room_of(BICYCLE)
    expired = {**room.payloads[-1], "at": "2026-12-29T21:00:00.000Z"}
    room.records[-1] = signed_by_an_old_key(SIGNER, expired)
    write("expired_certificate_fail", room, {"code": "certificate-expired", "record": 6})
    (FOLDER / "verdicts.json").write_text(
        json.dumps({"source": source, "deployment": "vectors", "files": verdicts}, indent=1) + "\n"
    )


if __name__ == "__main__":
    main()

"""Recompute a finished round's deck, dice and hands from its export, with nothing but the standard library.

python examples/recompute_deck.py EXPORT.jsonl ROUND_ID [JOKERS]    (signatures are for `cardroom verify`)
"""

import base64
import hashlib
import hmac
import json
import sys
from pathlib import Path


def numbers(entropy, nonce, personalization):
    """HMAC_DRBG with SHA-256 (NIST SP 800-90A): two bytes a number, read in calls of 256 bytes."""
    key, value, provided = bytes(32), b"\x01" * 32, entropy + nonce + personalization
    for separator in (b"\x00", b"\x01"):
        key = hmac.digest(key, value + separator + provided, "sha256")
        value = hmac.digest(key, value, "sha256")
    while True:
        for _ in range(256 // 32):
            value = hmac.digest(key, value, "sha256")
            yield from (int.from_bytes(value[i : i + 2]) for i in range(0, 32, 2))
        key = hmac.digest(key, value + b"\x00", "sha256")
        value = hmac.digest(key, value, "sha256")


def below(bound, source):
    """A uniform number from 0 to bound - 1: numbers past the last whole multiple are passed over."""
    return next(number % bound for number in source if number < 65536 - 65536 % bound)


def main(path, round_id, jokers=1):
    records = Path(path).read_text().split('{"record":"')[1:]
    payloads = [json.loads(base64.urlsafe_b64decode(record.split(".")[1] + "==")) for record in records]
    kinds = {payload["kind"]: payload for payload in payloads if payload["round_id"] == round_id}
    opened, dealt, last = kinds["opened"], kinds["dealt"], kinds.get("settled") or kinds["voided"]
    seed, client = (bytes.fromhex(text) for text in (last["body"]["seed"], dealt["request"].get("client_seed", "")))
    terms = {name: opened[name] for name in ("operator", "table_id", "round_id", "ruleset", "request", "body")}
    terms = json.dumps(terms, ensure_ascii=False, sort_keys=True, separators=(",", ":"))  # RFC 8785
    nonce = hashlib.sha256(terms.encode()).digest()
    names = (b"cardroom/%s/v1\n" % name + client for name in b"shuffle cut dice seat".split())
    shuffle, cutting, dice, seat = (numbers(seed, nonce, name) for name in names)
    deck = [rank + suit for suit in "cdhs" for rank in "23456789TJQKA"]
    deck += ["Jk", "Jk2", "Jk3", "Jk4", "Jk5", "Jk6", "Jk7", "Jk8"][: opened["request"].get("jokers", int(jokers))]
    for index in range(len(deck) - 1, 0, -1):
        other = below(index + 1, shuffle)
        deck[index], deck[other] = deck[other], deck[index]
    action, cut = (body := dealt["body"])["action"], (body | dealt["request"]).get("cut", 0)
    hands = [hand for one in (dealt, kinds.get("set"), last) if one for hand in one["body"].get("hands", [])]
    deck, house = deck[cut:] + deck[:cut], 1 + below(len(deck) - 1, cutting)
    piles = next((n for n in range(1, 9) if all(h["cards"] == deck[h["pile"] - 1 :: n][:7] for h in hands)), 0)
    drawn = {"dice": [1 + below(6, dice) for _ in range(3)], "number": 1 + below(piles or 1, seat)}
    match = hashlib.sha256(b"cardroom/commitment/v1\n" + seed).hexdigest() == opened["body"]["commitment"]
    match &= (action["from"] == "request" or action[action["by"]] == drawn[action["by"]]) and piles >= len(hands)
    sys.exit(print(*deck, "\nmatch") if match and body.get("cut", house) == house else "MISMATCH")


if __name__ == "__main__":
    main(*sys.argv[1:])

"""Texts and numbers: what an id, an amount, a card is. Each pattern stands here and nowhere else."""

from __future__ import annotations

from typing import Annotated, Final

from cardroom.canonical import MAX_INTEGER
from cardroom.shapes.bounds import Between, Length, Pattern

ID: Final = Pattern(
    r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}", "an id: 1 to 64 letters, digits, _ and -, beginning with a letter or digit"
)
_ID: Final = ID.text

# Names

Id = Annotated[str, ID]
ShoeRoundId = Annotated[str, Pattern(f"shoe:{_ID}", "`shoe:` and the shoe's id")]
DrawRoundId = Annotated[str, Pattern(f"draw:{_ID}", "`draw:` and the draw's id")]
AnyRoundId = Annotated[
    str, Pattern(f"([a-z]{{1,20}}:)?{_ID}", "a round's id, or that of something else after a word: `shoe:`, `draw:`, …")
]
RulesetId = Annotated[str, Pattern(r"[a-z0-9-]{1,64}/[a-z0-9-]{1,64}", "a rule set's id: family/version")]
GameName = Annotated[str, Pattern(r"[a-z][a-z0-9-]{0,63}", "a game's name: 1 to 64 small letters, digits and -")]
Slug = Annotated[str, Pattern(r"[a-z][a-z0-9_]{0,39}", "a word: 1 to 40 small letters, digits and _")]
Reason = Annotated[str, Pattern(r"[a-z][a-z0-9_]{0,99}", "a reason: 1 to 100 small letters, digits and _")]
VoidReason = Annotated[str, Pattern(r"[a-z_]{1,40}", "a reason: 1 to 40 small letters and _")]
Account = Annotated[str, Pattern(f"house|(bettor|pot):{_ID}", "`house`, `bettor:` and an id, or `pot:` and an id")]
PotAccount = Annotated[str, Pattern(f"pot:{_ID}", "`pot:` and a round's id")]
PotName = Annotated[str, Pattern(r"main|bets|(bets_)?side_[1-9][0-9]{0,2}", "a pot's name: main, side_1, bets, …")]
Version = Annotated[str, Length(1, 64)]
Epoch = Annotated[str, Length(1, 200)]
RuleText = Annotated[str, Length(1, 1_000)]  # `pai-gow-poker §5.2`, or as a house way words it
Note = Annotated[
    str, Pattern(r"[^\u0000-\u001f\u007f-\u009f\ufffd]{0,200}", "at most 200 characters, no control characters")
]
Words = Annotated[str, Length(1, 400)]

# Numbers

Amount = Annotated[int, Between(0, MAX_INTEGER)]
Stake = Annotated[int, Between(1, MAX_INTEGER)]
Net = Annotated[int, Between(-MAX_INTEGER, MAX_INTEGER)]
Count = Annotated[int, Between(0, MAX_INTEGER)]
Ordinal = Annotated[int, Between(1, MAX_INTEGER)]
Small = Annotated[int, Between(1, 1_000)]  # a seat, a circle, a place in time, a cut, a pile
BasisPoints = Annotated[int, Between(0, 10_000)]
StudCards = Annotated[int, Between(3, 7)]  # how many cards somebody had been dealt at seven-card stud
Die = Annotated[int, Between(1, 6)]
Points = Annotated[int, Between(0, 9)]
CardsInShoe = Annotated[int, Between(0, 10_000)]
Jokers = Annotated[int, Between(0, 100)]
Seconds = Annotated[int, Between(0, MAX_INTEGER)]

# Cards, seeds, hashes, times

CARD: Final = Pattern(r"[2-9TJQKA][cdhs]|Jk([2-9]|[1-9][0-9])?", "a card, as in As, Td, Jk, Jk2")
CardText = Annotated[str, CARD]
ClientSeed = Annotated[str, Pattern(r"([0-9a-f]{2}){16,64}", "32 to 128 lower-case hex digits, an even number")]
Sha256 = Annotated[str, Pattern(r"[0-9a-f]{64}", "64 lower-case hex digits")]
Seed = Sha256
Salt = Annotated[str, Pattern(r"[0-9a-f]{32}", "32 lower-case hex digits")]
TIME: Final = Pattern(
    r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z", "a time as 2026-11-29T21:53:29.123Z"
)
Time = Annotated[str, TIME]
Currency = Annotated[str, Pattern(r"[A-Z]{3}", "three capital letters")]
SumName = Annotated[str, Pattern(r"[a-z0-9_.]{1,200}", "where a rule set's document fixes a sum: envy.minimum_minor")]
Base64Of32 = Annotated[str, Pattern(r"[A-Za-z0-9_-]{43}", "32 bytes in base64url, 43 characters")]
Jws = Annotated[str, Pattern(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+", "a compact JWS")]

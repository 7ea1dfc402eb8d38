"""Settling push nine: the betting is checked, pots are made, the best hand takes each or its tied hands push it on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal, NamedTuple

from cardroom.cards import parse_cards
from cardroom.game import Source
from cardroom.games.push_nine.betting import Limits, bet_round
from cardroom.games.push_nine.deal import BUY_IN, MAIN, stacks_of
from cardroom.games.push_nine.rules import SHEET, PushNineRules
from cardroom.games.push_nine.shapes import Action, Added, Deal, Opening, Settlement, Settling, ShownHand, Wagering
from cardroom.games.push_nine.shapes import Pot as PotTold
from cardroom.hands.three import ThreeCategory, points, three, three_category
from cardroom.money import Posting, Why, account_of, nets_of
from cardroom.potted.antes import ANTE, Stakes
from cardroom.potted.pots import Pot, Pots, best_of, make_pots, pot_account, still_in
from cardroom.shapes.handed import TableChange
from cardroom.shapes.parts import Hand, TableState, TiedPot
from cardroom.shapes.potted import PlayerResult
from cardroom.table import Outcome, Wager, check_fields, members_of

_SETTLING_FIELDS: Final = members_of(Settling) - {"sets"}  # which may be there, but empty


class AfterBetting(NamedTuple):
    """A hand when the betting is over: by seat, what each put in, in minor units, and what his three cards are worth.

    `stakes` are the antes, or the buy-ins of a push hand; `put_in` has the antes and the bets, not the buy-ins. The
    `absent` are the first of the `folded`: they had left the room before the hand.
    """

    account: str
    bettors: Mapping[int, str]
    stakes: Mapping[int, Wager]
    put_in: Mapping[int, int]
    betting: Sequence[Added]
    absent: Sequence[int]
    folded: Sequence[int]
    pots: Pots
    values: Mapping[int, int]


class Contest(NamedTuple):
    """A pot, and who won it (one seat) or tied for it (several).

    `name` is `main`, `side_1` and up; those made by the bets of a push hand are `bets`, `bets_side_1` and up.
    """

    name: str
    account: str
    pot: Pot
    best: tuple[int, ...]
    reason: str

    @property
    def is_pushed(self) -> bool:
        """Whether the best hands tie, so that the pot is carried into the next round."""
        return len(self.best) > 1


def settle(
    rules: PushNineRules, opening: Opening, wagering: Wagering, dealt_body: Deal, request: Settling, _source: Source
) -> Settlement:
    """The settled record's body: betting, hands, pots, results, and the pot that is carried, if any (§5 to §8)."""
    check_fields(
        {name: value for name, value in request.items() if value != []}, _SETTLING_FIELDS, what=rules.ruleset_id
    )
    played = _play(rules, opening, wagering, dealt_body, request.get("betting", []))
    contests = list(_contests(dealt_body, played))
    postings = list(_postings(played, contests))
    winner = contests[0].best[0]
    pushed = [_carry(rules, contest, played.bettors) for contest in contests if contest.is_pushed]
    body: Settlement = {
        "betting": list(played.betting),
        "hands": [_hand(hand, played.folded) for hand in dealt_body["hands"]],
        "pots": [_pot(contest, played.bettors) for contest in contests],
        "results": list(_results(played, contests)),
        "postings": [posting.to_json() for posting in postings],
        "net": nets_of(postings),
        "button": dealt_body["button"]
        if pushed
        else {"seat": winner, "bettor": played.bettors[winner]},  # the winner of the last pot has it next (§4)
    }
    if pushed:
        body["pushed"] = {
            "ruleset": rules.ruleset_id,
            "currency": opening["currency"],
            "ante": opening["ante"],
            "pots": pushed,
        }
        if "sums" in opening:
            body["pushed"]["sums"] = opening["sums"]
    return body


def _play(
    rules: PushNineRules, opening: Opening, wagering: Wagering, dealt_body: Deal, betting: Sequence[Action]
) -> AfterBetting:
    """Check the betting, and make the pots of the antes and bets."""
    order, absent = dealt_body["order"], wagering.get("absent", [])
    limits = Limits(
        minimum_minor=dealt_body["limits"]["minimum"],
        maximum_minor=dealt_body["limits"]["maximum"],
        raises=rules.raises,
    )
    betting_order = [seat for seat in order if seat not in absent]
    added, folded, additions = bet_round(betting, order=betting_order, stacks=stacks_of(wagering, order), limits=limits)
    out = (*absent, *folded)
    stakes = Stakes.read(opening, wagering)
    antes = {wager.seat: wager.amount_minor for wager in stakes.wagers if wager.kind == ANTE}
    put_in = {seat: antes.get(seat, 0) + added.get(seat, 0) for seat in sorted(order)}
    return AfterBetting(
        account=pot_account(dealt_body),
        bettors={seat: bettor for seat, bettor in stakes.bettors.items() if seat in put_in},
        stakes=stakes.by_seat,
        put_in=put_in,
        betting=[
            {"seat": action["seat"], "action": action["action"], "added": added}
            for action, added in zip(betting, additions, strict=True)
        ],
        absent=absent,
        folded=out,
        pots=make_pots(put_in, out=out),
        values={hand["seat"]: three(parse_cards(hand["cards"])) for hand in dealt_body["hands"]},
    )


def after_settle(
    _rules: PushNineRules, _opening: Opening, body: Settlement, round_id: str, _table: TableState
) -> TableChange:
    """The button, and the pot that is carried (§4, §7)."""
    pushed = body.get("pushed")
    return {"button": body["button"], "pot": None if pushed is None else {"round_id": round_id, **pushed}}


def _contests(dealt_body: Deal, played: AfterBetting) -> Iterator[Contest]:
    """All pots, the carried ones first, the main pot before the side pots."""
    carried = dealt_body.get("carried")
    for part in [] if carried is None else carried["pots"]:
        pot = Pot(part["amount"], tuple(player["seat"] for player in part["eligible"]))
        yield _contest(part["pot"], part["account"], pot, played)
    for number, pot in enumerate(played.pots.pots):
        side = f"side_{number}" if number else ""
        name = (side or MAIN) if carried is None else "bets" + (side and f"_{side}")
        yield _contest(name, played.account, pot, played)


def _contest(name: str, account: str, pot: Pot, played: AfterBetting) -> Contest:
    """Who wins a pot. A player who was the last one left in it has won it, even if he then folds for another."""
    live = still_in(pot.eligible, played.folded)
    if len(live) == 1:
        return Contest(name, account, pot, (live[0],), "others_folded")
    best = best_of(live, played.values.__getitem__)
    return Contest(name, account, pot, best, "best_hand" if len(best) == 1 else "tied")


def _postings(played: AfterBetting, contests: Sequence[Contest]) -> Iterator[Posting]:
    """Money into the pots, uncalled bets left out, and out of those that are won; a pushed pot keeps what it has."""
    for seat, amount in played.put_in.items():
        called = amount - played.pots.returned.get(seat, 0)
        if called:
            yield Posting(account_of(played.bettors[seat]), played.account, called, Why.POT)
    for seat, stake in sorted(played.stakes.items()):
        if stake.kind == BUY_IN:  # into the main pot, which is the first of those carried
            payer = account_of(played.bettors[seat])
            yield Posting(payer, contests[0].account, stake.amount_minor, Why.BUY_IN, stake.wager_id)
    for contest in contests:
        if not contest.is_pushed:
            winner = account_of(played.bettors[contest.best[0]])
            yield Posting(contest.account, winner, contest.pot.amount_minor, Why.WIN)


def _hand(hand: Hand, folded: Sequence[int]) -> ShownHand:
    cards = parse_cards(hand["cards"])
    category = three_category(three(cards))
    shown: ShownHand = {
        "seat": hand["seat"],
        "cards": hand["cards"],
        "category": category.value,
        "folded": hand["seat"] in folded,
    }
    if category is ThreeCategory.POINTS:
        shown["points"] = points(cards)
    return shown


def _rule(reason: str) -> str:
    return f"{SHEET} §6" if reason in ("folded", "others_folded") else f"{SHEET} §7"


def _pot(contest: Contest, bettors: Mapping[int, str]) -> PotTold:
    amount, winners = contest.pot.amount_minor, () if contest.is_pushed else contest.best
    return {
        "pot": contest.name,
        "account": contest.account,
        "amount": amount,
        "eligible": list(contest.pot.eligible),
        "result": "pushed" if contest.is_pushed else "won",
        "winners": list(winners),
        "tied": list(contest.best) if contest.is_pushed else [],
        "shares": [{"seat": seat, "bettor": bettors[seat], "amount": amount} for seat in winners],
        "reason": contest.reason,
        "rule": _rule(contest.reason),
    }


def _carry(rules: PushNineRules, contest: Contest, bettors: Mapping[int, str]) -> TiedPot:
    """A pushed pot as the table carries it; only the main pot can be bought into (§7)."""
    carried: TiedPot = {
        "pot": contest.name,
        "account": contest.account,
        "amount": contest.pot.amount_minor,
        "tied": [{"seat": seat, "bettor": bettors[seat]} for seat in contest.best],
    }
    if contest.name == MAIN:
        carried["buy_in"] = rules.buy_in(contest.pot.amount_minor)
    return carried


def _results(played: AfterBetting, contests: Sequence[Contest]) -> Iterator[PlayerResult]:
    """What became of each player: all that he put in, what of it the pots kept or came back uncalled, what he won."""
    for seat, bettor in played.bettors.items():
        stake = played.stakes.get(seat)
        bought = stake.amount_minor if stake is not None and stake.kind == BUY_IN else 0
        won = [contest for contest in contests if contest.best == (seat,)]
        outcome: Literal["win", "lose", "push"]
        if won:
            outcome, reason = Outcome.WIN.value, won[0].reason
        elif any(contest.is_pushed and seat in contest.best for contest in contests):
            outcome, reason = Outcome.PUSH.value, "tied"
        else:
            gone = "absent" if seat in played.absent else "folded"
            outcome, reason = Outcome.LOSE.value, gone if seat in played.folded else "lower_hand"
        amount, returned = played.put_in[seat] + bought, played.pots.returned.get(seat, 0)
        result: PlayerResult = {
            "seat": seat,
            "bettor": bettor,
            "amount": amount,
            "result": outcome,
            "paid": sum(contest.pot.amount_minor for contest in won),
            "collected": amount - returned,
            "returned": returned,
            "reason": reason,
            "rule": _rule(reason),
        }
        yield result if stake is None else {"wager_id": stake.wager_id, "kind": stake.kind, **result}

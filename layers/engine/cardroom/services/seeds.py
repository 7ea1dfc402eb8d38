"""The seeds of a service: made of the deployment's master secret, and held against what was committed to."""

from __future__ import annotations

from typing import Final

from cardroom.rounds.steps import Call, SeedSecrets
from cardroom.services.ports import Ports
from cardroom.shapes.parts import Commitment, SeedTerms
from cardroom.shuffle import commitment, server_seed
from cardroom.signing.certificate import KeysUnavailable

SALT_BYTES: Final = 16


class MasterSecrets(SeedSecrets):
    """The secrets of a service: every seed follows from the deployment's master and a salt of its own."""

    def __init__(self, ports: Ports) -> None:
        self._ports = ports

    def commit(self, call: Call) -> Commitment:
        """A fresh commitment for what is opened by a call."""
        salt, epoch = self._ports.entropy(SALT_BYTES).hex(), self._ports.master.epoch
        named = {"operator": call.operator, "table_id": call.table_id, "round_id": call.round_id}
        seed = server_seed(self._ports.master.secret(epoch), **named, salt=salt)
        return {"commitment": commitment(seed), "salt": salt, "epoch": epoch}

    def seed(self, terms: SeedTerms) -> bytes:
        """The seed of a round, a shoe or a draw by its terms.

        Raises KeysUnavailable where the master secret cannot be had, or is not the one that was committed with: no
        card comes from another seed than the one promised.
        """
        body = terms["body"]
        seed = server_seed(
            self._ports.master.secret(body["epoch"]),
            operator=terms["operator"],
            table_id=terms["table_id"],
            round_id=terms["round_id"],
            salt=body["salt"],
        )
        if commitment(seed) != body["commitment"]:
            raise KeysUnavailable(
                f"the master secret of epoch {body['epoch']} is not the one that {terms['round_id']} was committed "
                "with: give this service that one back",
                lost=True,
            )
        return seed

    def seed_to_reveal(self, terms: SeedTerms) -> bytes | None:
        """The seed of what ends without another card, None if it is lost for good, so that no table is stuck.

        Raises KeysUnavailable where the keys are only out of reach for now: what can still be proved must be.
        """
        try:
            return self.seed(terms)
        except KeysUnavailable as unavailable:
            if not unavailable.lost:
                raise
            return None

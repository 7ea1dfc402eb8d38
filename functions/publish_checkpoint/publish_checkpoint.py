"""Publishes the day's checkpoint of all tables' heads, when the schedule calls."""

from typing import Any

from cardroom.adapters.environment import publisher
from cardroom.services import publish_checkpoint


def handler(_event: dict[str, Any], _context: object) -> publish_checkpoint.DayPublished:
    """The day, the log, and how many leaves it now has; a second time on one day changes nothing."""
    return publish_checkpoint.publish_checkpoint(publisher())

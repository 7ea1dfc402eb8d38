"""Every refusal reaches the caller as a problem with a stable slug of its own, and with a page."""

from __future__ import annotations

import pkgutil

import pytest

import cardroom
from cardroom.refusals import Refusal
from cardroom.wire import problems
from tools import problem_page

refusals = problems.every_refusal


def test_all_modules_are_walked() -> None:
    names = {module.name for module in pkgutil.walk_packages(cardroom.__path__, "cardroom.")}
    assert {refusal.__module__ for refusal in refusals()} <= names
    assert len(refusals()) > 60


def test_slugs_are_unique() -> None:
    slugs = [problems.slug_of(refusal) for refusal in refusals()]
    assert sorted(slugs) == sorted(set(slugs))


def test_the_table_names_only_refusals() -> None:
    slugs = {problems.slug_of(refusal) for refusal in refusals()}
    assert set(problems.STATUS) <= slugs
    assert set(problems.RETRY) <= slugs


@pytest.mark.parametrize("refusal", refusals(), ids=lambda refusal: refusal.__name__)
def test_every_refusal_says_in_a_sentence_what_it_refuses(refusal: type[Refusal]) -> None:
    assert refusal.__doc__
    first = refusal.__doc__.splitlines()[0]
    assert first.endswith("."), first


def test_docs_page_is_up_to_date() -> None:
    assert problem_page.PAGE.read_text("utf-8") == problem_page.render(), "run python -m tools.problem_page"

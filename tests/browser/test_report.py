"""The audit's report in a browser: no script error, no outside request, readable on a desk and on a phone."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, sync_playwright

from cardroom.audit.finding import Place
from cardroom.audit.replay import Replay
from cardroom.audit.results import merge, report_of
from cardroom.audit.span import RecordsAudit
from cardroom.services.catalogue import published
from cardroom.signing.certificate import RootVerifier
from cardroom_desk.report.page import page
from cardroom_desk.report.plots import chi_square_p
from tests.audit.play import BACCARAT, BICYCLE, CASINO, PUSH_NINE, Room
from tests.machine import PROGRAMS

DESKTOP, PHONE = (1280, 3000), (390, 3000)


@dataclass(frozen=True)
class Seen:
    """What a browser did with a page."""

    png: bytes
    width: int  # of what is laid out, in CSS pixels
    requests: list[str]  # of the page, but for the page itself
    console: list[str]  # what scripts said, and errors that none of them caught


@pytest.fixture
def browser() -> Iterator[Browser]:
    """The machine's Chromium; ended with the test, since its event loop is in the way of any other."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=PROGRAMS["chromium"].find())
        yield browser
        browser.close()


def look(browser: Browser, folder: Path, html: str, size: tuple[int, int]) -> Seen:
    (folder / "page.html").write_text(html, encoding="utf-8")
    requests: list[str] = []
    console: list[str] = []
    page = browser.new_page(viewport={"width": size[0], "height": size[1]})
    page.on("request", lambda request: requests.append(request.url))
    page.on("console", lambda message: console.append(message.text))
    page.on("pageerror", lambda error: console.append(error.message))
    page.goto((folder / "page.html").as_uri(), wait_until="networkidle")
    width = page.evaluate("document.documentElement.scrollWidth")
    own, *others = requests
    assert own == (folder / "page.html").as_uri()
    return Seen(page.screenshot(), width, others, console)


def size_of(png: bytes) -> tuple[int, int]:
    assert png.startswith(b"\x89PNG")
    return int.from_bytes(png[16:20]), int.from_bytes(png[20:24])


def audited(room: Room) -> Any:
    spans = RecordsAudit(RootVerifier(room.root.jwks()), replay=Replay(published()))
    for position, jws in enumerate(room.records, start=1):
        spans.take(jws, Place(position=position, line=position + 1, record=position))
    return spans.result()


@pytest.fixture(scope="session")
def report() -> dict[str, Any]:
    """A report that has everything: findings, voids, a live round, an open shoe."""
    results = []
    for number, ruleset in enumerate((BICYCLE, CASINO, PUSH_NINE, BACCARAT)):
        room = Room(ruleset, f"t{number}-<b>&amp;", seed=number)
        for index in range(20):
            room.play(void=index == 7)
        if ruleset == CASINO:
            room.forge(6, lambda payload: payload["body"]["results"][0].update(paid=999))
            room.forge(11, lambda payload: payload["body"]["hands"][0]["cards"].reverse())
        elif ruleset == PUSH_NINE:
            room.play(settle=False)
        results.append(audited(room))
    return report_of(merge(results))


@pytest.mark.needs("chromium")
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_the_report_asks_for_nothing_and_fits(
    browser: Browser, report: dict[str, Any], size: tuple[int, int], tmp_path: Path
) -> None:
    seen = look(browser, tmp_path, page(report, names=["export.jsonl"]), size)
    assert seen.requests == []
    assert seen.console == []
    assert size_of(seen.png) == size
    assert len(seen.png) > 50_000  # something is drawn
    assert seen.width == size[0]  # nothing stands out to the right


@pytest.mark.needs("chromium")
def test_an_error_a_request_and_what_does_not_fit_would_be_seen(browser: Browser, tmp_path: Path) -> None:
    html = """<img src="http://127.0.0.1:9/pixel.png"><div style="width: 500px">.</div>
        <script>console.log("said"); nobody.knows()</script>"""
    seen = look(browser, tmp_path, html, PHONE)
    assert seen.requests == ["http://127.0.0.1:9/pixel.png"]
    assert "said" in seen.console and "nobody is not defined" in seen.console
    assert seen.width > 500


def test_what_the_report_says(report: dict[str, Any]) -> None:
    html = page(report, names=["export.jsonl"])
    assert report["verdict"] == "fail" and ">FAIL<" in html and "2 findings;" in html
    assert {found["code"] for found in report["findings"]} == {"card-wrong", "payout-wrong"}
    for found in report["findings"]:
        assert found["code"] in html and found["field"] in html
    assert "t1-&lt;b&gt;&amp;amp;" in html and "<b>&amp;" not in html  # what records say is escaped
    for heading in ("by banker", "Not proved", "Listed, and no fault", "By rule set", "By day", "Cards by position"):
        assert heading in html
    assert "<script" not in html and "http://" not in html and "https://" not in html and "url(" not in html


def test_a_passing_report() -> None:
    room = Room(BICYCLE)
    room.play()
    html = page(report_of(merge([audited(room)])), names=["export.jsonl"])
    assert ">PASS<" in html and "3 records of 1 table: all hold." in html and "<h2>Findings" not in html


def test_chi_square_against_a_table() -> None:
    """The 5 and 0.1 percent points as tables give them (NIST Engineering Statistics Handbook, 1.3.6.7.4)."""
    for free, five, thousandth in ((10, 18.307, 29.588), (50, 67.505, 86.661), (100, 124.342, 149.449)):
        assert chi_square_p(five, free) == pytest.approx(0.05, rel=0.01)
        assert chi_square_p(thousandth, free) == pytest.approx(0.001, rel=0.1)

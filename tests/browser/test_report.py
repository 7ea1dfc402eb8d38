"""The audit's report in a browser: no script error, no outside request, readable on a desk and on a phone."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from cardroom.audit import Spans, merge, report_of
from cardroom.audit.certificate import RootVerifier
from cardroom.audit.chain import Place
from cardroom.audit.replay import Replay
from cardroom.services import catalog
from cardroom_desk.report.page import page
from cardroom_desk.report.plots import chi_square_p
from tests.audit.play import BACCARAT, BICYCLE, CASINO, PUSH_NINE, Room

ROOT = Path(__file__).parents[2]
DESKTOP, PHONE = (1280, 3000), (390, 3000)


@dataclass(frozen=True)
class Seen:
    """What a browser did with a page."""

    png: bytes
    requests: list[str]  # but for the page itself
    console: list[str]


@pytest.fixture(scope="session")
def chromium() -> str:
    found = subprocess.run([ROOT / "tools/chromium"], capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stderr
    return found.stdout.split()[0]


def browse(
    chromium: str, folder: Path, html: str, size: tuple[int, int], *more: str
) -> subprocess.CompletedProcess[str]:
    (folder / "page.html").write_text(html)
    command = [
        chromium, "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--disable-background-networking",
        "--disable-component-update", "--disable-sync", "--no-first-run", "--disable-dev-shm-usage",
        "--enable-logging=stderr", f"--user-data-dir={folder / 'profile'}", f"--log-net-log={folder / 'net.json'}",
        f"--window-size={size[0]},{size[1]}", *more, (folder / "page.html").as_uri(),
    ]  # fmt: skip
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)


def look(chromium: str, folder: Path, html: str, size: tuple[int, int]) -> Seen:
    done = browse(chromium, folder, html, size, f"--screenshot={folder / 'page.png'}")
    log = json.loads((folder / "net.json").read_text())
    started = log["constants"]["logEventTypes"]["URL_REQUEST_START_JOB"]
    urls = {event["params"]["url"] for event in log["events"] if event["type"] == started and "url" in event["params"]}
    console = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    own = (folder / "page.html").as_uri()
    return Seen((folder / "page.png").read_bytes(), sorted(urls - {own}), console)


def width_of(chromium: str, folder: Path, html: str, size: tuple[int, int]) -> int:
    """How wide the page is laid out, in CSS pixels, as a script that is added to it tells."""
    head, body = html.split("<meta http-equiv", 1)
    told = "<script>document.title = document.documentElement.scrollWidth</script></body>"
    asked = head + body.split(">", 1)[1].replace("</body>", told)
    dom = browse(chromium, folder, asked, size, "--dump-dom").stdout
    return int(dom.split("<title>")[1].split("<")[0])


def size_of(png: bytes) -> tuple[int, int]:
    assert png.startswith(b"\x89PNG")
    return int.from_bytes(png[16:20]), int.from_bytes(png[20:24])


def audited(room: Room) -> Any:
    spans = Spans(RootVerifier(room.root.jwks()), replay=Replay(catalog.pinned))
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


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_the_report_asks_for_nothing_and_fits(
    chromium: str, report: dict[str, Any], size: tuple[int, int], tmp_path: Path
) -> None:
    html = page(report, names=["export.jsonl"])
    seen = look(chromium, tmp_path, html, size)
    assert seen.requests == []
    assert seen.console == []
    assert size_of(seen.png) == size
    assert len(seen.png) > 50_000  # something is drawn
    assert width_of(chromium, tmp_path, html, size) == size[0]  # nothing stands out to the right


def test_an_error_and_a_request_would_be_seen(chromium: str, tmp_path: Path) -> None:
    html = '<img src="http://127.0.0.1:9/pixel.png"><script>nobody.knows()</script>'
    seen = look(chromium, tmp_path, html, PHONE)
    assert seen.requests == ["http://127.0.0.1:9/pixel.png"]
    assert any("nobody is not defined" in line for line in seen.console)


def test_what_the_report_says(report: dict[str, Any]) -> None:
    html = page(report, names=["export.jsonl"])
    assert report["verdict"] == "fail" and ">FAIL<" in html and "2 findings." in html
    assert {found["code"] for found in report["findings"]} == {"card-wrong", "payout-wrong"}
    for found in report["findings"]:
        assert found["code"] in html and found["field"] in html
    assert "t1-&lt;b&gt;&amp;amp;" in html and "<b>&amp;" not in html  # what records say is escaped
    for heading in ("by banker", "Rounds in play", "Rounds pending", "By rule set", "By day", "Cards by position"):
        assert heading in html
    assert "<script" not in html and "http://" not in html and "https://" not in html and "url(" not in html


def test_a_passing_report() -> None:
    room = Room(BICYCLE)
    room.play()
    html = page(report_of(merge([audited(room)])), names=["export.jsonl"])
    assert ">PASS<" in html and "Every record holds." in html and "<h2>Findings" not in html


def test_chi_square_against_a_table() -> None:
    """The 5 and 0.1 percent points as tables give them (NIST Engineering Statistics Handbook, 1.3.6.7.4)."""
    for free, five, thousandth in ((10, 18.307, 29.588), (50, 67.505, 86.661), (100, 124.342, 149.449)):
        assert chi_square_p(five, free) == pytest.approx(0.05, rel=0.01)
        assert chi_square_p(thousandth, free) == pytest.approx(0.001, rel=0.1)

"""The built site: links, anchors, pictures, and what a reader's browser makes of it."""

from __future__ import annotations

import functools
import html.parser
import http.server
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlsplit

import pytest

from pages import ROOT

HTML = ROOT / ".build-docs/html"


class Page(html.parser.HTMLParser):
    """Targets and links of one page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: set[str] = set()
        self.feed(path.read_text())

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        for name, value in attributes:
            if name == "id" and value:
                self.ids.add(value)
            elif name in ("href", "src") and value:
                self.links.add(value)


@pytest.fixture(scope="module")
def pages() -> dict[Path, Page]:
    return {path: Page(path) for path in sorted(HTML.rglob("*.html"))}


def test_no_link_is_dead(pages: dict[Path, Page]) -> None:
    dead, external = [], set()
    for path, page in pages.items():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                external.add(link)
                continue
            place, anchor = urldefrag(link)
            target = (path.parent / unquote(urlsplit(place).path)).resolve() if place else path
            if not target.exists():
                dead.append(f"{path.relative_to(HTML)}: {link}")
            elif anchor and target in pages and unquote(anchor) not in pages[target].ids:
                dead.append(f"{path.relative_to(HTML)}: {link} (no such place)")
    (HTML.parent / "external-links.txt").write_text("".join(f"{link}\n" for link in sorted(external)))
    assert not dead, "\n".join(dead[:40])


def test_every_exported_call_has_a_place(pages: dict[Path, Page]) -> None:
    """hoist_plugin_entry() is exported by plug-ins, and stands in the reference, too."""
    places = {name for page in pages.values() for name in page.ids}
    symbols = (ROOT / "Tests/ABI/symbols.txt").read_text().split()
    missing = [name for name in symbols if name.startswith("hoist_") and f"c.{name}" not in places]
    assert not missing


REPOSITORY = [path for path in (*ROOT.glob("*.md"), *(ROOT / "Documentation").glob("*.md"))]


@pytest.mark.parametrize("page", sorted(REPOSITORY), ids=lambda page: page.name)
def test_no_link_of_the_repository_is_dead(page: Path) -> None:
    text = page.read_text()
    places = {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in re.findall(r"^#+ (.*)$", text, re.M)}
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        place, anchor = urldefrag(link)
        if not urlsplit(link).scheme:
            assert not place or (page.parent / place).exists(), link
            assert place or anchor in places, link


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(HTML)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def opened(tmp_path: Path, address: str):
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if not browser:
        pytest.skip("no Chromium: apt-get install chromium")

    def document(page: str) -> str:
        """What a browser shows after the page's scripts have run."""
        command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                   "--disable-background-networking", f"--user-data-dir={tmp_path}", "--virtual-time-budget=20000",
                   "--dump-dom", f"{address}/{page}"]
        return subprocess.run(command, capture_output=True, text=True, timeout=120, check=True).stdout

    return document


def test_a_browser_opens_it(opened) -> None:
    shown = opened("index.html")
    assert "The tutorial" in shown and 'href="guides/unleash.html"' in shown


def test_the_search_finds_a_call(opened) -> None:
    shown = opened("search.html?q=hoist_client_bool")
    assert 'href="c/evaluation.html' in shown, "the search does not lead to hoist/evaluation.h"

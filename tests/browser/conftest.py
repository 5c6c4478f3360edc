"""Debian's chromium without a network, for tests that look at pages as their readers do: `make browser` installs it."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium")
REASON = "no browser on this machine: `make browser` installs Debian's chromium and playwright"
NO_NAMES = "--host-resolver-rules=MAP * ~NOTFOUND"

Opened = Callable[..., Any]


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    sync_api = pytest.importorskip("playwright.sync_api", reason=REASON)
    if CHROMIUM is None:
        pytest.skip(REASON)
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", NO_NAMES])
        yield started
        started.close()


@pytest.fixture
def visited(browser: Any) -> Opened:
    """`with visited(path, width=…, dark=…, scripts=…) as page`: the page must log nothing and ask for nothing."""

    @contextmanager
    def visit(path: Path, *, width: int = 1200, dark: bool = False, scripts: bool = True) -> Iterator[Any]:
        context = browser.new_context(
            viewport={"width": width, "height": 900},
            color_scheme="dark" if dark else "light",
            java_script_enabled=scripts,
        )
        page = context.new_page()
        told: list[str] = []
        page.on("console", lambda message: told.append(message.text))
        page.on("pageerror", lambda error: told.append(str(error)))
        page.on("request", lambda request: told.append(request.url))
        page.goto(path.as_uri())
        yield page
        context.close()
        assert [one.partition("#")[0] for one in told] == [path.as_uri()]

    return visit

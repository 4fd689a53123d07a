"""Settings and fixtures for all tests.

Compiled kernels are cached per digest of their sources in the user's cache folder (stages/kernels/jit.py), so
a machine pays the compile time once and never meets a stale kernel.
"""

from __future__ import annotations

import gc
import os
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parents[1]

_common = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("quick", max_examples=5, derandomize=True, **_common)
settings.register_profile("short", max_examples=25, derandomize=True, **_common)
settings.register_profile("long", max_examples=500, **_common)
settings.load_profile(os.environ.get("BNSL_HYPOTHESIS", "short"))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--regenerate", action="store_true", help="rewrite the expected output of the golden cases")


def pytest_configure(config: pytest.Config) -> None:
    # A shell starts jobs in the background with these ignored, and so would be the commands that tests send them to.
    for number, usual in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, usual)
    config.addinivalue_line("markers", "slow: takes seconds; left out by make test-quick")
    gc.disable()


def pytest_collection_finish() -> None:
    """Modules and tests stay to the end: garbage collections need not visit them. Kernels that load later stay too:
    collections are rarer than by default.
    """
    gc.freeze()
    gc.set_threshold(10_000, 20, 50)
    gc.enable()


def pytest_sessionfinish() -> None:
    """What one collection leaves is no garbage: those of pytest and of the interpreter's end need not visit it."""
    gc.collect()
    gc.freeze()


QUICK_CASES = 2
"""Cases of a parametrised test that ``make test-quick`` runs."""


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Under the quick profile, keep a few cases of each test, spread over all of them."""
    if os.environ.get("BNSL_HYPOTHESIS") != "quick":
        return
    cases: dict[tuple[Path, str], list[pytest.Item]] = {}
    for item in items:
        cases.setdefault((item.path, item.nodeid.partition("[")[0]), []).append(item)
    kept = {item for of_test in cases.values() for item in of_test[:: -(-len(of_test) // QUICK_CASES)]}
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = [item for item in items if item in kept]


def shared_folder() -> Path | None:
    """The folder of large benchmark data beside the checkout, where there is one."""
    place = Path(os.environ.get("BNSL_SHARED") or ROOT.parent / "shared")
    return place if (place / "reference_scores.json").is_file() else None


@pytest.fixture(scope="session")
def shared() -> Path:
    """Large benchmark data; tests that need them are skipped where they are absent."""
    place = shared_folder()
    if place is None:
        pytest.skip("no shared benchmark data on this machine")
    return place


@pytest.fixture(scope="session")
def regenerate(request: pytest.FixtureRequest) -> bool:
    """Whether golden cases are to be rewritten."""
    return request.config.getoption("--regenerate")


@pytest.fixture(scope="session")
def bundled() -> Path:
    """The bundled example data."""
    return ROOT / "bnsl" / "bundled"

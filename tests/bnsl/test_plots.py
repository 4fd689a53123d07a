"""Plots: what is drawn equals the figures of the results; files are of their kind and the same each time."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from helpers.places import EXAMPLE_DATA
from helpers.processes import run_here

import bnsl
from bnsl.plots import COLOURS, PICTURES, PLOTS

figures = pytest.importorskip("matplotlib.figure")

ASIA = str(EXAMPLE_DATA / "asia.bif")
HEADS = {"svg": b"<?xml", "pdf": b"%PDF-", "png": b"\x89PNG\r\n\x1a\n"}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("plots")
    bnsl.sample(ASIA, rows=600, seed=1, quiet=True).to_pandas().to_csv(folder / "asia.csv", index=False)
    sets = bnsl.parentsets(str(folder / "asia.csv"), columns="smoke,lung,bronc,dysp", keep_mass=1e-3, quiet=True)
    sets.save(folder / "s.sets.jsonl")
    networks = bnsl.optimize(data=str(folder / "asia.csv"), method="hc", bootstrap=5, seed=1, quiet=True)
    (folder / "r.jsonl").write_text("".join(bnsl.convert(network, to="network", quiet=True) for network in networks))
    return folder


def axes() -> Any:
    return figures.Figure().subplots()


def points(line: Any) -> list[tuple[float, float]]:
    return list(zip(*(values.tolist() for values in line.get_data())))


def words(ax: Any) -> Sequence[str]:
    return [text.get_text() for text in (ax.get_legend().get_texts() if ax.get_legend() else ())]


def test_a_search_shows_scores_bound_and_claim(place: Path):
    network = bnsl.optimize(data=str(place / "asia.csv"), seed=1, quiet=True)
    ax = network.trace.plot(axes())
    entries = network.figures["trace"]
    steps = points(ax.get_lines()[0])
    assert steps[:-1] == [(entry["seconds"], entry["score"]) for entry in entries]
    assert steps[-1] == (network.figures["seconds"], network.score)
    [bound] = [points(line) for line in ax.get_lines() if line.get_label() == "upper bound at the end"]
    assert bound == [(network.figures["seconds"], network.score + network.gap)]
    assert ax.get_title() == network.claim == "optimal among all networks"
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("time (seconds)", "score bic (nats)")


def test_what_came_without_a_search_has_no_trace():
    network = bnsl.read(ASIA)
    assert network.trace is None
    with pytest.raises(bnsl.UsageError, match="is no axes of matplotlib"):
        network.cpt("asia").plot("x.svg")


def test_gaps_of_a_search_are_bounds_over_time():
    network = bnsl.optimize(data={"a": [0, 1] * 9, "b": [1, 0] * 9}, quiet=True)
    gaps = [{"seconds": 1.0, "score": -5.0, "gap_to_the_best_of_9_sets": 2.0}, {"seconds": 2.0, "score": -4.0}]
    network.figures["trace"] = [*gaps, {"seconds": 3.0, "score": -4.0, "gap_to_the_lists'_best": 0.5}]
    assert network.trace["gap_to"].to_pylist() == ["the best of 9 sets", None, "the lists' best"]
    assert points(network.trace.plot(axes()).get_lines()[2])[:2] == [(1.0, -3.0), (3.0, -3.5)]
    network.figures |= {"seconds": 60.0, "trace": [{"seconds": 0.1, "score": -9e5}, *network.figures["trace"]]}
    ax = network.trace.plot(axes())
    assert -9 < ax.get_ylim()[0] < -4 and words(ax)[0] == "best score so far, at first -900,000"


@pytest.mark.parametrize("measure", ["probability", "contrast", "strength"])
def test_effects_are_means_with_credible_intervals(place: Path, measure: str):
    found = bnsl.effects(
        ASIA, data=str(place / "asia.csv"), cause="smoke", effect="lung,dysp", measure=measure, level=0.8, seed=1,
        quiet=True,
    )  # fmt: skip
    ax = found.plot(axes())
    [segments] = [c.get_segments() for c in ax.collections]
    assert [s[:, 0].tolist() for s in segments] == list(
        map(list, zip(*(found[n].to_pylist() for n in ("lower", "upper"))))
    )
    assert [x for x, _ in points(ax.get_lines()[0])] == found[measure].to_pylist()
    labels = [text.get_text() for text in ax.get_yticklabels()]
    assert labels[0] == ("dysp | do(smoke)" if measure == "strength" else "lung=yes | do(smoke=yes)")
    assert "80 % credible intervals" in ax.get_title() and "given the network" in ax.get_title()
    assert "hidden common cause" in " ".join(ax.get_title().split())


def test_probabilities_are_cells_of_a_heat_map(place: Path):
    found = bnsl.posterior(str(place / "s.sets.jsonl"), quiet=True)
    ax = found.plot(axes())
    cells = ax.get_images()[0].get_array()
    names = [text.get_text() for text in ax.get_yticklabels()]
    assert names == ["smoke", "lung", "bronc", "dysp"]
    for row in found.to_arrow().to_pylist():
        assert cells[names.index(row["parent"]), names.index(row["child"])] == row["probability"]
    assert np.ma.getmaskarray(cells).trace() == 4 and ax.get_xlabel() == "child"
    with pytest.raises(bnsl.UsageError, match=r"kind='roc': nothing to draw: it has heat-map"):
        found.plot(axes(), "roc")


def test_strengths_have_the_curve_and_the_threshold(place: Path):
    consensus = bnsl.average(str(place / "r.jsonl"), seed=1, quiet=True)
    ax = consensus.strengths.plot(axes())
    pairs = {frozenset((r["parent"], r["child"])): r["either"] for r in consensus.strengths.to_arrow().to_pylist()}
    curve, line = ax.get_lines()
    xs, ys = zip(*points(curve))
    for x in {0.0, *pairs.values()}:
        share = (28 - len(pairs) + sum(strength <= x for strength in pairs.values())) / 28
        assert max(y for at, y in zip(xs, ys) if at <= x) == pytest.approx(share)
    threshold = consensus.record.header.extra["threshold"]
    assert line.get_xdata() == [threshold] * 2
    n_above = sum(strength > threshold for strength in pairs.values())
    assert words(ax)[1] == f"threshold {threshold:.3g}: {n_above} pairs above"
    assert consensus.strengths.plot(axes(), "heat-map").get_images()


def test_predictions_of_a_target(place: Path):
    [found] = bnsl.evaluate(ASIA, test=str(place / "asia.csv"), target="dysp", curve=True, quiet=True)
    of_yes = [point for point in found["target_curve"] if point["state"] == "yes"]
    roc, precision, calibration = (found.plot(axes(), kind) for kind in ("roc", "precision-recall", "calibration"))
    area = next(each["roc_area"] for each in found["target_states"] if each["state"] == "yes")
    assert words(roc)[0].startswith("dysp=yes, ") and words(roc)[0].endswith(f"(area {area:.3f})")
    assert points(roc.get_lines()[0]) == [(0, 0), *((p["false_positive_rate"], p["recall"]) for p in of_yes)]
    assert points(precision.get_lines()[0])[1:] == [(p["recall"], p["precision"]) for p in of_yes]
    bins = [(each["probability"], each["accuracy"]) for each in found["target_calibration"]]
    assert calibration.collections[0].get_offsets().tolist() == list(map(list, bins))
    assert [t.get_text() for t in calibration.texts] == [f"{each['rows']:,}" for each in found["target_calibration"]]
    assert found.plot(axes()).get_xlabel() == "false positive rate"
    with pytest.raises(bnsl.UsageError, match="nothing to draw"):
        bnsl.read(ASIA).evaluate().plot(axes())


def test_networks_share_axes(place: Path):
    two = bnsl.evaluate([ASIA, ASIA], test=str(place / "asia.csv"), target="dysp", curve=True, quiet=True)
    ax = axes()
    for found in two:
        found.plot(ax)
    shown = [line for line in ax.get_lines() if not line.get_label().startswith("_")]
    assert len({(line.get_color(), line.get_linestyle()) for line in shown}) == 4


def test_strengths_are_judged_by_bins(place: Path):
    strengths = bnsl.average(str(place / "r.jsonl"), seed=1, quiet=True).strengths
    [found] = bnsl.evaluate(strengths=strengths, reference=ASIA, quiet=True)
    shown = found.plot(axes()).collections[0].get_offsets().tolist()
    assert shown == [[each["strength"], each["share"]] for each in found["calibration"]]


def test_distributions_are_bars_with_errors():
    found = bnsl.read(ASIA).query({"smoke": "yes"}, variables=["dysp", "lung"])
    ax = found.plot(axes())
    assert [bar.get_width() for bar in ax.patches] == found["probability"].to_pylist()
    assert [text.get_text() for text in ax.get_yticklabels()] == ["dysp=yes", "dysp=no", "lung=yes", "lung=no"]
    about = bnsl.read(ASIA).query({"smoke": "yes"}, variables=["dysp"], approximate=50, seed=1)
    ax = about.plot(axes())
    [ends] = [c.get_segments() for c in ax.collections]
    halves = [(end[1, 0] - end[0, 0]) / 2 for end in ends]
    assert halves == pytest.approx(about["standard_error"].to_pylist()) and "standard error" in ax.get_xlabel()


def test_a_family_is_a_bar_for_each_configuration():
    found = bnsl.read(ASIA).cpt("dysp")
    ax = found.plot(axes())
    rows = found.to_pylist()
    shares = [row["probability"] for state in ("yes", "no") for row in rows if row["dysp"] == state]
    assert [bar.get_width() for bar in ax.patches] == pytest.approx(shares)
    assert ax.get_yticklabels()[1].get_text() == "yes, no" and ax.get_ylabel() == "bronc, either"
    assert words(ax) == ["state yes", "state no"] and ax.get_xlabel() == "probability of dysp given its parents"
    assert len(bnsl.read(ASIA).cpt("asia").plot(axes()).patches) == 2


def test_names_show_as_they_are():
    table = {"_a$x$": ["$1$", "_b"] * 9, "b\\frac{": ["u", "v"] * 9}
    ax = bnsl.learn(table, smoothing=1, quiet=True).cpt("_a$x$").plot(axes())
    ax.figure.savefig(Path("/dev/null"), format="svg")
    assert words(ax) == [r"state \$1\$", "state _b"]


def test_what_is_no_plot_says_so(place: Path):
    with pytest.raises(bnsl.UsageError, match="nothing to draw"):
        bnsl.read(ASIA).query(mpe=True).plot(axes())


def test_of_many_rows_the_first_are_drawn_and_the_plot_says_so():
    wide = {f"v{number}": ["a", "b"] for number in range(201)}
    ax = bnsl.learn(wide, smoothing=1, method="hc", quiet=True).query().plot(axes())
    assert len(ax.patches) == 400 and ax.get_title() == "\nthe first 400 of 402 rows"


def test_numbers_of_bins_stand_within_the_axes():
    ends = [0.0, 0.5, 1.0]
    rows = [{"rows": 10_000, "probability": x, "accuracy": y, "lower": x, "upper": x} for x, y in product(ends, ends)]
    figure = figures.Figure()
    ax = figure.subplots()
    for name in ("a", "b"):
        bnsl.Measures(network=name, target="x", calibration=rows).plot(ax, kind="calibration")
    figure.draw_without_rendering()
    frame = ax.get_window_extent()
    for text in ax.texts:
        box = text.get_window_extent()
        assert frame.x0 <= box.x0 and box.x1 <= frame.x1 and frame.y0 <= box.y0 and box.y1 <= frame.y1


LINES = {
    "trace": ("optimize", "--data asia.csv --hc --seed 1 -o n.net.jsonl --stats"),
    "heat-map": ("posterior", "s.sets.jsonl -o"),
    "strengths": ("average", "r.jsonl --seed 1 -o c.net.jsonl --strengths"),
    "effects": ("effects", f"{ASIA} --data asia.csv --cause smoke --effect lung --draws 20 --seed 1 -o"),
    "roc": ("evaluate", f"{ASIA} --test asia.csv --target dysp -o"),
    "strength-calibration": ("evaluate", f"--strengths t.csv --reference {ASIA} -o"),
    "distributions": ("query", f"{ASIA} smoke=yes -o"),
}
"""The command that draws each plot."""

PAGE = Path(bnsl.__file__).parents[1] / "bnsl_cli" / "pages" / "python.md"
OF_PYTHON = {"family"}
WITH_OTHERS = {"precision-recall": "roc", "calibration": "roc"}


def test_every_plot_has_a_command():
    assert set(PLOTS) == {*LINES, *WITH_OTHERS, *OF_PYTHON}


def test_the_page_names_the_options_that_a_picture_needs():
    cells = re.findall(r"\| `([a-z]+ [^`]*x\.svg)` \|", PAGE.read_text())
    listed = {(cell.split()[0], frozenset(re.findall(r"--[a-z]+", cell))) for cell in cells}
    optional = {"--data", "--hc", "--seed", "--draws", "--cause", "--effect"}
    needed = {(command, frozenset(re.findall(r"--[a-z]+", line)) - optional) for command, line in LINES.values()}
    assert listed == needed


@pytest.mark.parametrize("kind", LINES)
def test_commands_write_pictures(place: Path, kind: str):
    assert run_here("average", "r.jsonl", "--seed", "1", "--strengths", "t.csv", cwd=place).returncode == 0
    command, line = LINES[kind]
    for ending in PICTURES:
        done = run_here(command, *line.split(), f"{kind}.{ending}", cwd=place)
        assert done.returncode == 0, done.stderr
        written = (place / f"{kind}.{ending}").read_bytes()
        assert written.startswith(HEADS[ending])
        if kind != "trace":  # it has times
            run_here(command, *line.split(), f"{kind}.{ending}", cwd=place)
            assert (place / f"{kind}.{ending}").read_bytes() == written
    root = ElementTree.fromstring((place / f"{kind}.svg").read_text())
    n_panels = sum(each.get("id", "").startswith("axes_") for each in root.iter())
    assert n_panels == {"roc": 3, "strengths": 3, "heat-map": 2}.get(kind, 1)  # a scale of colours is one, too


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (f"query {ASIA} --mpe -o x.svg", "these answers have no picture"),
        (f"query {ASIA} --samples 3 --seed 1 -o x.svg", "which does not fit this result: let the name end in .csv"),
        (f"evaluate {ASIA} -o x.svg", "give --target NAME, or --strengths ARCS"),
        (f"evaluate {ASIA} --test asia.csv --target dysp --json -o x.svg", "jsonl was asked for"),
        ("optimize --data asia.csv --hc --bootstrap 2 --stats x.svg", "draws one search"),
        ("optimize --data asia.csv --hc -o x.svg", "bnsl optimize ... | bnsl convert --to svg -o x.svg"),
        (f"average {ASIA} -o x.svg", "bnsl average ... | bnsl convert --to svg -o x.svg"),
        ("entropy asia.csv -o x.svg", "which does not fit this result: let the name end in .arrows"),
    ],
)
def test_where_there_is_no_picture(place: Path, line: str, message: str):
    done = run_here(*line.split(), cwd=place)
    assert done.returncode != 0 and message in " ".join(done.stderr.decode().split())
    assert not (place / "x.svg").exists()


def test_without_matplotlib_a_line_says_what_to_install(place: Path):
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "import bnsl\nfrom bnsl_cli.main import cli\n"
        f"try: bnsl.read({ASIA!r}).cpt('dysp').plot()\nexcept ImportError as error: print(error)\n"
        f"cli(['query', {ASIA!r}, '-o', 'none.svg'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=place)
    assert done.stdout == 'plots need matplotlib: pip install "bnsl-cli[plot]"\n'
    assert 'pip install "bnsl-cli[plot]"' in done.stderr and not (place / "none.svg").exists()


def test_plots_leave_the_state_of_pyplot_alone(place: Path):
    from matplotlib import pyplot

    before, open_figures = (
        json.dumps({key: str(value) for key, value in pyplot.rcParams.items()}),
        pyplot.get_fignums(),
    )
    assert run_here("query", ASIA, "-o", "q.svg", cwd=place).returncode == 0
    assert json.dumps({key: str(value) for key, value in pyplot.rcParams.items()}) == before
    assert pyplot.get_fignums() == open_figures and len(set(COLOURS)) == len(COLOURS)

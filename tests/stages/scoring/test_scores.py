"""The table of scores: against the definition of each, and against the names that files may state."""

from __future__ import annotations

import math

import numpy as np
import pytest
from helpers.tables import make_dataset
from naive.scores import local_score

from formats.errors import VerificationError
from formats.records import Header, NetworkRecord
from formats.schemas import SCORES as NAMES
from stages.optimize.verify import verify_network
from stages.scoring.family_scorer import FamilyScorer
from stages.scoring.independent import score_families
from stages.scoring.scores import SCORES, recorded_ess

CODES = np.random.default_rng(1).integers(0, [[2], [3], [4]], (3, 15)).astype(np.uint8)
DATA = make_dataset(CODES, [2, 3, 4])
PARENTS = ((1, 2), (), (1,))


def network_of(name: str, scores: list[float]) -> NetworkRecord:
    ess, extra = recorded_ess(name, 3.0), {"total": math.fsum(scores)}
    header = Header(DATA.variables, name, DATA.n_rows, DATA.fingerprint, ess, extra=extra)
    return NetworkRecord(header, PARENTS, np.array(scores))


def test_files_may_state_the_scores_there_are():
    assert tuple(SCORES) == NAMES


@pytest.mark.parametrize("name", SCORES)
def test_every_score_has_its_independent_checks(name: str):
    ours = [FamilyScorer(DATA, name, 3.0).local_score(child, family) for child, family in enumerate(PARENTS)]
    rows = [tuple(row) for row in CODES.T.tolist()]
    naive = [local_score(rows, [2, 3, 4], child, family, name, 3.0) for child, family in enumerate(PARENTS)]
    assert ours == pytest.approx(naive, rel=1e-9)
    assert list(score_families(PARENTS, DATA, (name,), 3.0)[name]) == pytest.approx(naive, rel=1e-9)
    verify_network(network_of(name, ours), dataset=DATA)
    with pytest.raises(VerificationError, match="but the data give"):
        verify_network(network_of(name, [score + 1.0 for score in ours]), dataset=DATA)


@pytest.mark.parametrize("name", SCORES)
def test_equivalent_scores_gain_alike_in_both_directions(name: str):
    scorer = FamilyScorer(DATA, name, 3.0)
    # With a parent in common, since all states have rows, but not all combinations.
    forth = scorer.local_score(0, (1, 2)) + scorer.local_score(1, (2,))
    back = scorer.local_score(1, (0, 2)) + scorer.local_score(0, (2,))
    assert math.isclose(forth, back, abs_tol=1e-6) is SCORES[name].is_equivalent


@pytest.mark.parametrize("name", SCORES)
def test_only_some_scores_depend_on_the_equivalent_sample_size(name: str):
    one, other = (FamilyScorer(DATA, name, ess).local_score(0, (1, 2)) for ess in (1.0, 7.0))
    assert (one != other) is SCORES[name].takes_ess
    assert recorded_ess(name, 7.0) == (7.0 if SCORES[name].takes_ess else None)


def test_a_penalty_goes_with_no_prior():
    assert not any(score.penalty and score.prior for score in SCORES.values())

"""Numbers as mantissas and powers of two, against fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.kernels.posterior.scaled_numbers import NOTHING, add_at, power_of_two

numbers = st.one_of(
    st.just((0.0, NOTHING)), st.tuples(st.floats(1.0, 2.0, exclude_max=True), st.integers(-3000, 3000))
)


def exactly(mantissa: float, exponent: int) -> Fraction:
    return Fraction(mantissa) * Fraction(2) ** exponent if mantissa else Fraction(0)


@given(numbers, numbers)
def test_sums(one, other):
    mantissas = np.array([one[0], other[0]])
    exponents = np.array([one[1], other[1]], dtype=np.int32)
    add_at(mantissas, exponents, 0, 1)
    expected = exactly(*one) + exactly(*other)
    found = exactly(float(mantissas[0]), int(exponents[0]))
    assert found == 0 == expected or abs(found / expected - 1) < 1e-15
    assert mantissas[0] == 0.0 or 1.0 <= mantissas[0] < 2.0
    assert (mantissas[1], exponents[1]) == other


@pytest.mark.parametrize(("exponent", "value"), [(0, 1.0), (-1000, 2.0**-1000), (-1001, 0.0), (1000, 2.0**1000)])
def test_powers(exponent, value):
    assert power_of_two(exponent) == value

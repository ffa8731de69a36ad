"""The scenes of `dem_bits.py`: restarts, threads and levels do not show; rounding hardly grows."""

import pytest

from dem_bits import SCENES, TOLERANCE, columns_of, difference, guarded

pytestmark = pytest.mark.filterwarnings("ignore::abut.SimulationWarning")


@pytest.mark.cases(5)
@pytest.mark.parametrize("name", SCENES)
def test_each_scene_does_what_it_is_for_and_has_the_same_bits_in_any_way(name):
    if "laws" in SCENES[name].given:
        pytest.importorskip("numba")
    guarded(name)


@pytest.mark.ci
@pytest.mark.parametrize("name", SCENES)
def test_results_stay_near_when_all_places_change_by_their_last_bit(name):
    if "laws" in SCENES[name].given:
        pytest.importorskip("numba")
    wanted = columns_of(SCENES[name])
    assert difference(columns_of(SCENES[name], nudged=True), wanted) <= TOLERANCE

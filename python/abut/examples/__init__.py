"""Example scenes. They need NumPy and no files, and are the same for the same seed."""

from .rotary_mixer import DRUM_RADIUS as DRUM_RADIUS
from .rotary_mixer import LENGTH as LENGTH
from .rotary_mixer import PADDLE_COUNT as PADDLE_COUNT
from .rotary_mixer import RADIUS as RADIUS
from .rotary_mixer import SPHERE_COUNT as SPHERE_COUNT
from .rotary_mixer import (
    Mixer,
    MixerMeshes,
    mixer,
    mixer_meshes,
    mixer_simulation,
)
from .surfaces import Step, bowl, cylinder, plane, rough_plane, step

__all__ = [
    "Mixer",
    "MixerMeshes",
    "Step",
    "bowl",
    "cylinder",
    "mixer",
    "mixer_meshes",
    "mixer_simulation",
    "plane",
    "rough_plane",
    "step",
]

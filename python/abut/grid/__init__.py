"""The hierarchical grid of pair searches: sizes of cells, and the work that a search takes."""

from .work import cell_sizes, expected_work
from .work_model import Work

__all__ = ["Work", "cell_sizes", "expected_work"]

"""The hierarchical grid of pair searches: cell sizes, and the expected work of a search."""

from .work import cell_sizes, expected_work
from .work_model import Work

__all__ = ["Work", "cell_sizes", "expected_work"]

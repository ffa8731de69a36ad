"""Which tests run when: the tiers `ci` and `long` are behind options (README.md has more)."""

from collections import defaultdict

import pytest
from hypothesis import is_hypothesis_test, settings


def mark_cases(items):
    """Mark with `ci` those cases of tests with the marker `cases` that do not always run."""
    groups = defaultdict(list)
    for item in items:
        groups[item.nodeid.partition("[")[0]].append(item)
    for cases in groups.values():
        marker = cases[0].get_closest_marker("cases")
        if marker:
            always = spread(len(cases), *marker.args)
            for number, item in enumerate(cases):
                if number not in always:
                    item.add_marker(pytest.mark.ci)


def spread(length, count):
    """`count` evenly spread numbers below `length`, starting with 0."""
    return {k * length // count for k in range(count)}


def mark_drawn(items):
    """Mark with `ci` the tests with examples by hypothesis; that tier has more examples."""
    for item in items:
        if is_hypothesis_test(item.obj):
            item.add_marker(pytest.mark.ci)


def is_open(item, config):
    """Whether the item's tier is open: by its option, or since the test is named."""
    if config.getoption("--long") or any("::" in argument for argument in config.args):
        return True
    if item.get_closest_marker("long"):
        return False
    return config.getoption("--ci") or not item.get_closest_marker("ci")


def examples(count):
    """Set the number of examples: `count` in the tier `ci`, a fifth of it by default."""
    return settings(max_examples=max(1, count * min(settings.default.max_examples, 100) // 100))

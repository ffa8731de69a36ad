"""Which tests run when: the tiers `ci` and `long` are behind options (README.md has more)."""

from collections import defaultdict

import pytest
from hypothesis import is_hypothesis_test, settings


def mark_cases(items):
    """Of a test with the marker `cases`, mark with `ci` the cases that are not to run always."""
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
    """So many numbers below the length, evenly spread, the first among them."""
    return {k * length // count for k in range(count)}


def mark_drawn(items):
    """Mark with `ci` the tests whose examples hypothesis draws: there they have more of them."""
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
    """So many examples of a test in the tier `ci`, and a fifth of them by default."""
    return settings(max_examples=max(1, count * min(settings.default.max_examples, 100) // 100))

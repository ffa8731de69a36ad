"""Trials of users' laws on some hundred contacts, which find errors before a simulation runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ..base.arrays import Doubles
from .compiling import as_force
from .contact import Contact, Force, Vector
from .evaluation import OUTPUTS, WIDTHS, Answer, BuiltIn, Contacts, evaluate, turned
from .law import OwnLaw

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .compiled import CompiledLaw

# number of contacts that are tried together, and number of steps that each contact makes
_COUNT, _STEPS = 64, 6

# relative rounding error of a law's results; results for exchanged partners or rotated vectors may
# differ by a thousand times this error
_TOLERANCE = 1e-9

# A force that begins above this fraction of a reference force counts as a jump. The reference is
# the force at an overlap of 3 % of R*; with a reach, the force at touch if that is larger.
_JUMP = 0.05


def try_law(law: OwnLaw | CompiledLaw) -> None:
    """Try a law; a ValueError, AttributeError or TypeError names what is wrong, and where."""
    contacts, history = _begin(law), None
    largest = 0.0
    for step in range(_STEPS):
        if isinstance(law, OwnLaw):
            _try_in_python(law, contacts, history)
        answer = evaluate(law, contacts, history)
        before = np.zeros_like(answer.history) if history is None else history
        _check_finite(law, contacts, before, answer)
        _check_sides(law, contacts, before, answer)
        _check_turned(law, contacts, before, answer)
        largest = max(largest, float(np.abs(answer.push).max()))
        history = answer.history
        _go_on(law, contacts, step)
    if not law.jumps:
        _check_jump(law, largest)


def only_pulls(law: OwnLaw | CompiledLaw | BuiltIn, contacts: Contacts | None = None) -> bool:
    """Whether contacts pull, and never push, while they are slowly pressed to an overlap of R*.
    By default contacts of all kinds are tried."""
    contacts = contacts or _begin(law)
    contacts.set(parting=0.0, sliding=0.0, rolling=0.0, twisting=0.0)
    history, pulls = None, False
    for part in np.logspace(-6.0, 0.0, 25):
        contacts.set(overlap=part * contacts["radius"])
        answer = evaluate(law, contacts, history)
        if (answer.push > 0.0).any():
            return False
        pulls = pulls or bool((answer.push < 0.0).any())
        history = answer.history
        contacts.set(is_new=0.0)
    return pulls


def _begin(law: OwnLaw | CompiledLaw | BuiltIn) -> Contacts:
    """New contacts with various radii, masses, normals, overlaps and velocities."""
    rng = np.random.default_rng(1)
    radius = 10.0 ** rng.uniform(-4.0, -1.0, _COUNT)
    mass = 1e4 * radius**3
    contacts = Contacts(_COUNT, 1e-6)
    normal = rng.normal(size=(_COUNT, 3))
    normal /= np.linalg.norm(normal, axis=1)[:, None]
    contacts.set(
        normal=normal, radius=radius, mass=mass, inertia=0.4 * mass * radius**2,
        radius_i=1.5 * radius, radius_j=3.0 * radius, is_new=1.0,
    )  # fmt: skip
    contacts["radius_j"][::4] = np.inf
    contacts["radius_i"][::4] = radius[::4]
    _go_on(law, contacts, -1)
    return contacts


def _go_on(law: OwnLaw | CompiledLaw | BuiltIn, contacts: Contacts, step: int) -> None:
    """Set other random overlaps and velocities of the same contacts."""
    rng = np.random.default_rng(step + 2)
    radius, normal = contacts["radius"], contacts["normal"]
    overlap = radius * 10.0 ** rng.uniform(-6.0, -1.5, contacts.count)
    if step == 0:
        overlap[::3] = 0.0  # surfaces that just touch are a special case
    if law.reach > 0.0:
        far = rng.uniform(size=contacts.count) < 0.3
        overlap[far] = -law.reach * rng.uniform(size=contacts.count)[far]
    sliding, rolling = rng.normal(size=(2, contacts.count, 3))
    for vectors in (sliding, rolling):
        vectors -= (vectors * normal).sum(axis=1)[:, None] * normal
    contacts.set(
        overlap=overlap, sliding=sliding, rolling=rolling / radius[:, None],
        parting=rng.normal(size=contacts.count), twisting=rng.normal(size=contacts.count),
    )  # fmt: skip
    if step >= 0:
        contacts.set(is_new=0.0)


# ---- in plain Python -----------------------------------------------------------------------------


def one_of(contacts: Contacts, k: int) -> Contact:
    """Contact k, as a law's function takes it."""
    columns: dict[str, Any] = {}
    for name, width in WIDTHS.items():
        entry = contacts[name][k]
        columns[name] = Vector(*entry.tolist()) if width > 1 else float(entry)
    return Contact(**columns, step=contacts.step)


def history_of(law: OwnLaw, history: Doubles | None, k: int) -> Any:
    """The history of contact k, as a law's function takes it."""
    if history is None or law.maker.history is None:
        return law.maker.zero()
    fields: dict[str, Any] = {}
    at = 0
    for name in law.vectors:
        fields[name] = Vector(*history[at : at + 3, k].tolist())
        at += 3
    for name in law.scalars:
        fields[name] = float(history[at, k])
        at += 1
    return law.maker.history(**fields)


def _try_in_python(law: OwnLaw, contacts: Contacts, history: Doubles | None) -> None:
    """Run the function in plain Python, which has clearer errors of types than a compiler."""
    for k in range(0, contacts.count, 5):
        try:
            answer = law.once(one_of(contacts, k), history_of(law, history, k))
        except AttributeError as error:
            known = ", ".join(Contact._fields)
            raise AttributeError(f"{law.name}: {error}; a contact has {known}") from None
        except TypeError as error:
            raise TypeError(f"{law.name}: {error}") from None
        except Exception as error:
            if isinstance(error, ZeroDivisionError) or "math domain" in str(error):
                continue  # the compiled law returns NaN or inf, which is reported with the contact
            text = f"{_raised(error)} at {contact_text(contacts, k)}"
            raise ValueError(f"{law.name}: {text}") from error
        _check_types(law, answer)


def _raised(error: Exception) -> str:
    return f"plain Python raises {type(error).__name__}: {error}"


def _what_raises(law: OwnLaw | CompiledLaw, contacts: Contacts, history: Doubles, k: int) -> str:
    """The reason why the push of contact k is NaN, if the function raises an error there."""
    if isinstance(law, OwnLaw):
        try:
            law.once(one_of(contacts, k), history_of(law, history, k))
        except Exception as error:
            return f", where {_raised(error)}"
    return ""


def _check_types(law: OwnLaw, answer: Any) -> None:
    kept = law.maker.history
    if kept is not None:
        if not isinstance(answer, tuple) or isinstance(answer, Force) or len(answer) != 2:
            raise TypeError(
                f"{law.name} returns {type(answer).__name__}, but with a history must return"
                f" (force, {kept.__name__})"
            )
        answer, new = answer
        if not isinstance(new, kept):
            raise TypeError(
                f"{law.name} returns {type(new).__name__} beside the force, but must return"
                f" {kept.__name__}"
            )
        for name in law.vectors:
            _check_vector(law, f"{kept.__name__}.{name}", getattr(new, name))
    elif not isinstance(answer, Force) and isinstance(answer, tuple):
        raise TypeError(
            f"{law.name} returns a tuple, but must return a number or abut.laws.force(...)"
        )
    force = as_force(answer)
    _check_vector(law, "tangent", force.tangent)
    _check_vector(law, "moment", force.moment)


def _check_vector(law: OwnLaw, what: str, value: Any) -> None:
    if not isinstance(value, tuple) or len(value) != 3:
        raise TypeError(f"{law.name}: {what} is {value!r}, but must be a vector of three numbers")


# ---- forces --------------------------------------------------------------------------------------


def contact_text(contacts: Contacts, k: int) -> str:
    """The most important numbers of a contact, for messages."""
    shown = ("overlap", "parting", "radius", "mass")
    numbers = ", ".join(f"{name} {contacts[name][k]:.3g}" for name in shown)
    return numbers + (", a new contact" if contacts["is_new"][k] else "")


def case_text(
    law: OwnLaw | CompiledLaw, step: float, inputs: Doubles, outputs: Doubles, history: Doubles
) -> str:
    """The wrong outputs of a law for one contact, and all its inputs, for messages."""
    returned, given = _by_name(OUTPUTS, outputs), _by_name(WIDTHS, inputs)
    bad = [f"{name} is {_shown(v)}" for name, v in returned.items() if not np.isfinite(v).all()]
    if np.isnan(returned["push"]):
        contact = Contacts(1, step, **given)
        bad[0] += _what_raises(law, contact, history[:, None], 0)
    known = [f"{name} {_shown(values)}" for name, values in given.items()]
    kept = dict.fromkeys(law.vectors, 3) | dict.fromkeys(law.scalars, 1)
    known += [f"old.{name} {_shown(v)}" for name, v in _by_name(kept, history).items()]
    return f"{', '.join(bad) or 'its history is not finite'}, at {', '.join(known)}"


def case_radius(inputs: Doubles) -> float:
    """R*, read from the inputs of a law for one contact."""
    return float(_by_name(WIDTHS, inputs)["radius"][0])


def _by_name(widths: Mapping[str, int], numbers: Doubles) -> dict[str, Doubles]:
    found, at = {}, 0
    for name, width in widths.items():
        found[name] = numbers[at : at + width]
        at += width
    return found


def _shown(values: Doubles) -> str:
    texts = [f"{value:.6g}" for value in values]
    return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"


def _check_finite(
    law: OwnLaw | CompiledLaw, contacts: Contacts, before: Doubles, answer: Answer
) -> None:
    names = ("push", "tangent", "moment", "stored")
    for name in names:
        column = getattr(answer, name).reshape(contacts.count, -1)
        bad = np.flatnonzero(~np.isfinite(column).all(axis=1))
        if len(bad):
            number = column[bad[0]][~np.isfinite(column[bad[0]])][0]
            why = (
                _what_raises(law, contacts, before, bad[0]) if np.isnan(answer.push[bad[0]]) else ""
            )
            raise ValueError(
                f"{law.name}: {name} is {number}{why} at {contact_text(contacts, bad[0])}"
            )
    bad = np.flatnonzero(~np.isfinite(answer.history).all(axis=0))
    if len(bad):
        raise ValueError(
            f"{law.name}: its history is not finite at {contact_text(contacts, bad[0])}"
        )


def _check_same(
    law: OwnLaw | CompiledLaw, contacts: Contacts, found: Answer, wanted: Answer, how: str
) -> None:
    size = 1.0 + max(float(np.abs(wanted.push).max()), float(np.abs(wanted.tangent).max()))
    for name in ("push", "tangent", "moment", "stored"):
        a, b = (getattr(one, name).reshape(contacts.count, -1) for one in (found, wanted))
        scale = np.maximum(np.abs(b).max(axis=1), _TOLERANCE * size)
        off = np.abs(a - b).max(axis=1) > 1e3 * _TOLERANCE * scale
        if off.any():
            k = int(np.flatnonzero(off)[0])
            raise ValueError(
                f"{law.name}: {name} is different {how}, at {contact_text(contacts, k)}"
            )


def _seen(
    law: OwnLaw | CompiledLaw, contacts: Contacts, before: Doubles, matrix: Doubles, sides: bool
) -> Answer:
    """The answer after a matrix transformed all vectors; if `sides`, partners are exchanged."""
    other = Contacts(contacts.count, contacts.step, **contacts.rows())
    for name in ("normal", "sliding", "rolling"):
        other.set(**{name: contacts[name] @ matrix.T})
    if sides:
        other.set(radius_i=contacts["radius_j"], radius_j=contacts["radius_i"])
    return evaluate(law, other, turned(law, before, matrix))


def _check_sides(
    law: OwnLaw | CompiledLaw, contacts: Contacts, before: Doubles, answer: Answer
) -> None:
    """Check that the order of two partners does not matter. Contacts with walls are not checked."""
    found = _seen(law, contacts, before, -np.eye(3), True)
    pairs = np.isfinite(contacts["radius_j"])
    for column, sign in ((found.tangent, -1.0), (found.moment, -1.0)):
        column *= sign
    for name in ("push", "tangent", "moment", "stored"):
        getattr(found, name)[~pairs] = getattr(answer, name)[~pairs]
    how = "seen from the other partner: a law must be antisymmetric"
    _check_same(law, contacts, found, answer, how)


def _check_turned(
    law: OwnLaw | CompiledLaw, contacts: Contacts, before: Doubles, answer: Answer
) -> None:
    """Check that a rotation of all vectors in space does not matter."""
    rotation = np.array([[2.0, -2.0, 1.0], [1.0, 2.0, 2.0], [-2.0, -1.0, 2.0]]) / 3.0
    found = _seen(law, contacts, before, rotation, False)
    for column in (found.tangent, found.moment):
        column[...] = column @ rotation
    _check_same(law, contacts, found, answer, "when everything is rotated in space")


def _check_jump(law: OwnLaw | CompiledLaw, largest: float) -> None:
    """Check that the force does not jump when a contact begins."""
    contacts = _begin(law)
    contacts.set(parting=0.0, sliding=0.0, rolling=0.0, twisting=0.0)
    contacts.set(overlap=-law.reach * (1.0 - 1e-9) if law.reach else 1e-9 * contacts["radius"])
    push = np.abs(evaluate(law, contacts).push)
    contacts.set(overlap=0.03 * contacts["radius"])
    scale = np.abs(evaluate(law, contacts).push)
    if law.reach:
        contacts.set(overlap=0.0)
        scale = np.maximum(scale, np.abs(evaluate(law, contacts).push))
    jumps = push > _JUMP * scale + 1e-12 * largest
    if jumps.any():
        k = int(np.flatnonzero(jumps)[0])
        where = f"its reach {law.reach}" if law.reach else "touch"
        raise ValueError(
            f"{law.name}: the force jumps by {push[k]:.3g} at {where}, where contacts begin, at"
            f" radius {contacts['radius'][k]:.3g}; abut.laws.law(jumps=True) allows that"
        )

"""Dependences: how much two variables still tell about each other, given others.

`DEPENDENCES` lists the names that estimators, functions and the command line understand.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any, cast

from mrflearn.dependence.base import Dependence, Question, Specification
from mrflearn.dependence.discrete import PlugIn
from mrflearn.dependence.gaussian import Gaussian
from mrflearn.dependence.knn import KNN, FrenzelPompe, MixedKSG
from mrflearn.dependence.memo import Memo
from mrflearn.dependence.oracle import OracleGaussian, OracleGraph, OracleJoint
from mrflearn.dependence.sieve import Sieve
from mrflearn.dependence.threads import Threaded
from mrflearn.errors import InputError, unknown

__all__ = [
    "DEPENDENCES",
    "KNN",
    "Dependence",
    "FrenzelPompe",
    "Gaussian",
    "Memo",
    "MixedKSG",
    "OracleGaussian",
    "OracleGraph",
    "OracleJoint",
    "PlugIn",
    "Question",
    "Sieve",
    "Specification",
    "Threaded",
    "on_device",
    "resolve",
]


DEPENDENCES: dict[str, Specification] = {
    "auto": Sieve(),
    "sieve": Sieve(),
    "knn": KNN(),
    "mixed-ksg": MixedKSG(),
    "frenzel-pompe": FrenzelPompe(),
    "plugin": PlugIn(),
    "gaussian": Gaussian(),
    "copula": Gaussian(copula=True),
}


def resolve(dependence: str | Specification, **options: Any) -> Specification:
    """Return the specification that a name stands for, with some of its options changed.

    A specification stands for itself. Options that are None are left as they are.

    Examples
    --------
    >>> resolve("knn", n_neighbors=3)
    KNN(n_neighbors=3, nominal_distance=inf, device='cpu')
    """
    if isinstance(dependence, Specification):
        specification, name = dependence, type(dependence).__name__
    elif isinstance(dependence, type) and issubclass(dependence, Specification):
        name = dependence.__name__
        raise InputError(f"dependence={name} is a class: write {name}(), with brackets")
    elif not isinstance(dependence, str) or dependence not in DEPENDENCES:
        raise unknown("dependence", dependence, DEPENDENCES)
    else:
        specification, name = DEPENDENCES[dependence], repr(dependence)
    changed = {option: value for option, value in options.items() if value is not None}
    if not changed:
        return specification
    known: list[str] = (
        [field.name for field in fields(specification)] if is_dataclass(specification) else []
    )
    for option in changed:
        if option not in known:
            takes = f"it takes {', '.join(known)}" if known else "it takes none"
            raise InputError(f"{option}= does not apply to dependence {name}: {takes}")
    return cast(Specification, replace(cast(Any, specification), **changed))


def on_device(specification: Specification, device: str) -> Specification:
    """Return a specification that works on a device; `"cpu"` leaves it as it is.

    Those that count no neighbours know no devices: they refuse `"cuda"`.
    """
    from mrflearn.dependence.devices import check_device

    check_device(device)
    if device == "cpu":
        return specification
    if hasattr(specification, "device"):
        return cast(Specification, replace(cast(Any, specification), device=device))
    if device == "cuda":
        raise InputError(
            f"device='cuda' does not apply to dependence {type(specification).__name__}, which "
            "counts no neighbours: use device='cpu'"
        )
    return specification

"""Mutual information as two plain functions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np

from mrflearn._columns import RawColumn, read_columns
from mrflearn.dependence import Specification, on_device, resolve
from mrflearn.errors import InputError, unknown
from mrflearn.table import Table, build_table

__all__ = ["conditional_mutual_information", "mutual_information", "table_of"]


def mutual_information(
    x: Any,
    y: Any,
    *,
    method: str | Specification = "auto",
    variant: str | None = None,
    n_neighbors: int | None = None,
    nominal_distance: float | None = None,
    correction: str | None = None,
    strength: float | None = None,
    device: str | None = None,
    scale: str | None = "standard",
    kinds: Mapping[str, str] | None = None,
    missing: str = "error",
) -> float:
    """Estimate the mutual information I(x; y) of two variables, in nats.

    Parameters
    ----------
    x, y : array, series or data frame of shape (n_samples,) or (n_samples, n_columns)
        The variables; several columns are one vector-valued variable.
    method : str or specification, default="auto"
        A name of `mrflearn.dependence.DEPENDENCES`, or an object such as `KNN(n_neighbors=7)`.
        `"auto"`: regressions on features of the variables; see `Sieve`.
    variant, n_neighbors, nominal_distance, correction, strength : optional
        Options of the method; those it does not know are refused. See `MixedKSG`, `KNN`, `PlugIn`.
    device : {"cpu", "cuda", "auto"}, optional
        Where neighbours are counted: on the processor unless told otherwise; see `KNN`.
    scale : {"standard", "rank", None}, default="standard"
        Scaling of continuous and ordinal columns, as in `as_table`; `"auto"` sees ranks alone.
    kinds : dict, optional
        Kind of `"x"` or `"y"` (or `"z"`) where the type of its columns misleads.
    missing : {"error", "drop"}, default="error"
        What to do about rows with missing or infinite values.

    Returns
    -------
    float
        The estimate; negative values are not clipped.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> x = rng.normal(size=2000)
    >>> y = x + rng.normal(size=2000)
    >>> round(mutual_information(x, y, method="gaussian"), 2)  # exactly 0.35
    0.34
    """
    return conditional_mutual_information(
        x,
        y,
        method=method,
        variant=variant,
        n_neighbors=n_neighbors,
        nominal_distance=nominal_distance,
        correction=correction,
        strength=strength,
        device=device,
        scale=scale,
        kinds=kinds,
        missing=missing,
    )


def conditional_mutual_information(
    x: Any,
    y: Any,
    z: Any = None,
    *,
    method: str | Specification = "auto",
    variant: str | None = None,
    n_neighbors: int | None = None,
    nominal_distance: float | None = None,
    correction: str | None = None,
    strength: float | None = None,
    device: str | None = None,
    scale: str | None = "standard",
    kinds: Mapping[str, str] | None = None,
    missing: str = "error",
) -> float:
    """Estimate the conditional mutual information I(x; y | z), in nats.

    Parameters are those of `mutual_information`, and `z`, the condition: None, or a table with no
    columns, or a constant one, all give the value of no condition. With method `"mixed-ksg"` the
    result depends on which variable is `x`; see `MixedKSG`.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> z = rng.normal(size=2000)
    >>> x, y = z + rng.normal(size=2000), z + rng.normal(size=2000)
    >>> round(conditional_mutual_information(x, y, z, method="gaussian"), 2)
    0.0
    """
    options = {
        "variant": variant,
        "n_neighbors": n_neighbors,
        "nominal_distance": nominal_distance,
        "correction": correction,
        "strength": strength,
    }
    specification = on_device(resolve(method, **options), device or "cpu")
    table = table_of(x, y, z, scale, kinds, missing)
    return specification.bind(table).cmi(0, 1, range(2, table.n_variables))


def table_of(
    x: Any,
    y: Any,
    z: Any,
    scale: str | None,
    kinds: Mapping[str, str] | None,
    missing: str,
) -> Table:
    """Return the table of two variables and, a variable for each column, the conditions."""
    parts = {"x": x, "y": y}
    if z is not None and (np.ndim(z) < 2 or np.shape(z)[1] > 0):
        parts["z"] = z
    columns: list[RawColumn] = []
    groups: dict[str, list[str]] = {}
    names: dict[str, list[str]] = {}
    for name, values in parts.items():
        own = [replace(column, name=f"{name}.{column.name}") for column in _read(name, values)]
        if columns and len(own[0].values) != len(columns[0].values):
            raise InputError(
                f"{name} has {len(own[0].values)} rows and x has {len(columns[0].values)}: "
                "the variables must be observed together"
            )
        columns += own
        if name != "z":  # conditions are a set of variables
            groups[name] = [column.name for column in own]
        names[name] = [column.name for column in own]
    declared: dict[Any, str] = {}
    for name, kind in (kinds or {}).items():
        if name not in names:
            raise unknown("variable in kinds=", name, names)
        declared |= dict.fromkeys(names[name], kind)
    return build_table(columns, declared, groups, scale, missing)


def _read(name: str, values: Any) -> list[RawColumn]:
    """Read one variable, given as a vector, a matrix or a frame."""
    series = nw.from_native(values, allow_series=True, pass_through=True)
    try:
        if isinstance(series, nw.Series):
            return read_columns(series.alias(name).to_frame().to_native())
        if np.ndim(values) == 1:
            values = np.asarray(values).reshape(-1, 1)
        return read_columns(values)
    except InputError as error:
        raise InputError(f"{name}: {error}") from None

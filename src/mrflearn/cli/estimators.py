"""`mrflearn estimators`: what there is to choose from."""

from __future__ import annotations

import click

from mrflearn.cli._output import summary, write

__all__ = ["estimators"]


@click.command(
    epilog="""\b
Example:
  mrflearn estimators"""
)
def estimators() -> None:
    """List the methods and the dependences that `learn` knows."""
    from mrflearn.dependence import DEPENDENCES
    from mrflearn.estimators import ESTIMATORS

    rows = [("Methods, --method", "", "")]
    rows += [(f"  {name}", cls.__name__, summary(cls)) for name, cls in ESTIMATORS.items()]
    rows += [("", "", ""), ("Dependences, --dependence", "", "")]
    for name, specification in DEPENDENCES.items():
        cls = type(specification)
        shown = cls.__name__ if specification == cls() else repr(specification)
        rows.append((f"  {name}", shown, summary(cls)))
    first, second = (max(len(row[at]) for row in rows if row[1]) for at in (0, 1))
    lines = [f"{a:<{first}}  {b:<{second}}  {c}".rstrip() for a, b, c in rows]
    write("\n".join(lines) + "\n")

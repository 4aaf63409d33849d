"""The Palmer penguins, a small real table of every kind of column."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["load_penguins", "penguins_path"]


def penguins_path() -> Path:
    """Return the path of the Palmer penguins as a CSV file, for the command line and other tools.

    Examples
    --------
    >>> penguins_path().name
    'penguins.csv'
    """
    return Path(__file__).parent / "data" / "penguins.csv"


def load_penguins() -> pd.DataFrame:
    """Return the Palmer penguins: sizes, species, island and sex of 344 penguins.

    Eleven rows have missing values; learn from the other 333 with `missing="drop"`.

    Returns
    -------
    pandas.DataFrame
        344 rows; columns species, island, bill_length_mm, bill_depth_mm, flipper_length_mm,
        body_mass_g, sex and year.

    References
    ----------
    Gorman, Williams and Fraser (2014), Ecological sexual dimorphism and environmental variability
    within a community of Antarctic penguins, PLoS ONE 9(3), e90081. Horst, Hill and Gorman (2020),
    palmerpenguins. The data are in the public domain (CC0).

    Examples
    --------
    >>> penguins = load_penguins()
    >>> penguins.shape
    (344, 8)
    >>> len(penguins.dropna())
    333
    """
    import pandas as pd

    return pd.read_csv(penguins_path())

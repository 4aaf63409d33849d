"""Small tables that several tests of tables take."""

import numpy as np
import pandas as pd

from mrflearn.table import as_table


def column(values, **options):
    """Return the scaled values of a single column."""
    return as_table(pd.DataFrame({"a": values}), **options).values[0]


def xyz():
    rng = np.random.default_rng(0)
    return pd.DataFrame(rng.normal(size=(6, 5)), columns=["x", "w", "y", "z", "v"])

"""Methods against worlds: runs to Parquet, then areas under curves, claims and figures from it."""

"""Methods that estimate the parameters of a distribution: an edge is a parameter that is not 0.

Each module has `path(table, lams)`, `largest_lam(table)` and `refit(table, graphs)`.
"""

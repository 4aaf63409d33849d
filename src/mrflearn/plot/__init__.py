"""Figures for a paper: graphs as pictures, and ROC curves."""

from mrflearn.plot._save import FIGURES, save_figure
from mrflearn.plot.graph import plot_graph
from mrflearn.plot.roc import Look, assign_looks, plot_roc, plot_roc_panels

__all__ = [
    "FIGURES",
    "Look",
    "assign_looks",
    "plot_graph",
    "plot_roc",
    "plot_roc_panels",
    "save_figure",
]

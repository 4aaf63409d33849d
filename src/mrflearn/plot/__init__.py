"""Figures for a paper: graphs as pictures, how they were chosen and how sure they are, and ROC."""

from mrflearn.plot._save import FIGURES, save_figure
from mrflearn.plot.adjacency import plot_adjacency
from mrflearn.plot.choice import plot_choice
from mrflearn.plot.comparison import plot_comparison
from mrflearn.plot.graph import plot_graph
from mrflearn.plot.path import plot_path
from mrflearn.plot.roc import Look, assign_looks, plot_roc, plot_roc_panels
from mrflearn.plot.stability import plot_stability

__all__ = [
    "FIGURES",
    "Look",
    "assign_looks",
    "plot_adjacency",
    "plot_choice",
    "plot_comparison",
    "plot_graph",
    "plot_path",
    "plot_roc",
    "plot_roc_panels",
    "plot_stability",
    "save_figure",
]

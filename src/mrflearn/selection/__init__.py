"""Choosing a point on the path of graphs, and how sure its edges are."""

from mrflearn.selection.choice import Choice
from mrflearn.selection.options import EBIC, Heldout, FalseDiscoveryRate, Stars

__all__ = ["EBIC", "Choice", "Heldout", "FalseDiscoveryRate", "Stars"]

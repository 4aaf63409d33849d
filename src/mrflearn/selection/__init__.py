"""Choosing a point on the path of graphs, and how sure its edges are."""

from mrflearn.selection.choice import Choice
from mrflearn.selection.options import EBIC, FalseDiscoveryRate, Heldout, Stars

__all__ = ["EBIC", "Choice", "FalseDiscoveryRate", "Heldout", "Stars"]

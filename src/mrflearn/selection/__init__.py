"""Choosing a point on the path of graphs, and how sure its edges are."""

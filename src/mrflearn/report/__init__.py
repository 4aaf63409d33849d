"""A result as one web page that needs nothing else: the graph to explore, and how it was found."""

from mrflearn.report.page import render_report, write_report

__all__ = ["render_report", "write_report"]

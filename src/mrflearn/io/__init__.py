"""Tables in, graphs out."""

from mrflearn.io.read import read_table
from mrflearn.io.write import WRITERS, check_target, write_graph

__all__ = ["WRITERS", "check_target", "read_table", "write_graph"]

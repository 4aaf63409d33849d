"""mrflearn: learn the structure of Markov random fields from tables.

Public names are listed once, in `__init__.pyi`, and imported when first used.
"""

import lazy_loader as _lazy

__version__ = "0.1.0"

__getattr__, __dir__, __all__ = _lazy.attach_stub(__name__, __file__)

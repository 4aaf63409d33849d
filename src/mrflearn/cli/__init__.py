"""The command line: table -> dependence -> search -> graph -> files, with flags.

One file a command. pandas, scikit-learn, numba and matplotlib are imported where they are used, so
that `--help` and mistakes in the options answer at once.
"""

import sys

__all__ = ["main"]

try:
    from mrflearn.cli._main import main
except KeyboardInterrupt:  # while commands are imported there is none yet to say so
    sys.stderr.write("Interrupted.\n")
    raise SystemExit(130) from None

"""The command line, by `python -m mrflearn`."""

from mrflearn.cli import main

main(prog_name="mrflearn")

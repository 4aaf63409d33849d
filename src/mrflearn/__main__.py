"""The command line, by `python -m mrflearn`."""

from mrflearn.cli import main

if __name__ == "__main__":
    main(prog_name="mrflearn")

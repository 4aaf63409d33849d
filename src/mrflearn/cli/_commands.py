"""How a command ends: exit codes, and one line for a user's mistake."""

from __future__ import annotations

import errno
import io
import sys
import traceback
from typing import Any

import click

from mrflearn.cli._output import close_output, in_flags
from mrflearn.errors import InputError

__all__ = ["Commands"]

INTERRUPTED = 130
"""Exit code after Ctrl-C: what shells report for a program that the signal ended."""


class Commands(click.Group):
    """Commands that tell a user's mistakes from bugs: one line and exit code 2, or a traceback."""

    def main(self, *args: Any, **options: Any) -> Any:
        """Run the command line and leave with its exit code."""
        if isinstance(sys.stdout, io.TextIOWrapper):
            # A name that the terminal's encoding lacks is shown as \uXXXX instead of a traceback.
            sys.stdout.reconfigure(errors="backslashreplace")
        options["standalone_mode"] = False
        try:
            try:
                code = super().main(*args, **options)
            except Exception as error:
                if _is_interrupt(error):
                    raise KeyboardInterrupt from error
                raise
            finally:
                _stop_workers()
        except click.ClickException as error:
            error.show()
            code = error.exit_code
        except InputError as error:
            click.echo(f"Error: {in_flags(str(error))}", err=True)
            code = 2
        except OSError as error:
            if error.errno != errno.ENOSPC:  # files are checked where they are written
                raise
            click.echo(f"Error: {_no_room(error)}", err=True)
            code = 2
        except MemoryError as error:
            reason = f" ({error})" if str(error) else ""
            click.echo(
                f"Error: there is not enough memory{reason}: take fewer rows or columns", err=True
            )
            code = 2
        except (click.Abort, KeyboardInterrupt):
            click.echo("Interrupted.", err=True)
            code = INTERRUPTED
        sys.exit(code if isinstance(code, int) else 0)


def _is_interrupt(error: BaseException) -> bool:
    """Return whether Ctrl-C led to an error: Python makes others of it while classes are made."""
    cause = error.__cause__ or error.__context__
    return isinstance(error, KeyboardInterrupt) or (cause is not None and _is_interrupt(cause))


def _no_room(error: OSError) -> str:
    """Return where there was no room, as far as is known."""
    if error.filename is not None:
        return f"cannot write {error.filename!r}: {error.strerror}; make room there"
    frames = (frame for frame, _ in traceback.walk_tb(error.__traceback__))
    if any(frame.f_code is click.echo.__code__ for frame in frames):  # how click shows its help
        close_output()
        return f"cannot write to standard output: {error.strerror}"
    return "no room is left on a disk: make some, or set TMPDIR to a folder that has some"


def _stop_workers() -> None:
    """End processes that were started, if any: Python would wait for them on its way out."""
    processes = sys.modules.get("mrflearn.work.processes")
    if processes is not None:
        processes.stop_all()

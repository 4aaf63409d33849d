"""`mrflearn completion`: let a shell complete commands, options, methods, worlds and files."""

from __future__ import annotations

import click

from mrflearn.cli._output import write
from mrflearn.errors import unknown

__all__ = ["completion"]

INSTALL = {
    "bash": "mrflearn completion bash > ~/.mrflearn-complete.bash\n"
    "#   echo '. ~/.mrflearn-complete.bash' >> ~/.bashrc",
    "zsh": "mrflearn completion zsh > ~/.mrflearn-complete.zsh\n"
    "#   echo '. ~/.mrflearn-complete.zsh' >> ~/.zshrc",
    "fish": "mrflearn completion fish > ~/.config/fish/completions/mrflearn.fish",
}
"""How each shell finds its script, by a new one that is started after."""


@click.command(
    epilog="""\b
Example:
  mrflearn completion zsh > mrflearn-complete.zsh

Then read that file where your shell starts; the first lines of the script say how.""",
)
@click.argument("shell", metavar="[bash|zsh|fish]", shell_complete=lambda *_: list(INSTALL))
def completion(shell: str) -> None:
    """Print a script for the tab key of your shell.

    With it, the shell completes commands, options, files, and the names of methods and worlds.
    """
    if shell not in INSTALL:
        raise unknown("shell", shell, INSTALL)
    from click.shell_completion import get_completion_class

    cls = get_completion_class(shell)
    assert cls is not None  # all three are click's own
    main = click.get_current_context().find_root().command
    maker = cls(main, {}, "mrflearn", "_MRFLEARN_COMPLETE")
    script = maker.source_template % maker.source_vars()
    write(f"# Install it, then start a new shell:\n#   {INSTALL[shell]}\n{script.strip()}\n")

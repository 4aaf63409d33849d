"""Run a command in this process, whatever it ends with."""

from click.testing import CliRunner

from mrflearn.cli import main


def run(*arguments, **options):
    """Run the command line in this process."""
    return CliRunner().invoke(main, [str(argument) for argument in arguments], **options)

"""Errors are reported in one line on stderr; a traceback is shown only with --debug."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import typer
from typer.core import TyperGroup

UNUSABLE, BUG, INTERRUPTED, CLOSED_PIPE = 2, 1, 130, 141


class OneLineGroup(TyperGroup):
    """A group of commands whose usage errors are one line, and which hands the arguments on for the record."""

    def main(self, args: Sequence[str] | None = None, *positional: Any, **options: Any) -> Any:
        """Run the command and leave with its exit code."""
        given = list(sys.argv[1:] if args is None else args)
        options["standalone_mode"] = False
        options.setdefault("obj", given)
        try:
            code = super().main(given, *positional, **options)
        except KeyboardInterrupt:
            code = _say("interrupted", INTERRUPTED)
        except typer.Abort:
            code = _say("aborted", UNUSABLE)
        except Exception as error:
            # typer brings its own copy of click's exceptions or uses click's, depending on its version
            if not hasattr(error, "format_message"):
                raise
            code = _usage_error(error)
        sys.exit(code if isinstance(code, int) else 0)


@contextmanager
def reported(debug: bool) -> Iterator[None]:
    """Turn exceptions into one line and an exit code: 2 for input that cannot be used, 1 for a bug, 130 for Ctrl-C."""
    show = warnings.showwarning
    warnings.showwarning = _show_warning
    try:
        yield
    except KeyboardInterrupt:
        raise typer.Exit(_say("interrupted", INTERRUPTED)) from None
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # else Python reports an error when it closes stdout
        raise typer.Exit(CLOSED_PIPE) from None
    except (ValueError, OSError, ImportError, MemoryError) as error:
        if debug:
            raise
        raise typer.Exit(_say(f"error: {_message(error)}", UNUSABLE)) from None
    except Exception as error:
        if debug or isinstance(error, typer.Exit) or hasattr(error, "format_message"):
            raise
        what = f"internal error: {type(error).__name__}: {_message(error)} (--debug shows where)"
        raise typer.Exit(_say(what, BUG)) from None
    finally:
        warnings.showwarning = show


def _message(error: BaseException) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename is not None else error.strerror
    if isinstance(error, MemoryError):
        return "not enough memory"
    return str(error) or type(error).__name__


def _usage_error(error: Any) -> int:
    message = str(error.format_message())
    if not message:  # a bare command: its help has been shown
        return int(getattr(error, "exit_code", UNUSABLE))
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "graphmeans"
    return _say(f"error: {message.rstrip('.')} (see {path} --help)", UNUSABLE)


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    _say(f"warning: {message}", 0)


def _say(line: str, code: int) -> int:
    from graphmeans.plots.text import plain_text  # late, because it loads NumPy

    typer.echo(f"graphmeans: {plain_text(line)}", err=True)
    return code

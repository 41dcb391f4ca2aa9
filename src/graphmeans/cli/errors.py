"""Errors are reported in one line on stderr; a traceback is shown only with --debug. Signals end a command in good order."""

from __future__ import annotations

import os
import signal
import sys
import threading
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import typer
from typer.core import TyperGroup

UNUSABLE, BUG, CLOSED_PIPE = 2, 1, 141
#: Signals that ask a command to end. The exit code is 128 more: 130 for Ctrl-C, 143 for SIGTERM.
ENDING = (signal.SIGINT, signal.SIGTERM)
#: The signals that have come so far.
_received: list[int] = []


def was_stopped() -> bool:
    """Whether a signal has asked the command to end, so that what it has is partial."""
    return bool(_received)


def exit_code() -> int:
    """The exit code of a command that a signal has ended."""
    return 128 + (_received[-1] if _received else signal.SIGINT)


@contextmanager
def heard_signals() -> Iterator[None]:
    """Let Ctrl-C and SIGTERM both interrupt what is being done, and note which it was.

    Only where signals can be heard, and where nobody else has decided what they do.
    """
    _received.clear()
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    usual = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
    before = {one: signal.getsignal(one) for one in ENDING}
    for one in ENDING:
        if before[one] == usual[one]:
            signal.signal(one, _interrupt)
    try:
        yield
    finally:
        for one in ENDING:
            if before[one] == usual[one]:
                signal.signal(one, before[one])


def _interrupt(number: int, frame: object) -> None:
    _received.append(number)
    raise KeyboardInterrupt


class OneLineGroup(TyperGroup):
    """A group of commands whose usage errors are one line, and which hands the arguments on for the record."""

    def main(self, args: Sequence[str] | None = None, *positional: Any, **options: Any) -> Any:
        """Run the command and leave with its exit code."""
        given = list(sys.argv[1:] if args is None else args)
        options["standalone_mode"] = False
        options.setdefault("obj", given)
        try:
            with heard_signals():
                code = super().main(given, *positional, **options)
        except KeyboardInterrupt:
            code = _say("interrupted", exit_code())
        except BrokenPipeError:
            code = _closed_pipe()
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
    """Turn exceptions into one line and an exit code.

    2 stands for input that cannot be used, 1 for a bug, 130 for Ctrl-C and 143 for SIGTERM.
    """
    show = warnings.showwarning
    warnings.showwarning = _show_warning
    try:
        yield
    except KeyboardInterrupt:
        raise typer.Exit(_say("interrupted", exit_code())) from None
    except BrokenPipeError:
        raise typer.Exit(_closed_pipe()) from None
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


def _closed_pipe() -> int:
    """Whoever read the output has gone: there is nobody to tell. Python must not complain when it closes the stream."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return CLOSED_PIPE


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

"""Run odd cases in processes with limits on memory and time, and count how each of them ended.

A fuzzer is a function ``case(number) -> callable``: the same number is always the same case. Cases run one after the other in a
child process, which is forked from one that has everything loaded. When a case takes too long the child is killed, and when a
signal ends it that is noted; another child goes on with the next case.
"""

from __future__ import annotations

import faulthandler
import os
import re
import resource
import select
import signal
import sys
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

#: Seconds for one case, and what it may take of memory beyond what the process had before: more is a failure, and much more
#: ends in a MemoryError, so that the machine is not put at risk.
SECONDS, MEMORY, ADDRESS_SPACE = 10.0, 1 << 30, 3 << 30
#: A child says how each case ended; it is given so many seconds more to do so.
GRACE = 2.0
#: So many times as long a case may keep silent, if the processor was busy with others: then it does not hang.
TURNS = 5
#: How a case may end: it is answered, or refused in one line.
ACCEPTED, REFUSED = "accepted", "refused"
FINE = (ACCEPTED, REFUSED)


class Wrong(Exception):
    """An answer that cannot be right, or input that was refused though nothing is wrong with it."""


@dataclass
class Outcome:
    """How many cases ended in which way, and what the bad ones were."""

    counts: Counter[str] = field(default_factory=Counter)
    bad: list[tuple[int, str, str]] = field(default_factory=list)
    reasons: Counter[str] = field(default_factory=Counter)  # why cases were refused, without the names and numbers in it

    def add(self, number: int, how: str, detail: str) -> None:
        self.counts[how] += 1
        if how == REFUSED:
            self.reasons[re.sub(r"'[^']*'|[-+.0-9e]*[0-9]|/[^ :]*", "*", detail)[:80]] += 1
        if how not in FINE:
            self.bad.append((number, how, detail))

    @property
    def tried(self) -> int:
        return self.counts.total()

    def __str__(self) -> str:
        return f"{self.tried} tried: " + ", ".join(f"{count} {how}" for how, count in sorted(self.counts.items()))


def run_cases(
    case: Callable[[int], Callable[[], object]], numbers: range, allowed: tuple[type[BaseException], ...],
    until: float = float("inf"),
) -> Outcome:  # fmt: skip
    """Run these cases, until a moment at the latest. `allowed` are exceptions that refuse a case, if they are one line."""
    outcome, position = Outcome(), 0
    while position < len(numbers) and time.monotonic() < until:
        reading, writing = os.pipe()
        child = os.fork()
        if not child:
            os.close(reading)
            _work(case, numbers[position:], allowed, writing)
        os.close(writing)
        position += _watch(child, reading, numbers[position:], outcome, until)
        os.close(reading)
    return outcome


def _watch(child: int, reading: int, numbers: range, outcome: Outcome, until: float) -> int:
    """Read what a child has to say until it ends or a case takes too long; returns how many cases are over."""
    done, text, how = 0, b"", ""
    waited, before = 0, _processor_seconds(child)
    while True:
        ready, _, _ = select.select([reading], [], [], SECONDS + GRACE)
        if not ready:
            waited += 1
            if waited < TURNS and _processor_seconds(child) - before < SECONDS:
                continue  # others have kept the processor from it
            os.kill(child, signal.SIGKILL)
            how = "hung"
            break
        waited, before = 0, _processor_seconds(child)
        part = os.read(reading, 1 << 16)
        if not part:
            break
        *lines, text = (text + part).split(b"\n")
        for line in lines:
            number, ended, detail = line.decode(errors="replace").split("\t", 2)
            outcome.add(int(number), ended, detail)
            done += 1
        if time.monotonic() > until:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return len(numbers)
    status = os.waitpid(child, 0)[1]
    if done < len(numbers):
        ended = f"signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else f"exit {os.WEXITSTATUS(status)}"
        outcome.add(numbers[done], how or ended, "")
        done += 1
    return done


def _processor_seconds(child: int) -> float:
    """What a child has spent; infinity where the system does not say."""
    try:
        with open(f"/proc/{child}/stat") as stat:
            spent = stat.read().rpartition(")")[2].split()[11:13]
    except OSError:
        return float("inf")
    return sum(map(int, spent)) / os.sysconf("SC_CLK_TCK")


def _work(
    case: Callable[[int], Callable[[], object]], numbers: range, allowed: tuple[type[BaseException], ...], out: int
) -> None:
    """What a child does: it never returns."""
    warnings.simplefilter("ignore")
    faulthandler.disable()
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)
    now = _bytes_of("VmSize")
    resource.setrlimit(resource.RLIMIT_AS, (now + ADDRESS_SPACE, now + ADDRESS_SPACE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for number in numbers:
        _forget_peak()
        before, start = _bytes_of("VmRSS"), time.process_time()
        how, detail = _ended(case(number), allowed)
        taken = _bytes_of("VmHWM") - before
        if how in FINE and taken > MEMORY:
            how, detail = "memory", f"{taken >> 20} MiB; {detail}"
        if how in FINE and time.process_time() - start > SECONDS:
            how, detail = "slow", f"{time.process_time() - start:.0f} s; {detail}"
        os.write(out, f"{number}\t{how}\t{' '.join(detail.split())[:600]}\n".encode("utf-8", "replace"))
    os._exit(0)


def _ended(thunk: Callable[[], object], allowed: tuple[type[BaseException], ...]) -> tuple[str, str]:
    try:
        thunk()
    except MemoryError as error:
        return "memory", repr(error)
    except Wrong as error:
        return "wrong", str(error)
    except allowed as error:
        message = str(error)
        if message and message.isprintable() and len(message) < 1000:
            return REFUSED, message
        return "not one line", repr(message)
    except BaseException as error:
        where = traceback.extract_tb(error.__traceback__)[-1]
        return "traceback", f"{type(error).__name__}: {error} at {where.filename}:{where.lineno}"
    return ACCEPTED, ""


def _bytes_of(name: str) -> int:
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) << 10 for line in status if line.startswith(name))


def _forget_peak() -> None:
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")


def show(name: str, outcome: Outcome, most: int = 30) -> None:
    """Print how the cases of a fuzzer ended, and those that ended badly."""
    print(f"{name}: {outcome}", flush=True)
    for number, how, detail in outcome.bad[:most]:
        print(f"  {name} {number}: {how} {detail}", file=sys.stderr, flush=True)

"""`DaskClient`: a dask.distributed client, its workers checked before the work begins and watched while it goes on."""

from __future__ import annotations

import asyncio
import concurrent.futures
import logging
import os
import pickle
import shutil
import tempfile
import time
import uuid
import warnings
from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

from graphmeans.cluster.data.dataset import LazyCollection, Survey, blocks, survey_block
from graphmeans.cluster.engines import dask_worker as remote
from graphmeans.graphs.encoding.encoder import GraphEncoder
from graphmeans.graphs.errors import GraphError
from graphmeans.matching.pairs import n_threads

logger = logging.getLogger("graphmeans")

#: Seconds after which somebody looks whether those who have not answered are still there.
PATIENCE = 1.0
#: What dask calls tasks that will never be done, in different versions.
CANCELLED = ("CancelledError", "FutureCancelledError", "FuturesCancelledError")
#: Seconds within which a scheduler must answer.
CONNECT = 10.0
#: Seconds that a cluster without workers is given to get one.
RESTART = 60.0
#: Seconds after which a scheduler that does not answer is lost.
SILENT = 60.0
#: Seconds of waiting after which, and between which, it is tried whether workers can be reached at all.
TRIED_AFTER = 10.0
#: How often in a row a worker cannot be reached before it is taken out of the cluster.
MISSED = 2


class WorkersLost(Exception):
    """These workers will not answer any more."""

    def __init__(self, addresses: Iterable[str]) -> None:
        super().__init__(*addresses)
        self.addresses = set(addresses)


class DaskClient:
    """The machines that do the work, as a context.

    Parameters
    ----------
    engine : "dask", str or dask.distributed.Client
        "dask": processes on this machine, one a core (or `n_jobs`), which end with the context. A string with an address
        (``tcp://...``): the scheduler there.
    n_jobs : int, optional
    warm_up : callable
        What a worker calls before it is given work, so that its kernels are compiled; it returns the seconds that took.
    """

    def __init__(self, engine: Any, n_jobs: int | None, warm_up: Callable[[], float]) -> None:
        self._engine, self._n_jobs, self._warm_up = engine, n_jobs, warm_up
        self.client: Any = None
        self._local: Any = None
        self._checked: dict[str, int] = {}
        #: Whether Ctrl-C has come, and whether there is work that it should let finish.
        self._interrupted = self._begun = False
        self._probes: dict[str, tuple[concurrent.futures.Future[Any], float]] = {}  # whether workers can be reached, since when
        self._missed: dict[str, int] = {}  # how often they could not, in a row
        #: What is said when everything is lost: whether there is a checkpoint.
        self.kept = ""
        self._shared: bool | None = None

    def __enter__(self) -> DaskClient:
        try:
            self._connect()
            self.workers()
            self._begun = True
        except BaseException:  # Ctrl-C, too: processes that were started must not stay behind
            self.__exit__()
            raise
        return self

    def _connect(self) -> None:
        distributed = need_distributed()
        if isinstance(self._engine, distributed.Client):
            self.client = self._engine
            if self.client.asynchronous:
                raise GraphError("engine: an asynchronous Client cannot be waited for; give one with asynchronous=False")
        elif isinstance(self._engine, str) and self._engine == "dask":
            from graphmeans.cluster.engines.dask_local import held_interrupts, local_cluster

            with held_interrupts():
                self._local = local_cluster(n_threads(self._n_jobs))
            self.client = distributed.Client(self._local)
            self.client.wait_for_workers(n_threads(self._n_jobs), timeout=RESTART)
        else:
            try:
                self.client = distributed.Client(self._engine, timeout=CONNECT)
            except (OSError, ValueError, TypeError) as error:
                raise GraphError(f"engine: no scheduler at {self._engine} ({str(error).splitlines()[0]})") from None

    @property
    def is_own(self) -> bool:
        """Whether the connection ends with this context."""
        return self.client is not self._engine

    def __exit__(self, *error: object) -> None:
        for probe, _ in self._probes.values():
            probe.cancel()
        if self.client is not None and self.client is not self._engine:
            self.client.close()
        if self._local is not None:
            self._local.close()

    # -- workers -----------------------------------------------------------------------------------

    def workers(self) -> dict[str, int]:
        """The threads of each worker that is there, all of them checked. Waits for one if there is none."""
        found = self._present()
        if not found:
            logger.warning("no worker is there: waiting for one")
            try:
                self.client.wait_for_workers(1, timeout=RESTART)
            except Exception as error:
                if type(error).__name__ not in ("TimeoutError",) and not isinstance(error, OSError):
                    raise
                raise GraphError(f"no worker has come within {RESTART:.0f} seconds{self.kept}") from None
            found = self._present()
        new = [address for address in found if address not in self._checked]
        if new:
            self._check(new)
            self._checked |= {address: found[address] for address in new}
            found = {address: count for address, count in self._present().items() if address in found} or found
        return dict(sorted(found.items()))

    def workers_per_machine(self) -> int:
        """The most workers on one machine, which share its memory."""
        hosts = Counter(address.rsplit(":", 1)[0] for address in self._checked)
        return max(hosts.values(), default=1)

    def threads(self, address: str) -> int:
        """How many threads a worker has."""
        return self._checked[address]

    def _present(self) -> dict[str, int]:
        try:
            found = self.client.sync(self.client.scheduler.ncores, callback_timeout=SILENT)
            return {str(address): int(count) for address, count in found.items()}
        except Exception as error:
            raise self._gone(error) from None

    def _gone(self, error: Exception) -> GraphError:
        address = getattr(self.client.scheduler, "address", None) or self._engine
        return GraphError(f"the scheduler at {address} is lost ({type(error).__name__}){self.kept}")

    def _check(self, new: list[str]) -> None:
        """The same software everywhere; kernels are compiled by one worker of each machine, the others load them."""
        own = remote.versions()
        try:
            futures = {address: self.submit(address, remote.versions) for address in new}
            found = {a: versions for a, future in futures.items() if (versions := self._unless_lost(future, a)) is not None}
        except ModuleNotFoundError as error:
            raise GraphError(f"a worker lacks {error.name}: install graphmeans[dask] there, too") from None
        for address, versions in found.items():
            for name, version in versions.items():
                if version != own[name]:
                    said = f"worker {address} has {name} {version}, here it is {own[name]}"
                    if name in ("graphmeans", "Python"):
                        raise GraphError(said + ": they must be the same")
                    warnings.warn(said + ": the last digits of a result may depend on who computes it", stacklevel=2)
        hosts: dict[str, list[str]] = {}
        for address in sorted(new):
            hosts.setdefault(address.rsplit(":", 1)[0], []).append(address)
        for some in ([own[0] for own in hosts.values()], [address for own in hosts.values() for address in own[1:]]):
            warmed = [(self.submit(address, self._warm_up), address) for address in some]
            for future, address in warmed:
                logger.debug("worker %s is ready after %s s", address, self._unless_lost(future, address))

    def _unless_lost(self, future: Any, address: str) -> Any:
        """What a worker says; None if it is lost, which whoever gives it work will find out."""
        try:
            return self.result(future, address)
        except WorkersLost:
            logger.warning("worker %s was lost before it began", address)
            return None

    def submit(self, address: str, function: Any, *args: Any) -> Any:
        """A task for one worker and no other."""
        try:
            return self.client.submit(function, *args, workers=[address], allow_other_workers=False, pure=False)
        except Exception as error:
            raise self._gone(error) from None

    def share(self, data: bytes, addresses: Iterable[str]) -> Any:
        """Bytes that tasks of all these workers are going to need; they fetch them from each other. Nothing is waited for.

        This is a task, not `Client.scatter`, which waits until it has reached every worker, even one that is dying or cut off,
        and whose data are gone with those who hold them. What a task has returned is made again by the next worker.
        """
        try:
            return self.client.submit(remote.same, data, workers=sorted(addresses), pure=False, priority=1)
        except Exception as error:
            raise self._gone(error) from None

    def finished(self, future: Any, addresses: set[str]) -> None:
        """Wait for a task; it depends on these workers."""
        from distributed import wait

        begun = time.monotonic()
        while True:
            try:
                wait([future], timeout=PATIENCE)
                return
            except TimeoutError:
                pass
            except KeyboardInterrupt:
                if self._interrupted or not self._begun:  # kernels can take minutes to compile, and nothing would be lost
                    raise
                self._interrupted = True  # what is under way is finished first
            except Exception as error:
                if type(error).__name__ in CANCELLED:  # with a worker something was lost that it depends on
                    self._present()
                    raise WorkersLost(addresses) from None
                if type(error).__name__ != "TimeoutError":  # distributed's own, in earlier versions
                    raise self._gone(error) from None
            self._look_after(addresses, begun)

    def result(self, future: Any, *addresses: str) -> Any:
        """What a task returns; raises `WorkersLost` if its worker is lost."""
        self.finished(future, set(addresses))
        if future.status == "error":
            error = future.exception()
            if isinstance(error, remote.ShardsMissing) or type(error).__name__ == "KilledWorker":
                raise WorkersLost(addresses)
            raise error
        if future.status != "finished":
            self._present()  # an error if the scheduler is gone
            raise WorkersLost(addresses)
        begun = time.monotonic()
        coming = self._begin(lambda: self.client.gather(future, asynchronous=True))
        try:
            while True:
                try:
                    return coming.result(timeout=PATIENCE)
                except Exception as error:
                    if type(error).__name__ in CANCELLED:
                        self._present()
                        raise WorkersLost(addresses) from None
                    if coming.done() or type(error).__name__ != "TimeoutError":
                        raise
                self._look_after(set(addresses), begun)
        finally:
            coming.cancel()

    def _begin(self, ask: Callable[[], Any]) -> concurrent.futures.Future[Any]:
        """Let the client do something that is not waited for here."""

        async def asked() -> Any:
            return await ask()

        return asyncio.run_coroutine_threadsafe(asked(), self.client.loop.asyncio_loop)

    # -- workers that are lost -----------------------------------------------------------------------

    def _look_after(self, addresses: set[str], begun: float) -> None:
        """Raise `WorkersLost` if some of these workers are not there any more.

        A worker that is there, but that the scheduler cannot reach, is taken out of the cluster: what depends on it would wait
        for ever. Since tasks of others may need what it holds, all workers are tried, after a while.
        """
        present = self._present()
        lost = addresses - present.keys()
        if lost:
            raise WorkersLost(lost)
        if time.monotonic() - begun >= TRIED_AFTER:
            for address in present:
                self._try_to_reach(address)

    def _try_to_reach(self, address: str) -> None:
        probe = self._probes.get(address)
        if probe is None:
            ask = partial(self.client.run, os.getpid, workers=[address], on_error="return", asynchronous=True)
            self._probes[address] = self._begin(ask), time.monotonic()
            return
        asked, begun = probe
        if not asked.done() or time.monotonic() - begun < TRIED_AFTER:
            return
        del self._probes[address]
        said = asked.exception() or asked.result().get(address)
        if not isinstance(said, OSError):
            self._missed.pop(address, None)
            return
        self._missed[address] = self._missed.get(address, 0) + 1
        if self._missed[address] >= MISSED:
            del self._missed[address]
            logger.warning("the scheduler cannot reach worker %s, which is taken out of the cluster", address)
            self._take_out(address)

    def _take_out(self, address: str) -> None:
        async def remove(gone: str, dask_scheduler: Any) -> None:  # inside, so that it travels whole
            await dask_scheduler.remove_worker(gone, stimulus_id=f"cannot-reach-{gone}")

        try:
            self.client.run_on_scheduler(remove, address, callback_timeout=SILENT)
        except Exception as error:
            raise GraphError(f"worker {address} cannot be reached, and stays ({type(error).__name__}){self.kept}") from None

    # -- interruptions -----------------------------------------------------------------------------

    def interrupt(self) -> None:
        """Let all runs stop when they have finished what is under way."""
        self._interrupted = True

    def check_interrupt(self) -> None:
        """Stop here if somebody has asked for it."""
        if self._interrupted:
            raise KeyboardInterrupt

    def resume(self) -> None:
        """Go on after an interruption."""
        self._interrupted = False

    # -- places ------------------------------------------------------------------------------------

    def scratch(self, key: str) -> Path | None:
        """A folder in which shards can write their logs, if there is one that all workers see."""
        from dask import config

        root = config.get("temporary-directory", None) or tempfile.gettempdir()
        folder = Path(root) / f"graphmeans-{key}"
        folder.mkdir(parents=True)
        if self._shared is None:
            token = uuid.uuid4().hex
            (folder / "token").write_text(token, encoding="ascii")
            seen = [(self.submit(a, _read, str(folder / "token")), a) for a in self.workers()]
            self._shared = all(self._unless_lost(future, address) in (token, None) for future, address in seen)
            (folder / "token").unlink()
            if not self._shared:
                logger.warning(
                    "not all workers see %s: if one is lost, its part is computed again from the start. Set dask's "
                    "temporary-directory to a folder that all of them share",
                    root,
                )
        if not self._shared:
            shutil.rmtree(folder, ignore_errors=True)
            return None
        return folder

    # -- before the shards -------------------------------------------------------------------------

    def fit_encoder(self, encoder: GraphEncoder, collection: LazyCollection) -> GraphEncoder:
        """Fit the encoder where the collection can be read; summaries of its partitions come back."""
        starts = [0]
        for i in range(collection.n_partitions):
            starts.append(starts[-1] + len(collection.partition(i)))
        tasks = [(remote.summarise, encoder, collection.partition(i), starts[i]) for i in range(collection.n_partitions)]

        def has_zero_edge() -> bool:
            return any(self.map([(remote.has_zero_edge, encoder, part) for _, _, part, _ in tasks]))

        return encoder.fit_summaries(self.map(tasks), has_zero_edge)

    def surveyed(self, collection: LazyCollection, encoder: GraphEncoder) -> Survey:
        """Read the collection once, each block by some worker."""
        return Survey.merged(self.map([(survey_block, collection, encoder, rows) for rows in blocks(len(collection))]))

    def map(self, tasks: list[tuple[Any, ...]]) -> list[Any]:
        """Tasks that any worker may do, and again if one is lost; the answers in their order."""
        futures = [self.client.submit(remote.call_pickled, pickle.dumps(task), pure=False) for task in tasks]
        try:
            return [pickle.loads(self.result(future)) for future in futures]
        finally:
            for future in futures:
                future.release()


def need_distributed() -> Any:
    """dask.distributed, or how to get it."""
    try:
        import distributed
    except ImportError:
        raise ImportError("engine='dask' needs dask.distributed: pip install 'graphmeans[dask]'") from None
    return distributed


def _read(path: str) -> str:
    return Path(path).read_text(encoding="ascii") if os.path.isfile(path) else "not there"

"""One MLflow run per stage: parameters, metrics over time, tags and files.

The only module that imports mlflow, and only when a run is opened (its import takes seconds).
Runs go to ``results/mlflow.db`` with artifacts in ``results/mlartifacts``, both under the current
directory, unless ``MLFLOW_TRACKING_URI`` says otherwise.

A run is known by its key (stage, games, mode, seed). Running a stage again replaces the earlier run
of its key; a stage that continues from a checkpoint continues its run. A store that fails never
stops a stage: there is one warning and the records go to a file beside the outputs instead.
"""

from __future__ import annotations

import contextlib
import fcntl
import functools
import json
import logging
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import crossplay
from crossplay.files import write_text
from crossplay.interrupts import sigterm_exits

FLUSH_METRICS = 200
FLUSH_SECONDS = 10.0
RETRY_SECONDS = 60.0
_METRICS_PER_BATCH = 1000  # limits of the MLflow server
_PARAMETERS_PER_BATCH = 100
_PARAMETER_LENGTH = 6000


class Identity(NamedTuple):
    """What a run is about; together these fields name the one live run of a stage."""

    stage: str
    experiment: str
    seed: int = 0
    game: str | None = None
    source: str | None = None
    target: str | None = None
    mode: str | None = None

    @property
    def key(self) -> str:
        """Text that is equal for the runs of which only the last may stay."""
        return "/".join((self.stage, self.game or "", self.source or "", self.target or "",
                         self.mode or "", str(self.seed))).replace("'", "_")  # fmt: skip

    @property
    def name(self) -> str:
        """Short text for lists of runs."""
        pair = f"{self.source}--{self.target}" if self.source and self.target else None
        return " ".join(part for part in (self.stage, self.game or pair, self.mode) if part)

    @property
    def tags(self) -> dict[str, str]:
        """Tags to group and search by."""
        given = {name: str(value) for name, value in self._asdict().items() if value is not None}
        return {**given, "key": self.key, "version": code_version()}


class Run:
    """A run being recorded; every method returns quickly and none fails because of the store."""

    def __init__(self, spool: Path) -> None:
        self._spool = spool
        self._client: Any = None
        self._metrics: list[tuple[str, float, int, int]] = []  # name, value, step, ms since 1970
        self._last_steps: dict[str, int] = {}
        self._flushed = time.monotonic()
        self._retry_at = 0.0
        self._pause = RETRY_SECONDS
        self._warned = False
        self.run_id: str | None = None

    def log_metrics(self, metrics: Mapping[str, float], step: int) -> None:
        """Record values at ``step``; steps that an earlier attempt of a resumed run recorded are skipped."""
        now = int(time.time() * 1000)
        for name, value in metrics.items():
            if step > self._last_steps.get(name, -1):
                self._last_steps[name] = step
                self._metrics.append((name, float(value), step, now))
        if len(self._metrics) >= FLUSH_METRICS or time.monotonic() - self._flushed >= FLUSH_SECONDS:
            self.flush()

    def log_artifact(self, path: Path, folder: str | None = None) -> None:
        """Copy a file into the run's artifacts."""
        if not self._attempt(lambda client: client.log_artifact(self.run_id, str(path), folder)):
            self._write_spool({"artifact": str(path)})

    def flush(self) -> None:
        """Send buffered metrics now."""
        self._flushed = time.monotonic()
        while self._metrics:
            batch, self._metrics = self._metrics[:_METRICS_PER_BATCH], self._metrics[_METRICS_PER_BATCH:]
            if not self._attempt(functools.partial(_send_metrics, run_id=self.run_id, batch=batch)):
                for name, value, step, stamp in batch:
                    self._write_spool({"metric": name, "value": value, "step": step, "time": stamp})

    def _attempt(self, action: Callable[[Any], None]) -> bool:
        """Do something with the store unless it failed a moment ago; tell whether it was done."""
        if self._client is None or self.run_id is None or time.monotonic() < self._retry_at:
            return False
        try:
            action(self._client)
        except Exception as error:  # whatever a database, a network or MLflow comes up with
            self._fail(error)
            return False
        return True

    def _fail(self, error: Exception) -> None:
        # Ever longer pauses: a server that hangs must not hold up a training again and again.
        self._retry_at = time.monotonic() + self._pause
        self._pause *= 2
        if not self._warned:
            self._warned = True
            warn(f"going on without the run store, records go to {self._spool}", error)

    def _write_spool(self, record: dict[str, Any]) -> None:
        with contextlib.suppress(OSError), self._spool.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")

    def _open(self, identity: Identity, params: Mapping[str, Any], resume_id: str | None) -> None:
        """Create the run, or take up ``resume_id`` if that is still the live run of the key."""
        try:
            self._client = client = _connect()
            experiment = _experiment_id(client, identity.experiment)
            earlier = client.search_runs([experiment], f"tags.key = '{identity.key}'", max_results=1000)
            for run in earlier:
                if run.info.run_id == resume_id:
                    self.run_id = resume_id
                    self._last_steps = {metric.key: metric.step for metric in run.data._metric_objs}
                else:
                    client.delete_run(run.info.run_id)
            if self.run_id:
                client.update_run(self.run_id, status="RUNNING")
                return
            tags = {**identity.tags, "mlflow.source.name": "crossplay", "mlflow.source.type": "LOCAL"}
            self.run_id = client.create_run(experiment, tags=tags, run_name=identity.name).info.run_id
            self._spool.unlink(missing_ok=True)
            _send_params(client, self.run_id, params)
        except Exception as error:  # see _attempt
            self._fail(error)
            self._write_spool({"run": identity._asdict(), "params": flatten(params)})

    def _close(self, status: str) -> None:
        self._retry_at = 0.0  # one last try, whatever happened before
        self.flush()
        if not self._attempt(lambda client: client.set_terminated(self.run_id, status)):
            self._write_spool({"status": status})


@contextlib.contextmanager
def stage_run(
    identity: Identity, params: Mapping[str, Any], spool: Path, resume_file: Path | None = None
) -> Iterator[Run]:
    """Record one stage as one run, which ends FINISHED, FAILED or (Ctrl-C, SIGTERM) KILLED.

    SIGTERM, as a cluster sends it, becomes ``SystemExit`` inside the block so that clean-up runs.

    Args:
        identity: what the run is about.
        params: nested settings, recorded under dotted names.
        spool: file (JSON lines) that takes the records which the store does not.
        resume_file: keeps the run's id. If it names the live run of the same key, that run is
            continued; the caller removes the file when it starts from the beginning.
    """
    resume_id = None
    if resume_file is not None:
        with contextlib.suppress(OSError, ValueError):  # an unreadable file means a new run
            resume_id = json.loads(resume_file.read_text(encoding="utf-8"))["run_id"]
    spool.parent.mkdir(parents=True, exist_ok=True)
    run = Run(spool)
    status = "FAILED"
    with sigterm_exits():
        try:
            run._open(identity, params, resume_id)
            if resume_file is not None and run.run_id:
                write_text(resume_file, json.dumps({"run_id": run.run_id}))
            yield run
            status = "FINISHED"
        except (KeyboardInterrupt, SystemExit):
            status = "KILLED"
            raise
        finally:
            run._close(status)


def prepare_store(experiment: str) -> str:
    """Create the store's tables and the experiment before several stages open it at once.

    Returns:
        The tracking URI.

    Raises:
        Exception: the store cannot be reached, in whatever words it says so.
    """
    client = _connect()
    _experiment_id(client, experiment)
    return str(client.tracking_uri)


def check_store() -> str:
    """Open the store if there is one, without creating it, and say where it is.

    Raises:
        Exception: as :func:`prepare_store`.
    """
    uri = tracking_uri()
    database = _sqlite_file(uri)
    if database is not None and not database.exists():
        return f"{uri} (made by the first stage)"
    _connect()
    return uri


def tracking_uri() -> str:
    """Where runs are recorded."""
    return os.environ.get("MLFLOW_TRACKING_URI") or f"sqlite:///{Path('results/mlflow.db').absolute()}"


def code_version() -> str:
    """``git describe`` of the checkout that the package runs from, or else the package's version."""
    source = Path(crossplay.__file__).parent
    command = ["git", "-C", str(source), "describe", "--always", "--dirty", "--tags"]
    with contextlib.suppress(OSError):
        found = subprocess.run(command, capture_output=True, text=True, check=False)
        tracked = subprocess.run(
            ["git", "-C", str(source), "ls-files", "--error-unmatch", "__init__.py"],
            capture_output=True,
            check=False,
        )
        if found.returncode == 0 and tracked.returncode == 0:
            return found.stdout.strip()
    return crossplay.__version__


def flatten(settings: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Nested settings as one level of dotted names; lists become JSON text."""
    flat: dict[str, Any] = {}
    for name, value in settings.items():
        if isinstance(value, Mapping):
            flat.update(flatten(value, f"{prefix}{name}."))
        else:
            flat[prefix + name] = json.dumps(value) if isinstance(value, list | tuple) else value
    return flat


def _connect() -> Any:
    """Open the store; its tables are made by one process at a time."""
    for name, value in {
        "MLFLOW_DISABLE_TELEMETRY": "true",
        "MLFLOW_LOGGING_LEVEL": "WARNING",
        "MLFLOW_SUPPRESS_PRINTING_URL_TO_STDOUT": "true",
        # Seconds, not MLflow's minutes, until a server counts as unreachable.
        "MLFLOW_HTTP_REQUEST_MAX_RETRIES": "2",
        "MLFLOW_HTTP_REQUEST_TIMEOUT": "20",
    }.items():
        os.environ.setdefault(name, value)
    logging.getLogger("alembic").setLevel(logging.WARNING)
    from mlflow.tracking import MlflowClient

    uri = tracking_uri()
    with _store_lock(uri):
        client = MlflowClient(tracking_uri=uri)
        client.search_experiments(max_results=1)
    return client


def _sqlite_file(uri: str) -> Path | None:
    return Path(uri.removeprefix("sqlite:///")) if uri.startswith("sqlite:///") else None


@contextlib.contextmanager
def _store_lock(uri: str) -> Iterator[None]:
    """Hold a lock beside an SQLite store: two processes that create its tables at once break it."""
    database = _sqlite_file(uri)
    if database is None:
        yield
        return
    database.parent.mkdir(parents=True, exist_ok=True)
    with database.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _experiment_id(client: Any, name: str) -> str:
    """The experiment's id, created (or brought back) if need be."""
    found = client.get_experiment_by_name(name)
    if found is None:
        # A server chooses the place of artifacts itself; with a bare database we have to.
        location = (
            None
            if client.tracking_uri.startswith("http")
            else Path("results/mlartifacts").absolute().as_uri()
        )
        try:
            return str(client.create_experiment(name, artifact_location=location))
        except Exception:
            found = client.get_experiment_by_name(name)  # another process was first
            if found is None:
                raise
    if found.lifecycle_stage == "deleted":
        client.restore_experiment(found.experiment_id)
    return str(found.experiment_id)


def _send_metrics(client: Any, run_id: str | None, batch: list[tuple[str, float, int, int]]) -> None:
    from mlflow.entities import Metric

    client.log_batch(run_id, metrics=[Metric(name, value, stamp, step) for name, value, step, stamp in batch])


def _send_params(client: Any, run_id: str, params: Mapping[str, Any]) -> None:
    from mlflow.entities import Param

    entities = [Param(name, str(value)[:_PARAMETER_LENGTH]) for name, value in flatten(params).items()]
    for first in range(0, len(entities), _PARAMETERS_PER_BATCH):
        client.log_batch(run_id, params=entities[first : first + _PARAMETERS_PER_BATCH])


def warn(text: str, error: Exception) -> None:
    """Print one line about a store that fails."""
    reason = " ".join(str(error).split()) or type(error).__name__
    shown = reason if len(reason) <= 200 else reason[:200] + "..."
    print(f"warning: tracking: {text}: {shown}", file=sys.stderr, flush=True)

"""Runs scripts in worlds of one or two processes and keeps what each rank reports.

Started with the Python that has torch and accelerate: ``python worlds.py jobs.json results.json``. It imports both
once and forks for every rank, as ``notebook_launcher`` does, so a world costs a fraction of a second and begins with
nothing left over from the one before. Needs nothing of prepare-fix.
"""

from __future__ import annotations

import importlib
import json
import os
import runpy
import signal
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
# Only worlds that hang get here; gloo's own patience ends earlier.
PATIENCE = 90
# One more than the least number of cores: a world that hangs needs none.
AT_ONCE = 3
GLOO_PATIENCE = timedelta(seconds=30)


@dataclass(frozen=True)
class Mode:
    """``emulated`` names what CPU does not offer by itself and is put in by hand, see ``EMULATIONS``."""

    name: str
    processes: int = 1
    accumulation: int = 1
    emulated: str = ""


ONE = Mode("1 process")
ONE_ACCUMULATING = Mode("1 process, accumulation 2", accumulation=2)
TWO = Mode("2 processes", 2)
TWO_ACCUMULATING = Mode("2 processes, accumulation 2", 2, 2)
FSDP2 = Mode("FSDP2, 2 processes", 2, emulated="fsdp2")
SCALER = Mode("fp16 scaler, 1 process", emulated="scaler")
FSDP1 = Mode("FSDP1 with flat parameters, 2 processes", 2, emulated="fsdp1")
MODES = {mode.name: mode for mode in (ONE, ONE_ACCUMULATING, TWO, TWO_ACCUMULATING, FSDP2, SCALER, FSDP1)}


@dataclass(frozen=True)
class Job:
    """A script to run in a mode; ``folder`` must exist and takes the reports of the ranks."""

    script: str
    mode: Mode
    folder: str


def set_up_sharding(accelerator: Any, version: int) -> None:
    """Switch FSDP on by hand: ``AcceleratorState`` only does it on GPUs. What follows is Accelerate's own code."""
    import torch
    from accelerate.state import PartialState
    from accelerate.utils import DistributedType, FullyShardedDataParallelPlugin

    options = {"fsdp_version": version} if version == 2 else {"use_orig_params": False}
    accelerator.state.fsdp_plugin = FullyShardedDataParallelPlugin(**options)
    # Both: a state that is asked for again takes over what the partial state says.
    for state in (accelerator.state.__dict__, PartialState._shared_state):
        state["distributed_type"] = DistributedType.FSDP
        if version == 1:
            # torch compares this with ``cpu``, without a number.
            state["device"] = torch.device("cpu")


def set_up_scaler(accelerator: Any) -> None:
    """Put the scaler in that fp16 brings: Accelerate refuses fp16 on CPU. The arithmetic stays in fp32."""
    import torch
    from accelerate.utils import AutocastKwargs

    accelerator.state._mixed_precision = "fp16"
    accelerator.native_amp = True
    accelerator.autocast_handler = AutocastKwargs(enabled=False)
    accelerator.scaler = torch.amp.GradScaler("cpu")


EMULATIONS: dict[str, Callable[[Any], None]] = {
    "fsdp2": lambda accelerator: set_up_sharding(accelerator, 2),
    "fsdp1": lambda accelerator: set_up_sharding(accelerator, 1),
    "scaler": set_up_scaler,
}


def emulate(kind: str) -> None:
    """Let every Accelerator that is made from now on be set up as ``kind`` says."""
    from accelerate import Accelerator

    original = Accelerator.__init__

    def made(self: Any, *arguments: Any, **keywords: Any) -> None:
        original(self, *arguments, **keywords)
        EMULATIONS[kind](self)

    Accelerator.__init__ = made


def environment(mode: Mode, rank: int, folder: str) -> dict[str, str]:
    """Return what a launcher tells a process by its environment."""
    told = {"REPORT": folder, "ACCUMULATION": str(mode.accumulation), "ACCELERATE_USE_CPU": "true"}
    told |= {"OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo"}
    if mode.processes > 1:
        told |= {"RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": str(mode.processes)}
        told |= {"LOCAL_WORLD_SIZE": str(mode.processes), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "1"}
    return told


def line_in(script: str, error: BaseException) -> int:
    """Return the last line of ``script`` that the error came through, 0 where there is none."""
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == script]
    return next((line for line in reversed(lines) if line is not None), 0)


def play(job: Job, rank: int) -> int:
    """Run the script as one rank of its world, write its error if it has one, and return the exit status."""
    import torch
    from torch import distributed

    folder = Path(job.folder)
    log = os.open(folder / f"log-{rank}.txt", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(log, 1)
    os.dup2(log, 2)
    os.environ.update(environment(job.mode, rank, job.folder))
    os.chdir(folder)
    torch.set_num_threads(1)
    try:
        if job.mode.processes > 1:
            # A file instead of a port: nothing to collide with. Accelerate takes a group that is there as it is.
            store = distributed.FileStore(str(folder / "store"), job.mode.processes)
            distributed.init_process_group(
                "gloo", store=store, rank=rank, world_size=job.mode.processes, timeout=GLOO_PATIENCE
            )
        if job.mode.emulated:
            emulate(job.mode.emulated)
        sys.argv = [job.script]
        sys.path.insert(0, str(HERE / "cases"))
        runpy.run_path(job.script, run_name="__main__")
    except BaseException as error:
        traceback.print_exc()
        told = {"error": type(error).__name__, "message": str(error), "line": line_in(job.script, error)}
        (folder / f"error-{rank}.json").write_text(json.dumps(told), encoding="utf-8")
        return 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
    return 0


def start(job: Job) -> dict[int, int]:
    """Fork the ranks of a job and return their process ids, each with its rank."""
    started = {}
    for rank in range(job.mode.processes):
        process = os.fork()
        if process == 0:
            status = 70
            try:
                status = play(job, rank)
            finally:
                # Not sys.exit: a fork must not run what the parent has registered for its end.
                os._exit(status)
        started[process] = rank
    return started


def read_reports(job: Job, hung: bool) -> dict[str, Any]:
    """Return what the ranks of a job wrote, in their order; an empty dict stands for a rank that wrote no report.

    ``said`` is what all of them printed and warned about.
    """
    ranks, said = [], ""
    for rank in range(job.mode.processes):
        paths = [Path(job.folder) / f"{kind}-{rank}.json" for kind in ("report", "error")]
        parts = [json.loads(path.read_text(encoding="utf-8")) for path in paths if path.exists()]
        ranks.append({key: value for part in parts for key, value in part.items()})
        said += (Path(job.folder) / f"log-{rank}.txt").read_text(encoding="utf-8", errors="replace")
    return {"ranks": ranks, "hung": hung, "said": said}


def run(jobs: Sequence[Job], at_once: int = AT_ONCE) -> list[dict[str, Any]]:
    """Run all jobs, ``at_once`` worlds at a time, and return their reports in the order of the jobs."""
    waiting = list(range(len(jobs)))
    worlds: dict[int, tuple[dict[int, int], float]] = {}
    hung: set[int] = set()
    while waiting or worlds:
        while waiting and len(worlds) < at_once:
            number = waiting.pop(0)
            worlds[number] = (start(jobs[number]), time.monotonic() + PATIENCE)
        for number, (processes, deadline) in list(worlds.items()):
            for process in list(processes):
                if os.waitpid(process, os.WNOHANG)[0]:
                    del processes[process]
                elif time.monotonic() > deadline:
                    hung.add(number)
                    os.kill(process, signal.SIGKILL)
            if not processes:
                del worlds[number]
        time.sleep(0.005)
    return [read_reports(job, number in hung) for number, job in enumerate(jobs)]


def import_all() -> None:
    """Import here, once, what the ranks would import one by one: the optimizers of torch alone take five seconds."""
    for name in ("torch", "accelerate", "torch._dynamo", "torch.distributed.fsdp", "torch.distributed.checkpoint"):
        importlib.import_module(name)


def main(jobs_file: str, results_file: str) -> None:
    import accelerate
    import torch

    import_all()
    torch.set_num_threads(1)
    wanted = json.loads(Path(jobs_file).read_text(encoding="utf-8"))
    jobs = [Job(job["script"], MODES[job["mode"]], job["folder"]) for job in wanted]
    versions = {"accelerate": accelerate.__version__, "torch": torch.__version__.partition("+")[0]}
    versions["python"] = ".".join(map(str, sys.version_info[:2]))
    results = {"versions": versions, "results": run(jobs)}
    Path(results_file).write_text(json.dumps(results), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])

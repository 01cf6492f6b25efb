"""From a launcher's settings to packs of runs: how many share a job, with which cores and GPUs."""

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from plasticity.grid.ledger import Launch
from plasticity.grid.pack import Pack
from plasticity.ground import processors
from plasticity.ground.errors import Mistake
from plasticity.runs.config import Config
from plasticity.runs.run import Run

AT_LEAST = {
    "workers": 1,
    "runs_per_job": 1,
    "retries": 0,
    "max_timeouts": 0,
    "max_num_timeout": 0,
    "timeout_min": 1,
    "signal_delay_s": 1,
    "array_parallelism": 1,
    "cpus_per_task": 1,
    "gpus_per_node": 0,
}
GENERIC = ("timeout_min", "cpus_per_task", "gpus_per_node", "mem_gb", "name", "stderr_to_stdout")  # to submitit
OURS = ("runs_per_job", "workers", "retries", "max_timeouts", "max_num_timeout", "detach", "submitit_folder")
ELSEWHERE = ("array_parallelism", "nodes", "tasks_per_node")
GIB_A_WORKER = 2


def check(settings: dict[str, Any]) -> None:
    for name, least in AT_LEAST.items():
        if (value := settings.get(name)) is not None and value < least:
            raise Mistake(f"hydra.launcher.{name}={value} is not possible; it must be {least} or more")
    if settings.get("mem_gb") is not None and settings["mem_gb"] <= 0:
        raise Mistake(f"hydra.launcher.mem_gb={settings['mem_gb']} is not possible; it must be positive")
    for name in ("nodes", "tasks_per_node"):
        if settings.get(name, 1) != 1:
            hint = "a run needs one process on one node; runs_per_job and workers fill a node"
            raise Mistake(f"hydra.launcher.{name}={settings[name]} is not possible: {hint}")


class LocalPacking:
    """One job holds all runs: it hands the next one to whichever worker is free, also when nobody watches."""

    def __init__(self, settings: dict[str, Any], configs: Sequence[Config]):
        check(settings)
        self._retries, self._gpus = settings["retries"], gpus_for(configs)
        self._workers = settings["workers"] or len(self._gpus) or processors.count()

    def __call__(self, launch: Launch, runs: Sequence[Run], failures: dict[str, int]) -> list[Pack]:
        configs, workers = [run.config for run in runs], min(self._workers, len(runs))
        return [Pack(configs, workers, self._retries, failures, launch.folder, Path.cwd(), self._gpus or None)]


class SlurmPacking:
    def __init__(self, settings: dict[str, Any], configs: Sequence[Config]):
        check(settings)
        self._settings = settings
        self._size = settings["runs_per_job"] or settings["workers"]
        self._workers = min(settings["workers"], self._size)
        # A short job cannot be warned long before its end.
        self._warning = min(settings["signal_delay_s"], settings["timeout_min"] * 60 // 4)
        if any(device(config) == "cuda" for config in configs) and not self._asks_for_gpus():
            hint = "hydra.launcher.gpus_per_node or hydra.launcher.gres"
            raise Mistake(f"device=cuda needs GPUs, and the jobs ask for none; set {hint}")

    def _asks_for_gpus(self) -> bool:
        names = ("gpus_per_node", "gpus_per_task", "gres")
        return any(self._settings.get(name) for name in names) or bool(self._settings["additional_parameters"])

    @property
    def parameters(self) -> dict[str, Any]:
        """What submitit is told: 1 CPU and 2 GB per worker, unless said otherwise."""
        given = {key: value for key, value in self._settings.items() if value is not None}
        if not {"cpus_per_task", "cpus_per_gpu"} & given.keys():
            given["cpus_per_task"] = self._workers
        if not {"mem_gb", "mem_per_cpu", "mem_per_gpu"} & given.keys():
            given["mem_gb"] = GIB_A_WORKER * self._workers
        given["signal_delay_s"] = self._warning
        if "cpus_per_task" in given:  # srun no longer takes it over from sbatch
            given["srun_args"] = [f"--cpus-per-task={given['cpus_per_task']}"]
        told = {key: value for key, value in given.items() if key not in (*OURS, *ELSEWHERE)}
        return {key if key in GENERIC else f"slurm_{key}": value for key, value in told.items()}

    def __call__(self, launch: Launch, runs: Sequence[Run], failures: dict[str, int]) -> list[Pack]:
        seconds = self._settings["timeout_min"] * 60 - self._warning
        configs = [run.config for run in runs]
        return [
            Pack(
                configs[first : first + self._size],
                self._workers,
                self._settings["retries"],
                {run.name: failures[run.name] for run in runs[first : first + self._size]},
                launch.folder,
                Path.cwd(),
                slurm=True,
                seconds=seconds,
                max_timeouts=self._settings["max_num_timeout"],
            )
            for first in range(0, len(runs), self._size)
        ]


def device(config: Config) -> str:
    return config.engine.get("device", "cpu")


def gpus_for(configs: Sequence[Config]) -> list[str]:
    """This machine's GPUs, if a run would use one; found without torch, which would take a second and much memory."""
    wanted = {device(config) for config in configs}
    if not wanted & {"cuda", "auto"}:
        return []
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    found = [gpu for gpu in visible.split(",") if gpu] if visible is not None else _listed()
    if "cuda" in wanted and not found:
        raise Mistake("device=cuda was asked for, but this machine shows no GPU; use device=cpu or device=auto")
    return found


def _listed() -> list[str]:
    try:
        listed = subprocess.run(["nvidia-smi", "-L"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return []
    return [str(number) for number, _ in enumerate(listed.splitlines())]

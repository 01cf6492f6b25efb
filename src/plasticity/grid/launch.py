"""Launching a grid: what is left of it goes out as jobs, and is followed to its end."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from time import sleep

from rich.console import Console
from threadpoolctl import threadpool_limits

from plasticity import terminal
from plasticity.grid import listing, state
from plasticity.grid.board import Plain
from plasticity.grid.clusters import Cluster
from plasticity.grid.sending import Packer
from plasticity.grid.watch import Watch
from plasticity.grid.workers import ONE_THREAD
from plasticity.ground import news
from plasticity.ground.errors import Mistake
from plasticity.runs import folder, hints, identity
from plasticity.runs.config import Config
from plasticity.runs.execution import execute
from plasticity.runs.parts import make
from plasticity.runs.progress import view
from plasticity.runs.run import Run
from plasticity.runs.signals import Interrupted, Interrupts

LOOK_SECONDS = 0.5


def distinct(configs: Sequence[Config]) -> list[Run]:
    """Two configurations of one identity are one run: the longer one."""
    runs: dict[str, Run] = {}
    if not configs:
        raise Mistake("there is nothing to run: a sweep has no values")
    if len(places := sorted({config.outputs for config in configs})) > 1:
        raise Mistake(f"outputs={','.join(places)} is more than one place; a grid has one")
    for run in map(Run, configs):
        make(run.config.tracker)  # a mistake in it would be every run's
        if run.name not in runs or run.config.tasks > runs[run.name].config.tasks:
            runs[run.name] = run
    return list(runs.values())


def in_turn(configs: Sequence[Config], console: Console, interrupts: Interrupts) -> None:
    """In this process, one after the other. A Mistake is kept for the end; a bug shows itself at once."""
    runs, errors = distinct(configs), {}
    os.environ.update(ONE_THREAD)  # torch is not loaded yet
    for run in runs:
        with interrupts.breakable():
            pass  # a signal that came between two runs
        try:
            with threadpool_limits(1):
                execute(run.config, view())
        except Mistake as mistake:
            errors[run.name] = "failed", str(mistake)
            console.print(f"{run.name}: {mistake}", markup=False, soft_wrap=True)
    report(runs, errors, console)


def in_jobs(
    configs: Sequence[Config],
    cluster: Cluster,
    packs: Packer,
    retries: int,
    detach: bool,
    board: Plain,
    interrupts: Interrupts,
) -> None:
    runs, console = distinct(configs), board.console
    done = {run.name: run.unmeasured for run in runs if run.finished and not run.config.force}
    watch = Watch([run for run in runs if run.name not in done], Path(configs[0].outputs), cluster, packs, retries)
    held = watch.sending.pick_up()
    left = [name for name in watch.tracked if name not in held]
    board.say(planned(len(configs), len(runs), len(done), len(held), len(left)))
    if lacking := list(filter(None, done.values())):
        columns = " and ".join(dict.fromkeys(name for each in lacking for name in each))
        again = "force=true runs all of these again from the start"
        board.say(f"note: {len(lacking)} finished runs did not measure {columns}; {again}")
    try:
        with interrupts.breakable():
            prepare([watch.tracked[name].run.config for name in left], board.say)
        watch.submit(left)
        with board.watching():
            while watch.sending.unsent if detach else not watch.over:
                board.show(watch.tracked.values())
                tell(watch, board)
                with interrupts.breakable():  # only here: no job may be submitted and forgotten
                    sleep(LOOK_SECONDS)
                watch.poll()
        tell(watch, board)
    except Interrupted:
        stop(watch, board)
        raise
    if detach:
        return detached(watch, runs, board)
    watch.end()
    ended = {name: tracked for name, tracked in watch.tracked.items() if tracked.state in ("failed", "cancelled")}
    report(runs, {name: (tracked.state, tracked.error or "") for name, tracked in ended.items()}, console)


def tell(watch: Watch, board: Plain) -> None:
    while watch.sending.notices:
        board.say(watch.sending.notices.pop(0))


def planned(asked: int, distinct: int, finished: int, held: int, left: int) -> str:
    same = f" ({asked - distinct} asked for twice)" if asked > distinct else ""
    parts = [f"{finished} finished already"] * bool(finished) + [f"{held} in the queue already"] * bool(held)
    return f"{distinct} runs{same}: " + ", ".join([*parts, f"{left} to run"])


def prepare(configs: Sequence[Config], say: Callable[[str], None]) -> None:
    """Once, here, instead of in every job at the same time."""
    if not configs:
        return
    for dataset, place in {(json.dumps(config.dataset), config.data) for config in configs}:
        with news.heard_by(say):
            make(json.loads(dataset)).fetch(Path(place) if place else None)
    kinds = {_compiled_for(config): config for config in configs}
    with tempfile.TemporaryDirectory() as scratch:
        paths = []
        for number, config in enumerate(kinds.values()):
            paths.append(Path(scratch) / f"{number}.yaml")
            paths[-1].write_text(folder.text(config, Path(scratch), []))
        warming = [sys.executable, "-m", "plasticity.runs.worker", "--warm", *map(str, paths)]
        env, nowhere = os.environ | ONE_THREAD, subprocess.DEVNULL
        with subprocess.Popen(warming, env=env, text=True, stdout=subprocess.PIPE, stderr=nowhere) as process:
            assert process.stdout
            for line in process.stdout:  # it says what it compiles
                say(line.strip())


def _compiled_for(config: Config) -> str:
    """Runs that need the same kernels share it."""
    what = identity.identity(config)
    rules = [rule["kind"] for _, rule in what["model"]["rules"]]
    return json.dumps([what["engine"], what["model"]["network"], what["update"]["kind"], rules])


def detached(watch: Watch, runs: Sequence[Run], board: Plain) -> None:
    listing.of_runs([state.of(run) for run in runs if run.finished], board.console)
    refused = [tracked for tracked in watch.tracked.values() if not tracked.open]
    queued, new = len(watch.tracked) - len(refused), watch.sending.submitted
    ids = ", ".join(dict.fromkeys(job.id.split("_")[0] for job in watch.jobs))
    if queued:
        board.say(f"{queued} runs are in the queue ({new} jobs new, {ids}); the same command picks up")
        board.say(f"next: {hints.command('status', runs[0].config.outputs)}")
    if refused:
        raise Mistake(f"{len(refused)} runs are not in the queue: {refused[0].error}")


def stop(watch: Watch, board: Plain) -> None:
    board.say("stopping: cancelling the jobs of this launch and waiting until their runs have saved")
    with Interrupts() as impatience, impatience.breakable():
        cancelled, left = watch.cancel()
    if left:
        board.say(f"{len(left)} jobs are still in the queue; scancel them yourself: {', '.join(left)}")
    others = {job.id.split("_")[0] for job in watch.jobs} - {id.split("_")[0] for id in cancelled}
    seen = [state.of(tracked.run) for tracked in watch.tracked.values()]
    board.say(f"cancelled {len(cancelled)} jobs; {state.count(each.state for each in seen)}")
    if others:
        board.say(f"jobs of earlier launches go on: {', '.join(sorted(others))}")


def report(runs: Sequence[Run], ended: dict[str, tuple[str, str]], console: Console) -> None:
    """The table, what failed and why; the exit code is 0 only if every run finished."""
    seen = [state.of(run) for run in runs]
    for place, run in enumerate(runs):
        if run.name in ended:
            word, error = ended[run.name]
            seen[place] = replace(seen[place], state=word, error=error)
    listing.of_runs(seen, console)
    listing.complaints(seen, console)
    console.print(state.count(each.state for each in seen), highlight=False)
    whole = all(run.finished and run.name not in ended for run in runs)
    again = "" if whole else " (the same command again goes on with what is not finished)"
    if not (whole and runs[0].config.report):  # else they are drawn now
        terminal.show(console, [f"next: {hints.figures(runs[0].config.outputs)}{again}"])
    if not whole:
        raise SystemExit(1)

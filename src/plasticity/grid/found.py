"""Which jobs of which launches are alive, by what the launches wrote down and what the cluster says."""

import os
import socket
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from plasticity.grid import ledger
from plasticity.grid.clusters import Cluster, Local, Slurm
from plasticity.grid.ledger import Launch, Names, Reader
from plasticity.grid.slurm import NotNow, Queued
from plasticity.ground.errors import Mistake, printable, reason


class Alive(NamedTuple):
    launch: Launch
    cluster: Cluster
    runs: dict[str, Names]  # by the ids of those of its jobs that are not over
    states: dict[str, Queued]


class Leaving(NamedTuple):
    launch: Launch
    cluster: Cluster
    jobs: list[str]  # their ids


def alive(outputs: Path, here: Cluster | None, problems: list[str]) -> Iterator[Alive]:
    """Raises NotNow where SLURM would have to be asked, and does not answer."""
    for launch in ledger.launches(outputs):
        try:
            if not launch.closed and (cluster := cluster_of(launch, here)):
                known = jobs(launch, cluster)
                states = cluster.states(launch, known)
                yield Alive(launch, cluster, {id: known[id] for id in states}, states)
        except ledger.UNREADABLE as error:
            if launch.there:  # else it has just ended, and left nothing behind
                why = printable(f"{launch.folder}/launch.json cannot be read ({reason(error)})")
                problems.append(f"{why}; passed over, remove {launch.folder.name} if it is of no use")


def leaving(outputs: Path, here: Cluster) -> Iterator[Leaving]:
    """Jobs of launches whose command is gone that have done their work and are about to leave the queue."""
    for launch, cluster, runs, _ in alive(outputs, here, []):
        with suppress(*ledger.UNREADABLE):  # it has just ended
            if not launch.attended:
                done = [id for id, names in runs.items() if not still_to_run(launch, id, names)]
                yield Leaving(launch, cluster, done)


def over(outputs: Path, here: Cluster) -> Iterator[Launch]:
    """Those of this user's that have no job any more, and whose command is gone."""
    for launch in ledger.launches(outputs):
        try:
            if launch.attended or not (cluster := cluster_of(launch, here)):
                continue
            if launch.closed or not cluster.states(launch, jobs(launch, cluster)):
                yield launch
        except (*ledger.UNREADABLE, NotNow):
            continue


def jobs(launch: Launch, cluster: Cluster) -> dict[str, Names]:
    """Its jobs, with those of a batch that was cut off before anybody could write them down."""
    try:
        known = dict(launch.jobs)
        for batch, names in launch.unsure.items():
            known |= dict(zip(cluster.find(launch, batch, len(names)), names, strict=False))
        return known
    except FileNotFoundError:
        return {}


def cluster_of(launch: Launch, here: Cluster | None) -> Cluster | None:
    """None: it cannot be asked from here."""
    about = launch.about
    if about["user"] != os.getuid():
        return None
    if about["cluster"] == Local.name and about["host"] != socket.gethostname():
        return None
    if here and about["cluster"] == here.name:
        return here
    try:
        return Local() if about["cluster"] == Local.name else Slurm({})
    except Mistake:
        return None


def still_to_run(launch: Launch, id: str, names: list[str]) -> list[str]:
    """Not what the job has finished, which may be wanted longer or anew, nor what it has given up."""
    events = Reader(launch.journal(id)).new()
    finished = {name for name, last in {event.run: event.kind for event in events}.items() if last == "finished"}
    failures = [event.run for event in events if event.kind == "failed"]
    given_up = {name for name in failures if failures.count(name) > launch.about["retries"]}
    given_up |= {event.run for event in events if event.kind == "given_up"}
    return [name for name in names if name not in given_up | finished]

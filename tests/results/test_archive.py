import csv
import json
from pathlib import Path

import numpy as np
import pytest
from support.synthetic import SETTINGS, family, what

from plasticity.ground.errors import Mistake
from plasticity.results import archive
from plasticity.results.curves import curve
from plasticity.results.measures import KEPT


def test_records_read_back_as_the_same_curves(tmp_path: Path) -> None:
    before = [family("aen one", seeds=3), family("agn one", seeds=2, dataset="fmnist", units=np.arange(120))]
    archive.write(tmp_path, before, SETTINGS)
    after = archive.read(tmp_path)
    for one, other in zip(before, after, strict=True):
        assert (one.key, one.seeds, one.tasks, one.left_out) == (
            other.key,
            other.seeds,
            other.tasks,
            other.left_out,
        )
        for metric in KEPT:
            np.testing.assert_allclose(one.series(metric), other.series(metric), rtol=1e-5)


def test_a_record_has_mean_spread_and_n_of_every_task(tmp_path: Path) -> None:
    archive.write(tmp_path, [family("aen one", seeds=4, tasks=3, noise=0)], SETTINGS)
    head, first, *_ = (tmp_path / "mnist-N10000-aen-K6500.csv").read_text().splitlines()
    row = dict(zip(head.split(","), first.split(","), strict=True))
    assert (row["task"], row["n"], row["accuracy_mean"], row["accuracy_std"]) == ("0", "4", "0.8", "0")


def test_a_name_that_would_be_too_long_for_a_file_is_cut_and_stays_distinct(tmp_path: Path) -> None:
    streams = [{"kind": "Mine", "order": "shuffled", "words": letter * 300} for letter in "ab"]
    before = [curve({**what("aen one"), "stream": stream}, family("aen one", seeds=1).traces) for stream in streams]
    archive.write(tmp_path, before, SETTINGS)
    assert [one.key for one in archive.read(tmp_path)] == [one.key for one in before]


def test_a_file_is_named_after_its_curve_and_in_what_it_leaves_the_usual_settings(tmp_path: Path) -> None:
    usual = family("aen one", seeds=1)
    other = curve(what("aen one", outgoing="uniform:2", bias=False), usual.traces)
    archive.write(tmp_path, [usual, other], SETTINGS)
    names = sorted(path.stem.removeprefix("mnist-N10000-aen-K6500") for path in tmp_path.glob("*.csv"))
    assert names == ["", "-init.outgoing=uniform2-bias=false"]
    assert len({one.key for one in archive.read(tmp_path)}) == 2


def test_two_curves_of_one_name_have_two_files(tmp_path: Path) -> None:
    usual = family("aen one", seeds=1)
    other = what("aen one")
    other["model"]["rules"][0] = ["prune", {"kind": "Mine", "source": "0123456789abcdef"}]
    archive.write(tmp_path, [usual, curve(other, usual.traces)], SETTINGS)
    assert len(list(tmp_path.glob("mnist-N10000-aen-K6500-*.csv"))) == 2
    assert len({one.key for one in archive.read(tmp_path)}) == 2


def test_the_papers_records_are_a_few_megabytes(tmp_path: Path) -> None:
    size = np.round(np.random.default_rng(0).normal(30, 3, 400))
    archive.write(tmp_path, [family("aen one", tasks=400, noise=0.004, units=size, connections=794 * size)], SETTINGS)
    assert 51 * sum(path.stat().st_size for path in tmp_path.iterdir()) < 6e6


def test_records_that_lack_a_kept_measure_read_it_as_missing(tmp_path: Path) -> None:
    archive.write(tmp_path, [family("aen one", seeds=3, units=np.arange(120))], SETTINGS)
    (path,) = tmp_path.glob("*.csv")
    head, *lines = csv.reader(path.read_text().splitlines())
    kept = [place for place, name in enumerate(head) if not name.startswith("connections_")]
    assert len(kept) == len(head) - 5
    path.write_text("".join(",".join(line[place] for place in kept) + "\n" for line in [head, *lines]))
    (found,) = archive.read(tmp_path)
    assert (found.seeds, found.tasks) == ((0, 1, 2), 120)
    assert np.isnan(found.series("connections")).all()
    np.testing.assert_array_equal(found.series("units"), [np.arange(120)] * 3)
    archive.write(tmp_path / "again", [found], SETTINGS)
    (again,) = archive.read(tmp_path / "again")
    for metric in KEPT:
        np.testing.assert_array_equal(again.series(metric), found.series(metric))


@pytest.mark.parametrize("damage", ["", "[{}]", "{", '[{"file": "x.csv", "what": {}}]'])
def test_records_that_are_missing_or_damaged_are_one_sentence(tmp_path: Path, damage: str) -> None:
    if damage:
        (tmp_path / "curves.json").write_text(damage)
    with pytest.raises(Mistake, match="records"):
        archive.read(tmp_path)


def test_a_curve_without_runs_is_one_sentence(tmp_path: Path) -> None:
    archive.write(tmp_path, [family("aen one", seeds=1)], SETTINGS)
    index = json.loads((tmp_path / "curves.json").read_text())
    (tmp_path / "curves.json").write_text(json.dumps([index[0] | {"runs": []}]))
    with pytest.raises(Mistake, match="has no runs"):
        archive.read(tmp_path)


def test_records_in_a_file_are_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(Mistake, match="name a folder that holds records"):
        archive.read(tmp_path / "file" / "records")


def test_what_pruning_dropped_wrongly_is_kept_where_it_was_measured(tmp_path: Path) -> None:
    plain, looked = family("aen one", seeds=1), family("aen three", seeds=2, wrongly_pruned=np.linspace(0, 1, 120))
    archive.write(tmp_path, [plain, looked], SETTINGS)
    one, other = archive.read(tmp_path)
    assert "wrongly_pruned" not in one.measures
    np.testing.assert_allclose(other.series("wrongly_pruned"), looked.series("wrongly_pruned"), rtol=1e-5)

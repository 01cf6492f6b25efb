import match
import pytest
from support.small import configured

from plasticity.ground.errors import Mistake
from plasticity.runs import matching

MNIST = ("model=ffcnn", "model.width=match", "tracker=none")


def test_a_matched_width_is_the_nearest_by_hand() -> None:
    # AEN has 40,895 connections: 784·w + 10·w gives 40,494 at 51 units and 41,288 at 52
    assert configured(*MNIST, "model.layers=1").model["network"]["width"] == round(40_895 / 794)


def test_growth_says_which_aen_is_equalled() -> None:
    assert configured(*MNIST, "model.layers=1", "growth=three").model["width"] == round(115_644 / 794)


def test_memory_counts_what_a_method_remembers() -> None:
    plain, anchored = (configured(*MNIST, "match=memory", *more).model["width"] for more in ((), ("method=l2_init",)))
    assert anchored == pytest.approx(plain / 2, abs=3)  # weights at birth are as many again


def test_a_matched_run_is_named_after_its_width() -> None:
    assert configured(*MNIST, "model.layers=1").model["label"] == "ffcnn-1x52"


def test_where_aen_settles_must_be_known() -> None:
    with pytest.raises(Mistake, match="does not know where AEN settles at dataset=mnist N=500"):
        configured(*MNIST, "N=500")


def test_what_is_matched_must_be_known() -> None:
    with pytest.raises(Mistake, match="match=units is not known; choose connections, work, memory"):
        configured(*MNIST, "match=units")


def test_a_match_says_by_how_much_it_misses() -> None:
    found = matching.Match(52, "connections", 40_895, 41_288)
    assert str(found) == "model.width=52: 41,288 connections, 1.0% more than AEN's 40,895"


def test_a_network_without_a_width_matches_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.argv", ["match.py", "model=aen"])
    with pytest.raises(Mistake, match=r"^model=aen has no width to match; a fixed network has one: model=ffcnn$"):
        match.main()


def test_a_match_that_is_not_close_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matching, "CLOSE", 1e-6)
    with pytest.raises(Mistake, match=r"model\.width=match comes no nearer than model\.width="):
        configured(*MNIST)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("model.layers=1,3",), "model.layers=1,3 is 2 networks; give one value to each key"),
        (("model.width=50",), "model.width=50 is given; match.py says which width it must be, so leave it out"),
    ],
)
def test_one_network_is_matched_and_its_width_is_not_given(
    words: tuple[str, ...], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", ["match.py", *words])
    with pytest.raises(Mistake, match=f"^{said}$"):
        match.main()

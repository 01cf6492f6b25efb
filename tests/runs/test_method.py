"""The group `method`: it joins any model, is shown in the run's folder, and enters the identity as its parts do."""

import pytest
from support.small import MODELS, configured

from plasticity.ground.errors import Mistake
from plasticity.runs import identity, keys
from plasticity.runs.run import Run


def what(*overrides: str) -> dict:
    return identity.identity(configured(*overrides))


@pytest.mark.slow
@pytest.mark.parametrize("model", MODELS)
def test_no_method_is_the_model_as_it_is(model: str) -> None:
    assert what(f"model={model}", "method=none") == what(f"model={model}")
    assert "method" not in what(f"model={model}")


@pytest.mark.parametrize(("model", "label"), [("ffcnn", "ffcnn-3x200-l2"), ("aen", "aen-K6500-l2")])
def test_a_methods_name_is_at_the_end_of_the_label(model: str, label: str) -> None:
    run = Run(configured(f"model={model}", "method=l2"))
    assert run.what["label"] == label
    assert run.folder.parent.name == label


def test_what_a_method_does_makes_another_run_not_its_name() -> None:
    plain, decaying = what("model=ffcnn"), what("model=ffcnn", "method=l2")
    assert identity.digest(decaying) != identity.digest(plain)
    by_hand = ("update._target_=plasticity.updates.L2", "+update.decay=1e-4")
    assert identity.digest(what("model=ffcnn", *by_hand)) == identity.digest(decaying)
    assert identity.curve_key(what("model=ffcnn", "method=l2", "update.decay=0.1")) != identity.curve_key(decaying)


def test_a_method_that_changes_the_network_goes_with_an_update_of_choice() -> None:
    both = what("model=ffcnn", "method=layer_norm", "update=l2")
    assert both["update"] == what("model=ffcnn", "method=l2")["update"]
    assert both["model"] == what("model=ffcnn", "method=layer_norm")["model"]
    assert both["model"]["network"]["normalise"] is True
    assert both["label"] == "ffcnn-3x200-layer_norm"


@pytest.mark.parametrize(("method", "update"), [("l2", "adam"), ("l2", "l2_init"), ("l2_init", "sgd")])
def test_a_method_that_is_an_update_goes_with_no_other(method: str, update: str) -> None:
    said = f"^method={method} is update={method}, not update={update}; leave out one of the two$"
    with pytest.raises(Mistake, match=said):
        configured("model=ffcnn", f"method={method}", f"update={update}", "engine=torch")


def test_the_keys_of_crelu_and_layer_norm_at_their_defaults_are_no_part_of_a_run() -> None:
    neutral = ("+model.network.activation=relu", "+model.network.normalise=false")
    assert what("model=ffcnn", *neutral) == what("model=ffcnn")


def test_a_method_is_a_difference_from_the_usual_settings() -> None:
    """So its curve is not taken for the model's own, in figures and claims."""
    assert keys.differences(what("method=l2"), keys.settings(what())) == [
        "update=l2",
        "method=l2",
        "update.decay=0.0001",
    ]
    assert keys.differences(what("method=none"), keys.settings(what())) == []

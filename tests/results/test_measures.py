"""Every measure is named once, and whatever shows it takes its name, unit and scale from there."""

from support.small import ROOT

from plasticity.results.measures import COMPARED, FIELD, KEPT, MEASURES, PRUNING, SHARES, SIZES, measure


def test_what_is_kept_compared_a_share_and_a_size() -> None:
    assert KEPT == ("accuracy", "dormancy", "units", "connections")
    assert COMPARED == (*KEPT, "effective_rank", "us_per_sample")
    assert (SHARES, SIZES) == (("accuracy", "dormancy"), ("units", "connections"))


def test_a_share_is_shown_in_percent_on_a_picture_and_as_it_is_stored_on_a_dashboard() -> None:
    accuracy = measure("accuracy")
    assert (accuracy.axis, accuracy.scale, accuracy.least, accuracy.most) == ("Accuracy (%)", 100.0, 0.0, 1.0)
    assert accuracy.stored_axis == "Accuracy (share)"


def test_a_unit_is_on_the_axis_and_a_number_of_things_has_none() -> None:
    assert measure("us_per_sample").axis == measure("us_per_sample").stored_axis == "Time per sample (µs)"
    assert measure("units").axis == measure("units").stored_axis == "Hidden units"


def test_a_measure_is_under_its_own_name_and_says_what_it_means() -> None:
    assert all(one.name == name and one.title and one.meaning and one.section for name, one in MEASURES.items())


def test_dormancy_at_a_threshold_is_a_share_in_the_section_of_dormancy() -> None:
    found = measure("dormancy_025")
    assert (found.axis, found.section, found.scale) == ("Dormancy at 0.025 (%)", "dormancy", 100.0)


def test_a_layers_own_measure_is_shown_like_the_networks() -> None:
    rank, share = measure("effective_rank_layer2"), measure("dormancy_010_layer1")
    assert (rank.name, rank.axis, rank.section) == ("effective_rank_layer2", "Effective rank, layer 2", "plasticity")
    assert (share.axis, share.scale, share.section) == ("Dormancy at 0.01, layer 1 (%)", 100.0, "dormancy")
    assert (rank.compared, measure("dormancy_layer1").kept) == (False, False)


def test_one_of_a_users_own_for_each_layer_is_their_own() -> None:
    assert measure("churn_layer1").section == "own"


def test_one_of_a_users_own_has_its_columns_name_for_a_title() -> None:
    own = measure("weight_churn")
    assert (own.name, own.axis, own.section, own.scale) == ("weight_churn", "weight churn", "own", 1.0)
    assert (own.kept, own.compared) == (False, False)


def test_the_readme_says_in_one_line_what_each_measure_means() -> None:
    text = (ROOT / "src" / "plasticity" / "results" / "README.md").read_text()
    for one in (*MEASURES.values(), *FIELD.values(), *PRUNING.values()):
        assert f"| `{one.name}` | {one.axis} | {one.meaning} |" in text

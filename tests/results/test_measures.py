"""Every measure is named once, and whatever shows it takes its name, unit and scale from there."""

from plasticity.results.measures import COMPARED, KEPT, MEASURES, SHARES, SIZES, measure


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


def test_one_of_a_users_own_has_its_columns_name_for_a_title() -> None:
    own = measure("weight_churn")
    assert (own.name, own.axis, own.section, own.scale) == ("weight_churn", "weight churn", "own", 1.0)
    assert (own.kept, own.compared) == (False, False)

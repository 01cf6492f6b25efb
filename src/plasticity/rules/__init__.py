"""What happens to units, and when: one file per rule."""

from plasticity.rules.dead import Dead
from plasticity.rules.every import Every
from plasticity.rules.random_units import RandomUnits
from plasticity.rules.rule import AtTaskStart, Change, EveryK, Moment, Rule, checked, traces_of

__all__ = ["AtTaskStart", "Change", "Dead", "Every", "EveryK", "Moment", "RandomUnits", "Rule", "checked", "traces_of"]

"""What happens to units, and when: one file per rule."""

from plasticity.rules.at import At
from plasticity.rules.continual_backprop import ContinualBackprop
from plasticity.rules.dead import Dead
from plasticity.rules.every import Every
from plasticity.rules.head_reset import HeadReset
from plasticity.rules.random_units import RandomUnits
from plasticity.rules.redo import ReDo
from plasticity.rules.rule import AtTaskStart, Change, EveryK, Moment, Rule, checked, traces_of
from plasticity.rules.scratch import Scratch
from plasticity.rules.self_normalized_resets import SelfNormalizedResets
from plasticity.rules.shrink_perturb import ShrinkPerturb
from plasticity.rules.silent import Silent
from plasticity.rules.stall import Stall
from plasticity.rules.steady import Steady

__all__ = [
    "At",
    "AtTaskStart",
    "Change",
    "ContinualBackprop",
    "Dead",
    "Every",
    "EveryK",
    "HeadReset",
    "Moment",
    "RandomUnits",
    "ReDo",
    "Rule",
    "Scratch",
    "SelfNormalizedResets",
    "ShrinkPerturb",
    "Silent",
    "Stall",
    "Steady",
    "checked",
    "traces_of",
]

"""Lists of what is not zero: which units fire, how strongly, and what they feed; which inputs are on."""

from plasticity.compiled.cache import compiled
from plasticity.compiled.kinds import ROWS


@compiled
def fed_from(shape):
    """The first target of the weights between units: in a flat network units feed the outputs alone."""
    return 0 if shape.lateral else shape.first_output


@compiled
def fill(rows, scales, last, zero_row):
    """Behind the last entry, so that rows can be taken four at a time."""
    for f in range(last, last + 3):
        rows[f], scales[f] = zero_row, 0


@compiled
def firing(z, begin, end, rows, scales, count):
    """Appends the units that fire, and how strongly."""
    for unit in range(begin, end):
        given = z[unit]  # read once: what is stored next might be in the same place, for all that LLVM knows
        rows[count], scales[count] = unit, given
        count += given > 0
    return count


@compiled
def list_columns(on, columns):
    """Lists the columns that are on, in their order, and then some of the others, up to a multiple of ROWS; returns how
    many."""
    count = 0
    for k in range(on.size):
        columns[count] = k
        count += on[k] != 0
    k = 0
    while count % ROWS:
        columns[count] = k
        count += on[k] == 0
        k += 1
    return count


@compiled
def list_again(on, samples, columns, listed):
    """Lists those of the columns that are on in any of these samples, given as bits; returns how many."""
    count = 0
    for k in columns:
        listed[count] = k
        count += (on[k] & samples) != 0
    return count


@compiled
def units_of(rows, mirrored):
    """How many units feed so many rows: mirrored, each has two."""
    return rows if mirrored is None else rows // 2


@compiled
def firing_mirrored(z, units, rows, scales):
    """Each unit feeds one row: its own if z > 0, the one `units` further on if z < 0. Which ones, and how strongly."""
    count = 0
    for unit in range(units):
        rows[count], scales[count] = unit + units * (z[unit] < 0), abs(z[unit])
        count += z[unit] != 0
    return count

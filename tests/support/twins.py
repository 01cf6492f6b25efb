"""Plain numpy twins of compiled code: the same arguments, changed in place in the same way, in the plainest order.

Twins of vector primitives take arrays where those take addresses. The input weights lie in panels of columns; only
`unpanelled` knows how.
"""

from typing import Any

import numpy as np

from plasticity.compiled.arguments import Block, CascadeShape, Decay, Fed, Firing, Kept, LayeredWeights, Norm
from plasticity.compiled.emit import TINY
from plasticity.compiled.kinds import BLOCK, PANEL, ROWS, TILES

Array = np.ndarray


def panels(matrix: Array) -> Array:
    return np.concatenate([matrix[:, at : at + PANEL].ravel() for at in range(0, matrix.shape[1], PANEL)])


def unpanelled(fed: Array, inputs: int) -> Array:
    parts = np.split(fed, range(inputs * PANEL, fed.size, inputs * PANEL))
    return np.hstack([part.reshape(inputs, -1) for part in parts])


# Vectors


def product(c: Array, a: Array, b: Array) -> None:
    c += a @ b


def dots_tile(c: Array, a: Array, b: Array) -> None:
    c[:] = a @ b.T


def product_of_steps(c: Array, a: Array, b: Array, places: Array) -> None:
    c += a[:, places] @ b[places]


def product_of_rows(c: Array, a: Array, b: Array, places: Array, steps: int) -> None:
    """Only the steps whose bits are set."""
    there = [step for step in range(len(b)) if steps >> step & 1]
    c[places] += a[places][:, there] @ b[there]


def gather(target: Array, scales: Array, rows: Array, matrix: Array) -> None:
    target += scales @ matrix[rows]


def gather_anchored(target: Array, scales: Array, rows: Array, matrix: Array, pull: Array, inverse: Array) -> None:
    gather(target, scales, rows, matrix + inverse[0] * pull)


def collect_rows(dots: Array, scales: Array, delta: Array, rows: Array) -> None:
    dots += rows @ delta
    rows += np.outer(scales, delta)


def collect_sized_rows(sizes: Array, dots: Array, scales: Array, delta: Array, rows: Array) -> None:
    collect_rows(dots, scales, delta, rows)
    sizes += np.abs(rows).sum(axis=1)


def collect_decayed_rows(dots: Array, scales: Array, delta: Array, rows: Array, now: Array) -> None:
    dots += now[0] * rows @ delta
    rows += np.outer(scales, delta)


def collect_anchored_rows(dots: Array, scales: Array, delta: Array, rows: Array, now: Array, pull: Array) -> None:
    dots += (now[0] * rows + pull) @ delta
    rows += np.outer(scales, delta)


def settle(
    units: Array, begin: int, live: int, delta: Array, rows: Array, dots: Array, scales: Array, *more: Array
) -> None:
    """`more`: sizes; or now; or now and the pull. A dot is not changed in memory."""
    sizes = more[0] if more and more[0].size > 1 else np.zeros(len(units))
    now, pull = (more[0][0] if more and more[0].size == 1 else 1), (more[1] if len(more) > 1 else 0 * rows)
    for f in reversed(range(len(units))):
        row, lane = rows[units[f]], units[f] - begin
        dot = dots[f] + (now * row + pull[units[f]])[:BLOCK] @ delta
        row[:BLOCK] += scales[f] * delta
        sizes[f] += np.abs(row[:BLOCK]).sum()
        if lane >= live:
            delta[lane] = dot if abs(dot) > TINY else 0


def activate_block(z: Array, weight: Array) -> None:
    for unit in range(BLOCK):
        z += max(z[unit], 0) * weight[unit]


def activate_decayed(z: Array, weight: Array, factor: Array) -> None:
    for unit in range(BLOCK):
        z += factor[unit] * max(z[unit], 0) * weight[unit, :BLOCK]


def activate_anchored(z: Array, weight: Array, factor: Array, pull: Array, inverse: Array) -> None:
    activate_decayed(z, weight + inverse[0] * pull, factor)


# Products


def list_columns(on: Array, columns: Array) -> int:
    there, others = np.flatnonzero(on), np.flatnonzero(on == 0)
    count = -(-len(there) // ROWS) * ROWS
    columns[:count] = np.concatenate([there, others])[:count]
    return count


def on(x: Array) -> Array:  # (samples, inputs) → (inputs,)
    """In which samples an input is not zero, a bit for each."""
    return ((x != 0) << np.arange(len(x))[:, None]).sum(axis=0).astype(np.uint32)


def list_again(on: Array, samples: int, columns: Array, listed: Array) -> int:
    there = [k for k in columns if on[k] & samples]
    listed[: len(there)] = there
    return len(there)


def in_tiles(on: Array) -> tuple[Array, Array]:
    """Lists for `feed`, of what is on in any sample of each tile."""
    listed, counts = np.zeros((TILES, on.size + 1), np.int64), np.zeros(TILES, np.int64)
    for tile, place in enumerate(listed):
        counts[tile] = list_again(on, (2**ROWS - 1) << tile * ROWS, np.arange(on.size), place)
    return listed, counts


def feed(x: Array, samples: int, listed: Array, counts: Array, fed: Array, z: Array) -> None:
    weight = unpanelled(fed, x.shape[1])
    for i in range(samples):
        columns = listed[i // ROWS, : counts[i // ROWS]]
        z[i] += x[i, columns] @ weight[columns]


def absorb(x: Array, on: Array, columns: Array, delta: Array, fed: Array, live: int) -> None:
    weight = unpanelled(fed, x.shape[1])
    there = x * (on >> np.arange(len(x), dtype=np.uint32)[:, None] & 1)
    weight[columns, live:] += there[:, columns].T @ delta[: len(x), live:]
    fed[:] = panels(weight)


def catch_up(gram: Array, start: int, delta: Array, z: Array, live: int) -> None:
    z[start : start + ROWS, live:] += gram[start : start + ROWS, :start] @ delta[:start, live:]


def gram_matrix(x: Array, samples: int, gram: Array, one: float) -> None:
    gram[:samples, :samples] = x[:samples] @ x[:samples].T + one


def add_rows(target: Array, start: int, matrix: Array, rows: Array, scales: Array, first: int, last: int) -> None:
    for f in range(first, last):
        target[start:] += scales[f] * matrix[rows[f], start:]


def teach_rows(
    delta: Array, start: int, matrix: Array, rows: Array, scales: Array, dots: Array, first: int, last: int
) -> None:
    for f in range(first, last):
        dots[f] += matrix[rows[f], start:] @ delta[start:]
        matrix[rows[f], start:] += scales[f] * delta[start:]


def add_anchored_rows(target: Array, start: int, matrix: Array, *given: Any) -> None:
    *how, anchor, inverse = given
    add_rows(target, start, matrix + inverse[0] * anchor, *how)


def teach_decayed_rows(delta: Array, start: int, matrix: Array, *given: Any) -> None:
    rows, scales, dots, first, last, now, anchor = given
    weight = now[0] * matrix + (0 if anchor is None else anchor)
    for f in range(first, last):
        dots[f] += weight[rows[f], start:] @ delta[start:]
        matrix[rows[f], start:] += scales[f] * delta[start:]


def fill(rows: Array, scales: Array, last: int, zero_row: int) -> None:
    rows[last : last + 3], scales[last : last + 3] = zero_row, 0


def firing(z: Array, begin: int, end: int, rows: Array, scales: Array, count: int) -> int:
    units = begin + np.flatnonzero(z[begin:end] > 0)
    last = count + len(units)
    rows[count:last], scales[count:last] = units, z[units]
    return last


def firing_mirrored(z: Array, units: int, rows: Array, scales: Array) -> int:
    listed = [unit if z[unit] > 0 else units + unit for unit in np.flatnonzero(z[:units])]
    rows[: len(listed)], scales[: len(listed)] = listed, abs(z[:units][z[:units] != 0])
    return len(listed)


# What all networks share


def answer(z: Array, first: int, outputs: int, label: int, step: float, delta: Array) -> tuple[int, float]:
    values = z[first : first + outputs].astype(float)
    with np.errstate(all="ignore"):
        exponents = np.exp(values - values.max())
        loss = np.log(exponents.sum()) + values.max() - values[label]
    if not np.isfinite(loss):
        return -1, np.inf
    delta[first : first + outputs] = step * (np.eye(outputs)[label] - exponents / exponents.sum())
    return int(values.argmax() == label), loss


def take_block(images: Array, rows: Array, block: Block, fed: Fed) -> int:
    block.x[: rows.size, : images.shape[1]] = images[rows]
    block.z[:], block.on[:] = fed.bias, on(block.x[: rows.size])
    block.listed[:], block.counts[:] = in_tiles(block.on)
    block.z[: rows.size] += block.x[: rows.size] @ unpanelled(fed.panels, block.x.shape[1])
    return list_columns(block.on, block.columns)


def correct_inputs(sample: int, gram: Array, delta: Array, z: Array, live: int, rows: Array, scales: Array) -> None:
    """The compiled one does the samples of a tile together; after all samples of a block both are the same."""
    z[sample, live:] += gram[sample, :sample] @ delta[:sample, live:]


def end_block(samples: int, block: Block, columns: Array, fed: Fed, live: int) -> None:
    absorb(block.x, block.on, columns, block.delta, fed.panels, live)
    fed.bias[:] += fed.one * block.delta[:samples].sum(0)


# Cascades


def fed_by(unit: int, between: Array, shape: CascadeShape) -> tuple[int, Array]:
    """The first target that a unit feeds, and its weights to it and those that follow."""
    return (unit + 1, between[unit, unit + 1 :]) if shape.lateral else (shape.first_output, between[unit])


def forward_cascade(z: Array, between: Array, shape: CascadeShape, fire: Firing, *undecayed: None) -> int:
    for unit in range(shape.units):
        after, row = fed_by(unit, between, shape)
        z[after:] += max(z[unit], 0) * row
    for start in range(0, shape.units, BLOCK):
        fire.block_start[start // BLOCK] = (z[:start] > 0).sum()
    return firing(z, 0, shape.units, fire.rows, fire.strength, 0)


def backward_cascade(delta: Array, between: Array, shape: CascadeShape, fire: Firing, count: int, *more: Any) -> None:
    """The last argument is the mask of weights that exist, or None; the others are None."""
    for unit, strength in reversed(list(zip(fire.rows[:count], fire.strength[:count], strict=True))):
        after, row = fed_by(unit, between, shape)
        back = row @ delta[after:]
        row += strength * delta[after:]
        if more[-1] is not None:
            between[unit, : shape.units] *= more[-1][unit, : shape.units]
        if unit >= shape.frozen:
            delta[unit] = back


# Layers


def fired(z: Array, matrix: Array, rows: Array, strength: Array, mirrored: bool | None) -> int:
    size = len(matrix) - 1
    if mirrored is None:
        return firing(z, 0, size, rows, strength, 0)
    return firing_mirrored(z[: size // 2], size // 2, rows, strength)


def backward_layer(
    change: Array,
    matrix: Array,
    rows: Array,
    strength: Array,
    count: int,
    dots: Array,
    delta: Array,
    mirrored: bool | None,
    *untraced: object,
) -> None:
    back = np.zeros(len(matrix) - 1, delta.dtype)
    back[rows[:count]] = matrix[rows[:count]] @ change
    matrix[rows[:count]] += np.outer(strength[:count], change)
    own, mirror = (back, 0) if mirrored is None else np.split(back, 2)
    delta[:] = 0
    delta[: len(own)] = own - mirror


def normalise(z: Array, units: int, norm: Norm, layer: int) -> None:
    here = z[:units].astype(float)
    norm.inverse[layer] = 1 / np.sqrt(here.var() + 1e-5)
    norm.normal[layer, :units] = (here - here.mean()) * norm.inverse[layer]
    z[:units] = norm.gain[layer, :units] * norm.normal[layer, :units] + norm.shift[layer, :units]


def normalise_back(delta: Array, units: int, norm: Norm, layer: int, decay: Decay | None) -> None:
    """By the matrix of derivatives of each n by each z: (1[i = j] − 1/units − nᵢ·nⱼ/units)/√(variance + ε)."""
    learned, normal, gain = delta[:units].copy(), norm.normal[layer, :units], norm.gain[layer, :units]
    by_z = norm.inverse[layer] * (np.eye(units) - 1 / units - np.outer(normal, normal) / units)
    delta[:units] = by_z @ (gain * learned)
    norm.back[:units] = gain * learned
    for values, anchor, change in (
        (norm.gain, norm.gain_anchor, learned * normal),
        (norm.shift, norm.shift_anchor, learned),
    ):
        here = values[layer, :units]
        drawn = here if decay is None else decay.keep * here + (1 - decay.keep) * anchor[layer, :units]
        here[:] = drawn + change


# Traces


def note_firing(traces: Kept, sample: int, z: Array, first: int, mirrored: bool | None) -> None:
    traces.fires[sample, first : first + len(z)] = np.abs(z) if mirrored else np.maximum(z, 0)


def trace_block(traces: Kept, samples: int) -> None:
    """One sample after the other; what fires is left multiplied by its reach."""
    for sample in range(samples):
        fires = traces.fires[sample]
        if traces.silent.size:
            for unit in np.flatnonzero(fires > 0) if traces.gaps.size else ():
                traces.gaps[unit, traces.bin_of[min(traces.silent[unit] + 1, len(traces.bin_of) - 1)]] += 1
            traces.silent[:] = np.where(fires > 0, 0, traces.silent + 1)
        if traces.activity.size:
            traces.activity[:] *= traces.activity_decay
            traces.activity[:] += (1 - traces.activity_decay) * fires
        if traces.utility.size:
            fires *= traces.reach[sample]
            traces.utility[:] *= traces.utility_decay
            traces.utility[:] += (1 - traces.utility_decay) * fires


def reach_of_cascade(fires: Array, reach: Array, between: Array, shape: CascadeShape, *undecayed: None) -> None:
    there = np.flatnonzero(fires > 0)
    reach[there] = abs(between[there]).sum(axis=1)


def reach_of_layers(
    fires: Array, reach: Array, deeper: LayeredWeights, decay: None, anchor: None, mirrored: bool | None
) -> None:
    feeds, first = 2 if mirrored else 1, 0
    for size, width, place in zip(deeper.sizes, deeper.widths, deeper.places, strict=True):
        matrix, units = deeper.values[place : place + size * width].reshape(size, width), size // feeds
        for unit in np.flatnonzero(fires[first : first + units] > 0):
            reach[first + unit] = abs(matrix[unit::units]).sum()
        first += units

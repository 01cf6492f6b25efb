# pyright: reportMissingImports=false
"""What a sample costs in JAX: the same steps, compiled over a whole stretch of samples, on one thread.

JAX is what an expert would pick instead of this suite; `pip install -e '.[peers]'` brings it. launch/benchmark.py runs
this file in a process of its own, as JAX must be told to use one thread before it starts.
"""

import json
import os
import sys
from functools import partial
from itertools import pairwise
from time import perf_counter
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

SAMPLES = 1000
STEP = 0.001
DECAY = {"l2": 1e-4, "l2_init": 1e-2}
RATE, MATURITY, MEMORY = 1e-5, 100, 0.99  # of continual backprop


class Peer(NamedTuple):
    kind: str  # layered, cascade or flat
    layers: int  # of a layered network
    width: int  # of each of them; or the number of units
    method: str = "none"


def main() -> None:
    peers, seconds = json.loads(sys.argv[1])
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    rng = np.random.default_rng(0)
    x = jnp.asarray(rng.random((SAMPLES, 784)), jnp.float32)
    y = jnp.asarray(rng.integers(0, 10, SAMPLES))
    print(json.dumps([measured(Peer(*peer), x, y, seconds) for peer in peers]))


def measured(peer: Peer, x: Any, y: Any, seconds: float) -> float:
    state, learn = made(peer)
    learn = jax.jit(learn, donate_argnums=0)
    state, right = learn(state, x, y)
    right.block_until_ready()
    best, began = np.inf, perf_counter()
    while perf_counter() - began < seconds:
        start = perf_counter()
        state, right = learn(state, x, y)
        right.block_until_ready()
        best = min(best, perf_counter() - start)
    return 1e6 * best / SAMPLES


def made(peer: Peer) -> tuple[Any, Any]:
    """What a step changes, and a function that goes through samples with it."""
    if peer.kind == "layered":
        weights = layered_weights(peer)
        forward = partial(layered, method=peer.method)
    else:
        weights = cascade_weights(peer)
        forward = partial(cascade, units=peer.width, lateral=peer.kind == "cascade")
    state = {"weights": weights}
    if peer.method == "l2_init":
        state["first"] = jax.tree.map(lambda values: values + 0, weights)
    if peer.method == "cbp":
        state |= {"units": [unit_state(peer.width) for _ in range(peer.layers)], "key": jax.random.key(0)}

    def learn(state: Any, x: Any, y: Any) -> Any:
        return jax.lax.scan(partial(step, forward=forward, method=peer.method), state, (x, y))

    return state, learn


def step(state: Any, sample: Any, forward: Any, method: str) -> tuple[Any, Any]:
    x, y = sample

    def loss(weights: Any) -> Any:
        output, hidden = forward(weights, x)
        return jax.nn.logsumexp(output) - output[y], (output.argmax() == y, hidden)

    gradient, (right, hidden) = jax.grad(loss, has_aux=True)(state["weights"])
    pull = state["weights"] if method == "l2" else None
    if method == "l2_init":
        pull = jax.tree.map(jnp.subtract, state["weights"], state["first"])
    if pull is not None:
        gradient = jax.tree.map(lambda g, p: g + DECAY[method] * p, gradient, pull)
    state = state | {"weights": jax.tree.map(lambda w, g: w - STEP * g, state["weights"], gradient)}
    return (continual_backprop(state, hidden) if method == "cbp" else state), right


def layered_weights(peer: Peer) -> Any:
    rng, feeds = np.random.default_rng(0), 2 if peer.method == "crelu" else 1
    sizes = [784, *[peer.width] * peer.layers, 10]
    weights = []
    for place, (n, m) in enumerate(pairwise(sizes)):
        n = n * feeds if place else n
        layer = {"w": rng.uniform(-1, 1, (n, m)) * np.sqrt(6 / n), "b": np.zeros(m)}
        if peer.method == "layer_norm" and place < peer.layers:
            layer |= {"gain": np.ones(m), "shift": np.zeros(m)}
        weights.append({name: jnp.asarray(values, jnp.float32) for name, values in layer.items()})
    return weights


def layered(weights: Any, x: Any, method: str) -> tuple[Any, list[Any]]:
    """The outputs, and what each hidden layer gives."""
    hidden = []
    for layer in weights[:-1]:
        z = x @ layer["w"] + layer["b"]
        if method == "layer_norm":
            z = (z - z.mean()) * jax.lax.rsqrt(z.var() + 1e-5) * layer["gain"] + layer["shift"]
        x = jax.nn.relu(jnp.concatenate([z, -z]) if method == "crelu" else z)
        hidden.append(x)
    return x @ weights[-1]["w"] + weights[-1]["b"], hidden


def unit_state(width: int) -> dict[str, Any]:
    return {"age": jnp.zeros(width), "utility": jnp.zeros(width), "owed": jnp.zeros(())}


def continual_backprop(state: Any, hidden: list[Any]) -> Any:
    weights, units, key = list(state["weights"]), [], state["key"]
    for layer, (own, given) in enumerate(zip(state["units"], hidden, strict=True)):
        outgoing = jnp.abs(weights[layer + 1]["w"]).sum(axis=1)
        utility = MEMORY * own["utility"] + (1 - MEMORY) * given * outgoing
        age = own["age"] + 1
        owed = own["owed"] + RATE * (age > MATURITY).sum()
        least = jnp.where(age > MATURITY, utility / (1 - MEMORY**age), jnp.inf).argmin()
        key, fresh = jax.random.split(key)

        def replaced(old: Any, least: Any = least, fresh: Any = fresh) -> Any:
            incoming, bias, outgoing, utility, age, owed = old
            bound = (6 / incoming.shape[0]) ** 0.5
            drawn = jax.random.uniform(fresh, incoming.shape[:1], minval=-bound, maxval=bound)
            return (
                incoming.at[:, least].set(drawn),
                bias.at[least].set(0),
                outgoing.at[least].set(0),
                utility.at[least].set(0),
                age.at[least].set(0),
                owed - 1,
            )

        before = weights[layer]["w"], weights[layer]["b"], weights[layer + 1]["w"], utility, age, owed
        w, b, following, utility, age, owed = jax.lax.cond(owed >= 1, replaced, lambda old: old, before)
        weights[layer] = weights[layer] | {"w": w, "b": b}
        weights[layer + 1] = weights[layer + 1] | {"w": following}
        units.append({"age": age, "utility": utility, "owed": owed})
    return state | {"weights": weights, "units": units, "key": key}


def cascade_weights(peer: Peer) -> Any:
    """Inputs to units and outputs, and units to later units and outputs."""
    rng, targets = np.random.default_rng(0), peer.width + 10
    between = np.triu(rng.uniform(-1, 1, (peer.width, targets)), k=1) * np.sqrt(6 / (784 + peer.width))
    if peer.kind == "flat":
        between[:, : peer.width] = 0
    between[:, peer.width :] = rng.uniform(-1, 1, (peer.width, 10)) / np.sqrt(784 + peer.width)
    fed = rng.uniform(-1, 1, (784, targets)) * np.sqrt(6 / 784)
    made = {"fed": fed, "between": between, "bias": np.zeros(targets)}
    return {name: jnp.asarray(values, jnp.float32) for name, values in made.items()}


def cascade(weights: Any, x: Any, units: int, lateral: bool) -> tuple[Any, Any]:
    z = x @ weights["fed"] + weights["bias"]
    between = weights["between"]
    if not lateral or units == 0:
        hidden = jax.nn.relu(z[:units])
        return z[units:] + hidden @ between[:, units:], hidden
    mask = jnp.arange(units)[:, None] < jnp.arange(units + 10)  # a connection that does not exist stays 0

    def unit(total: Any, place: Any) -> tuple[Any, Any]:
        given = jax.nn.relu(total[place])
        return total + given * jnp.where(mask[place], between[place], 0), given

    total, hidden = jax.lax.scan(unit, z, jnp.arange(units))
    return total[units:], hidden


if __name__ == "__main__":
    main()

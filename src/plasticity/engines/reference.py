"""The definition, in plain torch autograd: predict one sample, take one SGD step on it, go on."""

from dataclasses import dataclass
from typing import assert_never

import numpy as np
import torch
from torch import Tensor

from plasticity.arrays import Bools, Floats, State
from plasticity.errors import Diverged, Mistake
from plasticity.networks import Cascade, Layered, Network
from plasticity.stream import Samples


@dataclass(frozen=True)
class Reference:
    step_size: float
    device: str = "cpu"

    def learn(self, network: Network, samples: Samples) -> Bools:
        device = torch_device(self.device)
        torch.set_num_threads(1)  # one sample is too little work to share
        model = model_of(network, device)
        x, y = torch.from_numpy(samples.x).to(device), torch.from_numpy(samples.y.astype(np.int64)).to(device)
        correct = np.zeros(len(samples), bool)
        traces = {name: values.copy() for name, values in (getattr(network, "traces", None) or {}).items()}
        for sample in range(len(samples)):
            output = model.forward(x[sample])
            correct[sample] = output.argmax() == y[sample]
            loss = torch.nn.functional.cross_entropy(output, y[sample])
            if not torch.isfinite(loss):
                raise Diverged(sample)
            model.step(loss, self.step_size)
            if traces:
                record(traces, getattr(network, "decays", {}), array(model.hidden), array(model.reach()))
        model.store()
        for name, values in traces.items():
            network.traces[name][:] = values  # pyright: ignore[reportAttributeAccessIssue]
        return correct


def record(traces: State, decays: dict[str, float], hidden: Floats, reach: Floats) -> None:
    """Takes one sample into the traces asked for: what each unit fired, and Σ|outgoing weights| after the step."""
    news = {"activity": hidden.astype(float), "utility": hidden.astype(float) * reach}
    for name, values in traces.items():
        if name == "age":
            values += 1
        elif name == "silent_for":
            values[:] = np.where(hidden > 0, 0, values + 1)
        else:
            values[:] = decays[name] * values + (1 - decays[name]) * news[name]


class CascadeModel:
    def __init__(self, network: Cascade, device: torch.device):
        self.network = network
        self.weight = tensor(network.weight, device)
        self.bias = tensor(network.bias, device)
        # A connection that does not exist, or feeds a frozen unit, never changes.
        self.weight_learns = torch.from_numpy(network.connected & network.learning).to(device)
        self.bias_learns = torch.from_numpy(network.learning & network.has_bias).to(device)

    def forward(self, x: Tensor) -> Tensor:  # (inputs,) → (outputs,)
        inputs, outputs = self.network.inputs, self.network.outputs
        total = self.bias + x @ self.weight[:inputs]  # every target's pre-activation, so far
        for unit, row in enumerate(self.weight[inputs:].unbind()):
            total = total + torch.relu(total[outputs + unit]) * row
        self.hidden = torch.relu(total[outputs:])  # (units,) of the latest sample
        return total[:outputs]

    def reach(self) -> Tensor:  # (units,) Σ|outgoing weights|
        return self.weight[self.network.inputs :].abs().sum(1)

    def step(self, loss: Tensor, step_size: float) -> None:
        weight, bias = torch.autograd.grad(loss, [self.weight, self.bias])
        with torch.no_grad():
            self.weight -= step_size * weight * self.weight_learns
            self.bias -= step_size * bias * self.bias_learns

    def store(self) -> None:
        self.network.weight[:], self.network.bias[:] = array(self.weight), array(self.bias)


class LayeredModel:
    def __init__(self, network: Layered, device: torch.device):
        self.network = network
        self.weight = [tensor(weight, device) for weight in network.weight]
        self.bias = [tensor(bias, device) for bias in network.bias]

    def forward(self, x: Tensor) -> Tensor:  # (inputs,) → (outputs,)
        layers = [x[:0]]
        for weight, bias in zip(self.weight[:-1], self.bias[:-1], strict=True):
            x = torch.relu(x @ weight + bias)
            layers.append(x)
        self.hidden = torch.cat(layers)  # (units,) of the latest sample
        return x @ self.weight[-1] + self.bias[-1]

    def reach(self) -> Tensor:  # (units,) Σ|outgoing weights|
        return torch.cat([weight.abs().sum(1) for weight in self.weight[1:]])

    def step(self, loss: Tensor, step_size: float) -> None:
        learning = self.weight + self.bias if self.network.has_bias else self.weight
        with torch.no_grad():
            for value, gradient in zip(learning, torch.autograd.grad(loss, learning), strict=True):
                value -= step_size * gradient

    def store(self) -> None:
        for layer, (weight, bias) in enumerate(zip(self.weight, self.bias, strict=True)):
            self.network.weight[layer][:], self.network.bias[layer][:] = array(weight), array(bias)


def model_of(network: Network, device: torch.device) -> CascadeModel | LayeredModel:
    match network:
        case Cascade():
            return CascadeModel(network, device)
        case Layered():
            return LayeredModel(network, device)
        case _:
            assert_never(network)


def tensor(values: np.ndarray, device: torch.device) -> Tensor:
    return torch.from_numpy(values.copy()).to(device).requires_grad_()


def array(values: Tensor) -> np.ndarray:
    return values.detach().cpu().numpy()


def torch_device(device: str) -> torch.device:
    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    if device == "cuda" and not torch.cuda.is_available():
        raise Mistake("device=cuda was asked for, but torch sees no GPU; use device=cpu or device=auto")
    return torch.device(device)

"""The definition, in plain torch autograd: predict one sample, take one SGD step on it, go on."""

from dataclasses import dataclass
from typing import assert_never

import numpy as np
import torch
from torch import Tensor

from plasticity.arrays import Bools
from plasticity.errors import Diverged, Mistake
from plasticity.networks import Cascade, Layered, Network
from plasticity.streams.permuted import Samples


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
        for sample in range(len(samples)):
            output = model.forward(x[sample])
            correct[sample] = output.argmax() == y[sample]
            loss = torch.nn.functional.cross_entropy(output, y[sample])
            if not torch.isfinite(loss):
                raise Diverged(sample)
            model.step(loss, self.step_size)
        model.store()
        return correct


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
        return total[:outputs]

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
        for weight, bias in zip(self.weight[:-1], self.bias[:-1], strict=True):
            x = torch.relu(x @ weight + bias)
        return x @ self.weight[-1] + self.bias[-1]

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

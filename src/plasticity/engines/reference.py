"""The definition, in plain torch autograd: predict one sample, take one step on it, go on."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite

import numpy as np
import torch
from torch import Tensor

from plasticity.compiled.arguments import EPSILON
from plasticity.engines import traces
from plasticity.engines.engine import Learned
from plasticity.ground.errors import Diverged, Mistake
from plasticity.networks import Cascade, Layered, Network
from plasticity.networks.layered import FEEDS
from plasticity.rules import Rule
from plasticity.streams import Samples
from plasticity.updates import Update


@dataclass(frozen=True)
class Reference:
    device: str = "cpu"

    def refuses(self, network: Network, update: Update, rules: Mapping[str, Rule]) -> str | None:
        return None if isinstance(network, Cascade | Layered) else f"engine=torch knows no {type(network).__name__}"

    def learn(self, network: Network, samples: Samples, update: Update) -> Learned:
        device = torch_device(self.device)
        torch.set_num_threads(1)  # one sample is too little work to share
        model = model_of(network, update, device)
        x, y = tensor(samples.x, device, model.number), torch.from_numpy(samples.y.astype(np.int64)).to(device)
        learned = Learned.nothing(len(samples))
        kept = {name: values.copy() for name, values in network.traces.items()}
        for sample in range(len(samples)):
            output = model.forward(x[sample])
            loss = torch.nn.functional.cross_entropy(output, y[sample])
            learned.correct[sample], learned.loss[sample] = output.argmax() == y[sample], loss.item()
            if not isfinite(learned.loss[sample]):
                raise Diverged(sample)
            model.step(loss)
            if kept:
                ratio = array(model.ratio()) if "adaptable_utility" in kept else None
                traces.follow(kept, network.decays, array(model.hidden()), array(model.outgoing()), ratio)
        model.store()
        network.traces.update(kept)
        return learned


class Model:
    """A network's arrays as tensors: `values` are its parameters, `learns` says which of their entries may change."""

    def __init__(self, network: Network, update: Update, device: torch.device):
        self.network, self.update = network, update
        # A step's decay, 1e-7 of a weight, would be rounded away in single precision.
        double = update.linear is not None and update.linear.keep != 1
        self.number = torch.float64 if double else None
        self.values = [tensor(values, device, self.number).requires_grad_() for values in network.parameters()]
        memory = [[tensor(values, device, self.number) for values in network.memory(name)] for name in update.memory]
        self.memory = [[each[place] for each in memory] for place in range(len(self.values))]  # parameter by parameter
        self.learns: list[Tensor | None] = [None] * len(self.values)  # None: all of it
        self.learning = [place for place in range(len(self.values)) if self._learns(place)]

    def forward(self, x: Tensor) -> Tensor:  # (inputs,) → (outputs,)
        raise NotImplementedError

    def hidden(self) -> Tensor:  # (units,) of the last forward pass
        raise NotImplementedError

    def outgoing(self) -> Tensor:  # (units,) sums of absolute outgoing weights
        raise NotImplementedError

    def ratio(self) -> Tensor:  # (units,) the mean of absolute outgoing weights over that of incoming ones
        raise NotImplementedError

    def step(self, loss: Tensor) -> None:
        gradients = torch.autograd.grad(loss, [self.values[place] for place in self.learning])
        with torch.no_grad():
            for place, gradient in zip(self.learning, gradients, strict=True):
                self._move(place, gradient)

    def _move(self, place: int, gradient: Tensor) -> None:
        """By itself, so that the room for one change is free again before the next."""
        value, mask = self.values[place], self.learns[place]
        change, *self.memory[place] = self.update(value, gradient, *self.memory[place])
        value += change if mask is None else change * mask

    def _learns(self, place: int) -> bool:
        return True

    def store(self) -> None:
        for own, value in zip(self.network.parameters(), self.values, strict=True):
            own[:] = array(value)
        for number, name in enumerate(self.update.memory):
            for own, kept in zip(self.network.memory(name), self.memory, strict=True):
                own[:] = array(kept[number])


class CascadeModel(Model):
    def __init__(self, network: Cascade, update: Update, device: torch.device):
        super().__init__(network, update, device)
        self.inputs, self.outputs = network.inputs, network.outputs
        self.connected = torch.from_numpy(network.connected).to(device)
        # A connection that does not exist, or feeds a frozen unit, never changes, nor does a bias where there is none.
        learns = (network.connected & network.learning, network.learning & network.has_bias)
        self.learns = [torch.from_numpy(mask).to(device) for mask in learns]

    def forward(self, x: Tensor) -> Tensor:
        weight, bias = self.values
        total = bias + x @ weight[: self.inputs]  # every target's pre-activation, so far
        for unit, row in enumerate(weight[self.inputs :].unbind()):
            total = total + torch.relu(total[self.outputs + unit]) * row
        self.total = total
        return total[: self.outputs]

    def hidden(self) -> Tensor:
        return torch.relu(self.total[self.outputs :])

    def outgoing(self) -> Tensor:
        return self.values[0][self.inputs :].abs().sum(dim=1)

    def ratio(self) -> Tensor:
        feeds, fed = self.connected[self.inputs :].sum(dim=1), self.connected[:, self.outputs :].sum(dim=0)
        incoming = self.values[0][:, self.outputs :].abs().sum(dim=0)
        return self.outgoing() / feeds / (incoming / fed)


class LayeredModel(Model):
    def __init__(self, network: Layered, update: Update, device: torch.device):
        super().__init__(network, update, device)
        self.parts, self.feeds = network.parts.split(self.values), FEEDS[network.activation]

    def _learns(self, place: int) -> bool:
        layers = len(self.network.weights)
        return self.network.has_bias or place not in range(layers, 2 * layers)  # the biases

    def forward(self, x: Tensor) -> Tensor:
        weights, biases, gains, shifts = self.parts
        self.fed = []  # what each hidden layer feeds to the next
        for layer, (weight, bias) in enumerate(zip(weights[:-1], biases[:-1], strict=True)):
            z = x @ weight + bias
            if gains:
                z = torch.nn.functional.layer_norm(z, z.shape, gains[layer], shifts[layer], EPSILON)
            x = torch.relu(z if self.feeds == 1 else torch.cat([z, -z]))
            self.fed.append(x)
        return x @ weights[-1] + biases[-1]

    def hidden(self) -> Tensor:
        return torch.cat([fed.reshape(self.feeds, -1).sum(dim=0) for fed in self.fed])

    def outgoing(self) -> Tensor:
        rows = [weight.abs().sum(dim=1) for weight in self.parts.weight[1:]]
        return torch.cat([each.reshape(self.feeds, -1).sum(dim=0) for each in rows])

    def ratio(self) -> Tensor:
        rows = [weight.abs().mean(dim=1) for weight in self.parts.weight[1:]]
        outgoing = torch.cat([each.reshape(self.feeds, -1).mean(dim=0) for each in rows])
        return outgoing / torch.cat([weight.abs().mean(dim=0) for weight in self.parts.weight[:-1]])


def model_of(network: Network, update: Update, device: torch.device) -> Model:
    match network:
        case Cascade():
            return CascadeModel(network, update, device)
        case Layered():
            return LayeredModel(network, update, device)
    raise Mistake(f"engine=torch knows no {type(network).__name__}")


def tensor(values: np.ndarray, device: torch.device, number: torch.dtype | None = None) -> Tensor:
    return torch.from_numpy(values.copy()).to(device, number)


def array(values: Tensor) -> np.ndarray:
    return values.detach().cpu().numpy()


def torch_device(device: str) -> torch.device:
    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    if device == "cuda" and not torch.cuda.is_available():
        raise Mistake("device=cuda was asked for, but torch sees no GPU; use device=cpu or device=auto")
    return torch.device(device)

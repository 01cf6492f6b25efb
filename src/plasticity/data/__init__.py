"""Where images come from: each data set knows its classes, its shape and how to give N images."""

from plasticity.data.dataset import Dataset, Source
from plasticity.data.downloaded import EMNIST, KMNIST, MNIST, QMNIST, FashionMNIST
from plasticity.data.own import Own
from plasticity.data.pictures import CIFAR10, SVHN, USPS
from plasticity.data.toy import Toy

__all__ = [
    "CIFAR10",
    "EMNIST",
    "KMNIST",
    "MNIST",
    "QMNIST",
    "SVHN",
    "USPS",
    "Dataset",
    "FashionMNIST",
    "Own",
    "Source",
    "Toy",
]

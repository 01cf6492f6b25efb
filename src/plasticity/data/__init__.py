"""Where images come from: each data set knows its classes, its shape and how to give N images."""

from plasticity.data.dataset import Dataset, Source
from plasticity.data.downloaded import MNIST, FashionMNIST
from plasticity.data.own import Own
from plasticity.data.toy import Toy

__all__ = ["MNIST", "Dataset", "FashionMNIST", "Own", "Source", "Toy"]

"""What one task yields: a value for each column of tasks.csv."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import nan


@dataclass(frozen=True)
class Record(Mapping[str, float]):
    """One task, by the names of its columns. A column that an older version did not have reads as missing, nan."""

    columns: Mapping[str, float]

    def __getitem__(self, name: str) -> float:
        return self.columns.get(name, nan)

    def __contains__(self, name: object) -> bool:
        return name in self.columns

    def __iter__(self) -> Iterator[str]:
        return iter(self.columns)

    def __len__(self) -> int:
        return len(self.columns)

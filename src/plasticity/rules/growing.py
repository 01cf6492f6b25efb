"""What rules that add units share: several can come at once."""

from plasticity.limits import whole
from plasticity.rules.rule import Change, Untraced


class Growing(Untraced):
    """A rule that adds columns: so many units at once, which do not see one another. One is a unit by itself."""

    column: int = 1
    resizes = True

    def __post_init__(self) -> None:
        whole("column", self.column, 1)

    def columns(self, count: int) -> Change:
        return Change(add=count * self.column, column=self.column)

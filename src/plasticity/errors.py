"""What can go wrong in a way that a person, not a programmer, should read about."""


class Mistake(Exception):
    """One sentence that names the value and what would be right; shown without a traceback."""


class Diverged(Mistake):
    """The loss stopped being a number."""

    def __init__(self, sample: int, where: str = ""):
        super().__init__(f"the loss is not finite at sample {sample}{where}; a smaller step_size may help")
        self.sample = sample

"""How many new units per task brings, as the paper counts: the K it used for its two sizes of data set."""

PAPER_K = {10_000: {"one": 6500, "two": 4000, "three": 3000}, 40_000: {"one": 24000, "three": 12000}}
SHARE = {"one": 0.65, "two": 0.4, "three": 0.3}  # of N, for any other N


def paper_K(N: int, growth: str) -> int:
    return PAPER_K.get(N, {}).get(growth) or max(1, round(N * SHARE[growth]))

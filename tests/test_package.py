"""What is installed beside the code."""

import tomllib

from support.small import ROOT

PACKAGE = ROOT / "src" / "plasticity"


def test_every_file_that_code_reads_is_part_of_the_package() -> None:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    named = settings["tool"]["setuptools"]["package-data"]["plasticity"]
    there = {path for path in PACKAGE.rglob("*") if path.is_file() and path.suffix not in (".py", ".md", ".pyc")}
    assert {f"{path.relative_to(PACKAGE)}" for path in there} == {*named}

"""Every command of launch/main.py waits for what Hydra finds and imports."""

import subprocess
import sys

import pytest

HEAVY = "{'torch', 'pandas', 'pyarrow', 'matplotlib', 'plotly', 'scipy.stats', 'wandb', 'submitit'}"


@pytest.mark.slow
def test_nothing_that_only_figures_trackers_and_checks_need_is_imported_to_find_the_plugins() -> None:
    code = f"import sys; from hydra.core.plugins import Plugins; Plugins.instance(); print({HEAVY} & {{*sys.modules}})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"

"""Create or update the wandb workspace that shows a project's runs, or print what it would be."""

import argparse
import json
import sys
from pathlib import Path

import yaml

from plasticity.errors import Mistake
from plasticity.tracking import Wandb

DEFAULTS = Path(__file__).parents[1] / "conf" / "tracker" / "wandb.yaml"


def arguments() -> argparse.Namespace:
    defaults = yaml.safe_load(DEFAULTS.read_text())
    parser = argparse.ArgumentParser(description=__doc__)
    sections = "one section for each data set and N that has runs in it; default: outputs"
    parser.add_argument("outputs", type=Path, nargs="?", default=Path("outputs"), help=sections)
    parser.add_argument("--project", default=defaults["project"], help=f"default: {defaults['project']}")
    parser.add_argument("--entity", default=defaults["entity"], help="a user or a team; default: the API key's")
    parser.add_argument("--print", action="store_true", help="print it; needs no account")
    parser.add_argument("--picture", type=Path, metavar="FILE", help="draw its first section; needs no account")
    return parser.parse_args()


def main() -> None:
    given = arguments()
    try:
        Wandb(mode="online", project=given.project, entity=given.entity)
        from plasticity.tracking import dashboard  # here: a mistake above is said at once

        settings = dashboard.settings_in(given.outputs)
        if given.picture:
            from plasticity.tracking import picture

            picture.draw(given.outputs, *settings[0]).savefig(given.picture, dpi=110)
            print(given.picture)
        elif given.print:
            made = dashboard.workspace(given.entity or "you", given.project, settings)
            print(json.dumps(dashboard.specification(made), indent=1))
        else:
            print(dashboard.save(given.entity, given.project, settings))
    except Mistake as error:
        sys.exit(f"error: {error}")


if __name__ == "__main__":
    main()

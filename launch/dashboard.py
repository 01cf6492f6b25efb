"""Create or update the wandb workspace that shows a project's runs, or print what it would be."""

import command  # isort: skip

import argparse
import json
from pathlib import Path

from plasticity.ground.errors import Mistake
from plasticity.tracking import Wandb


def arguments() -> argparse.Namespace:
    defaults = command.tracker_defaults()
    parser = argparse.ArgumentParser(description=__doc__)
    sections = "one section for each data set and N that has runs in it; default: outputs"
    parser.add_argument("--project", default=defaults["project"], help=f"default: {defaults['project']}")
    parser.add_argument("--entity", default=defaults["entity"], help="a user or a team; default: the API key's")
    parser.add_argument("--print", action="store_true", help="print it; needs no account")
    parser.add_argument("--picture", type=Path, metavar="FILE", help="draw its first section; needs no account")
    return command.parsed(parser, sections)


def check_picture(path: Path) -> None:
    kinds = ("png", "pdf", "svg", "jpg", "jpeg", "webp", "tif", "tiff", "eps")
    if path.suffix.lower().lstrip(".") not in kinds:
        raise Mistake(f"--picture {path} is no picture; its name must end in {', '.join(f'.{kind}' for kind in kinds)}")
    command.check_writable(path)


def main() -> None:
    given = arguments()
    if given.picture:
        check_picture(given.picture)
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


if __name__ == "__main__":
    command.run(main)

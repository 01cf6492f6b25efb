"""One job: `python -m plasticity.grid.job PACK`, where PACK is the file that the launcher wrote for it."""

import os
import pickle
import sys
from pathlib import Path

from plasticity.grid.pack import Pack
from plasticity.ground.errors import Mistake

OTHERS_CAN_WRITE = 0o022


def write(path: Path, pack: Pack) -> None:
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        os.fchmod(file.fileno(), 0o600)  # whatever the umask took away
        pickle.dump(pack, file)


def read(path: Path) -> Pack:
    """Reading a pickle runs what it says, so only one that this user alone can have written is read."""
    try:
        with path.open("rb") as file:
            about = os.fstat(file.fileno())
            if about.st_uid != os.getuid() or about.st_mode & OTHERS_CAN_WRITE:
                raise Mistake(f"{path} belongs to somebody else, or somebody else can write it; it is not read")
            return pickle.load(file)
    except (OSError, pickle.UnpicklingError, EOFError, AttributeError, ImportError) as error:
        raise Mistake(f"{path} cannot be read ({type(error).__name__}: {error})") from error


def main() -> int:
    try:
        pack = read(Path(sys.argv[1]))
    except Mistake as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    pack()
    return 0


if __name__ == "__main__":
    sys.exit(main())

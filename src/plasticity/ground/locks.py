"""One writer at a time, by the kernel's own lock: it is released when its holder dies, however it dies."""

from errno import ENOLCK, ENOSYS, EOPNOTSUPP
from pathlib import Path

from filelock import FileLock

from plasticity.ground.errors import Mistake

UNSUPPORTED = (ENOSYS, EOPNOTSUPP, ENOLCK)  # how disks without flock answer, such as some that nodes share


class Lock(FileLock):
    """Refuses where there is no flock. A file that merely exists would stay behind when its owner dies, and one with a
    heartbeat lets a second writer in while the first one, suspended or cut off, still believes it is alone."""

    def __init__(self, path: Path, timeout: float = -1, hint: str = "use a folder on a disk that supports flock"):
        super().__init__(path, timeout, fallback_to_soft=False)
        self._hint = hint

    def _acquire(self) -> None:
        try:
            super()._acquire()
        except OSError as error:
            if error.errno not in UNSUPPORTED:
                raise
            raise Mistake(f"{self.lock_file} cannot be locked with flock ({error.strerror}); {self._hint}") from error

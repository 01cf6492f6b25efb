"""Loaded by every Python process of a test: what Linux has and macOS has not is taken away, and there is no /proc."""

import builtins
import fcntl
import io
import mmap
import os
import resource
import select
import signal
import time
from typing import Any

LACKING = {
    os: (
        *("sched_getaffinity", "sched_setaffinity", "sched_getscheduler", "sched_setscheduler", "sched_getparam"),
        *("sched_setparam", "sched_rr_get_interval", "memfd_create", "eventfd", "pidfd_open", "copy_file_range"),
        *("splice", "posix_fadvise", "posix_fallocate", "fdatasync", "pipe2", "setns", "unshare", "getrandom"),
        *("getxattr", "setxattr", "listxattr", "removexattr", "getresuid", "setresuid", "getresgid", "setresgid"),
        *("O_TMPFILE", "O_PATH", "O_DIRECT", "O_NOATIME", "O_LARGEFILE"),
    ),
    signal: (
        *("SIGPWR", "SIGSTKFLT", "SIGPOLL", "SIGRTMIN", "SIGRTMAX", "SIGCLD", "sigtimedwait", "sigwaitinfo"),
        *("pidfd_send_signal",),
    ),
    select: ("epoll", "EPOLLIN", "EPOLLOUT"),
    resource: ("prlimit", "RUSAGE_THREAD", "RLIMIT_NICE", "RLIMIT_RTPRIO", "RLIMIT_SIGPENDING"),
    fcntl: ("F_OFD_SETLK", "F_OFD_GETLK", "F_OFD_SETLKW", "F_SETPIPE_SZ", "F_ADD_SEALS", "F_NOTIFY", "F_SETLEASE"),
    mmap: ("MAP_POPULATE", "MADV_HUGEPAGE", "MADV_DONTFORK"),
    time: ("CLOCK_BOOTTIME", "CLOCK_MONOTONIC_COARSE"),
}
GONE = ("/proc", "/sys", "/dev/shm")
ELSEWISE = ("/proc/self/maps",)  # threadpoolctl looks here on Linux, and elsewhere on macOS

for module, names in LACKING.items():
    for name in names:
        if hasattr(module, name):
            delattr(module, name)

opened = builtins.open


def without(file: Any, *arguments: Any, **options: Any) -> Any:
    path = os.fspath(file) if isinstance(file, str | os.PathLike) else ""
    if path not in ELSEWISE and path.startswith(tuple(f"{one}/" for one in GONE)):
        raise FileNotFoundError(2, "No such file or directory", path)
    return opened(file, *arguments, **options)


builtins.open = io.open = without

import multiprocessing  # noqa: E402 (it chooses by what select has)

multiprocessing.set_start_method("spawn")  # what processes begin by there

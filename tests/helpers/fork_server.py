"""Commands as forks of one process that has the program loaded: real processes without the second of start-up.

``python fork_server.py FOLDER`` listens on ``FOLDER/socket``. The script `write_client` makes, called ``bnsl``,
hands over its arguments, environment, working directory and standard streams, and ends as the command ends. Commands
that depend on how the interpreter starts (settings of numba, signals before the program is up) are started afresh.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import marshal
import os
import pkgutil
import signal
import socket
import struct
import sys
from pathlib import Path
from typing import NoReturn

FRESH = ("NUMBA_", "XDG_CACHE_HOME", "HOME=", "PYTHON")
"""Variables that matter when modules are loaded: where they differ from the server's, a command starts afresh."""

CLIENT = """#!{python} -IS
import marshal, os, signal, socket, struct, sys
try:
    for number in range(3):
        os.fstat(number)  # a command with a closed stream starts afresh
    channel = socket.socket(socket.AF_UNIX)
    channel.connect({address!r})
except OSError:
    os.execv({python!r}, [{python!r}, "-m", "bnsl_cli", *sys.argv[1:]])
ignores = signal.getsignal(signal.SIGINT) is signal.SIG_IGN
request = marshal.dumps((sys.argv[1:], os.getcwd(), dict(os.environ), ignores))
socket.send_fds(channel, [struct.pack("<q", len(request))], [0, 1, 2])
channel.sendall(request)
os.closerange(0, 3)  # whoever reads our output hears of its end from the command
process = struct.unpack("<q", channel.recv(8))[0]
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
    signal.signal(number, lambda number, frame: os.kill(process, number))
status = struct.unpack("<q", channel.recv(8))[0]
if status < 0:
    signal.signal(-status, signal.SIG_DFL)
    os.kill(os.getpid(), -status)
os._exit(status)
"""


def write_client(script: Path, address: Path) -> None:
    """Write the script that asks the server at `address` for a command."""
    script.write_text(CLIENT.format(python=sys.executable, address=str(address)))
    script.chmod(0o755)


def load_program() -> None:
    """Load all modules of the program, and the packages it uses."""
    for name in ("bnsl_cli", "formats", "stages"):
        package = importlib.import_module(name)
        for module in pkgutil.walk_packages(package.__path__, f"{name}."):
            if not module.name.endswith(".__main__"):
                importlib.import_module(module.name)


def serve(address: Path) -> NoReturn:
    """Fork a command for each connection, until the parent of this process is gone."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(address))
    listener.listen(16)
    listener.settimeout(1.0)
    parent = os.getppid()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while os.getppid() == parent:
        try:
            channel, _ = listener.accept()
        except TimeoutError:
            continue
        if os.fork() == 0:
            listener.close()
            channel.settimeout(None)
            attend(channel)
        channel.close()
    sys.exit()


def attend(channel: socket.socket) -> NoReturn:
    """Run the command of one connection and report how it ended."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    head, streams, _, _ = socket.recv_fds(channel, 8, 3)
    size, request = struct.unpack("<q", head)[0], b""
    while len(request) < size:
        request += channel.recv(size - len(request))
    process = os.fork()
    if process == 0:
        channel.close()
        run_command(streams, *marshal.loads(request))
    for stream in streams:
        os.close(stream)
    channel.sendall(struct.pack("<q", process))
    status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    with contextlib.suppress(BrokenPipeError):  # nobody waits any more
        channel.sendall(struct.pack("<q", status))
    os._exit(0)


def run_command(
    streams: list[int], arguments: list[str], folder: str, environment: dict[str, str], ignores_interrupts: bool
) -> NoReturn:
    """Become the command."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(folder)
    if is_fresh(environment):
        os.execve(sys.executable, [sys.executable, "-m", "bnsl_cli", *arguments], environment)
    os.environ.clear()
    os.environ.update(environment)
    signal.signal(signal.SIGINT, signal.SIG_IGN if ignores_interrupts else signal.default_int_handler)
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    sys.stdin = io.TextIOWrapper(io.BufferedReader(io.FileIO(0, closefd=False)), encoding="utf-8")
    sys.stdout = io.TextIOWrapper(io.BufferedWriter(io.FileIO(1, "w", closefd=False)), encoding="utf-8")
    sys.stderr = io.TextIOWrapper(
        io.BufferedWriter(io.FileIO(2, "w", closefd=False)), errors="backslashreplace", line_buffering=True
    )
    sys.argv = ["bnsl", *arguments]
    from bnsl_cli.__main__ import start

    start()


def is_fresh(environment: dict[str, str]) -> bool:
    """Whether a variable that matters when modules are loaded differs from this process's."""

    def relevant(values: dict[str, str]) -> dict[str, str]:
        return {name: value for name, value in values.items() if f"{name}=".startswith(FRESH)}

    return relevant(environment) != relevant(dict(os.environ))


if __name__ == "__main__":
    load_program()
    serve(Path(sys.argv[1], "socket"))

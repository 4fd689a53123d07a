"""Commands as forks of one process that has the program loaded: real processes without the second of start-up.

``python fork_server.py FOLDER`` listens on ``FOLDER/socket``. The script `write_client` makes, called ``bnsl``,
hands over its arguments, environment, working directory and standard streams, and ends as the command ends. Commands
that depend on how the interpreter starts (settings of numba, signals before the program is up) are started afresh.

``python fork_server.py FOLDER numba`` has numba loaded, none of our modules, and runs scripts in place of commands:
what ``python -c SCRIPT ARGUMENTS`` or ``python FILE ARGUMENTS`` would do, without half a second of loading.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import io
import marshal
import os
import pkgutil
import resource
import select
import signal
import socket
import struct
import sys
import traceback
import types
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

LARGEST_FILE = "LARGEST_FILE"
"""Variable with the size of the largest file that a command may write; writing more is an error, no signal."""

FRESH = ("NUMBA_", "XDG_CACHE_HOME", "HOME=", "PYTHON")
"""Variables that matter when modules are loaded: where they differ from the server's, a command starts afresh."""

NUMBER = struct.Struct("<q")
"""Sizes, processes and exit codes on the socket."""

CLIENT = """#!{python} -IS
# Modules of C only: those of Python around them would double what this takes.
import marshal, posix, sys, _signal, _socket
from _socket import AF_UNIX, SCM_RIGHTS, SOL_SOCKET
closed = []
for number in range(3):
    try:
        posix.fstat(number)
    except OSError:
        closed.append(posix.open("/dev/null", posix.O_RDWR))  # the lowest free descriptor, which is this one
try:
    channel = _socket.socket(AF_UNIX)
    channel.connect({address!r})
except OSError:
    for number in closed:
        posix.close(number)
    posix.execv({python!r}, [{python!r}, "-P", "-m", "bnsl_cli", *sys.argv[1:]])
ignores = _signal.getsignal(_signal.SIGINT) is _signal.SIG_IGN
request = marshal.dumps((sys.argv[1:], posix.getcwd(), posix.environ, ignores, closed))
streams = b"".join(number.to_bytes(4, sys.byteorder) for number in range(3))
channel.sendmsg([len(request).to_bytes(8, "little")], [(SOL_SOCKET, SCM_RIGHTS, streams)])
channel.sendall(request)
posix.closerange(0, 3)  # whoever reads our output hears of its end from the command
process = int.from_bytes(channel.recv(8), "little")
for number in (_signal.SIGINT, _signal.SIGTERM, _signal.SIGHUP):
    _signal.signal(number, lambda number, frame: posix.kill(process, number))
status = int.from_bytes(channel.recv(8), "little", signed=True)
if status < 0:
    _signal.signal(-status, _signal.SIG_DFL)
    posix.kill(posix.getpid(), -status)
posix._exit(status)
"""


def write_client(script: Path, address: Path) -> None:
    """Write the script that asks the server at `address` for a command."""
    script.write_text(CLIENT.format(python=sys.executable, address=str(address)))
    script.chmod(0o755)


FIRST = (
    "parentsets {data} --seed 1 --evaluations 9 -o {sets} -j 1",
    "parentsets {data} --seed 1 --sequential --max-parents 2 -j 1",
    "optimize {sets} --seed 1 --evaluations 9 -j 1",
    "optimize {sets} --seed 1 --evaluations 9 --tw 2 -j 1",
    "optimize --data {data} --seed 1 --evaluations 9 -j 1",
    "optimize --data {data} --seed 1 --hc -o {network} -j 1",
    "optimize --data {data} --seed 1 --evaluations 9 --tw 2 -j 1",
    "optimize {sets} --seed 1 --evaluations 9 --asobs -j 1",
    "posterior {sets} --seed 1 --samples 5 -j 1",
    "posterior {sets} --seed 1 --sampled --samples 5 -j 1",
    "entropy {data} -j 1",
    "screen {data} --roots 0.5 -j 1",
    "evaluate {network} --data {data}",
    "fit {network} {data} --smoothing 1 -o {parameters}",
    "sample {parameters} --seed 1 --rows 5",
    "query {parameters} a=1",
    "query {parameters} a=1 --seed 1 --approximate 5",
)
"""Commands that the server runs itself before it forks others, which then find their kernels loaded."""


def load_program(folder: Path) -> None:
    """Load all modules of the program, the packages it uses, and what they load or make at their first use."""
    for name in ("bnsl", "bnsl_cli", "formats", "stages"):
        package = importlib.import_module(name)
        for module in pkgutil.walk_packages(package.__path__, f"{name}."):
            # Kernels choose beside them what they need: machine code of one level, or numba.
            if module.ispkg or module.name.rpartition(".")[0] != "stages.kernels":
                importlib.import_module(module.name)
    from bnsl_cli.main import cli

    names = {"data": "d.csv", "sets": "s.jsonl", "network": "n.jsonl", "parameters": "n.bif", "waste": "waste"}
    files = {kind: folder / name for kind, name in names.items()}
    files["data"].write_text("a,b,c,d\n" + "0,0,0,1\n0,0,1,2\n1,1,1,0\n1,0,0,2\n" * 9)
    for line in FIRST:
        words = [word.format(**files) for word in line.split()]
        with contextlib.suppress(Exception, SystemExit):  # what is broken shows in tests
            cli.main([*words, "-q", *([] if "-o" in words else ["-o", str(files["waste"])])])
    for path in files.values():
        path.unlink(missing_ok=True)
    gc.collect()
    gc.freeze()  # a collection in a command would copy the pages of all that is loaded


def serve(address: Path, run: Callable[[list[str], dict[str, str]], NoReturn]) -> NoReturn:
    """Fork a process for each connection, which calls `run` with words and environment, and send how it ended; until
    the parent of this process is gone.
    """
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(address))
    listener.listen(16)
    wake, waker = os.pipe()  # a command that ends wakes the loop
    os.set_blocking(waker, False)
    signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # the handling of the program begins where its commands begin
    parent = os.getppid()
    running: dict[int, socket.socket] = {}
    while os.getppid() == parent:
        ready, _, _ = select.select([listener, wake], [], [], 1.0)
        if wake in ready:
            os.read(wake, 4096)
            report_ended(running)
        if listener not in ready:
            continue
        channel, _ = listener.accept()
        with contextlib.suppress(OSError, struct.error):  # the client went away
            streams, request = receive(channel)
            process = os.fork()
            if process == 0:
                try:
                    signal.set_wakeup_fd(-1)
                    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                    for end in (listener, channel, *running.values()):
                        end.close()
                    os.close(wake)
                    os.close(waker)
                    arguments, directory, variables, ignores_interrupts, closed = marshal.loads(request)
                    environment = {os.fsdecode(name): os.fsdecode(value) for name, value in variables.items()}
                    take_streams(streams, closed)
                    os.chdir(directory)
                    signal.signal(signal.SIGINT, signal.SIG_IGN if ignores_interrupts else signal.default_int_handler)
                    run(arguments, environment)
                finally:
                    traceback.print_exc()
                    os._exit(1)
            running[process] = channel
            for stream in streams:
                os.close(stream)
            channel.sendall(NUMBER.pack(process))
    sys.exit()


def receive(channel: socket.socket) -> tuple[list[int], bytes]:
    """The standard streams and the request that a client sends."""
    head, streams, _, _ = socket.recv_fds(channel, NUMBER.size, 3)
    size, request = NUMBER.unpack(head)[0], b""
    while len(request) < size:
        piece = channel.recv(size - len(request))
        if not piece:
            raise ConnectionResetError
        request += piece
    return streams, request


def report_ended(running: dict[int, socket.socket]) -> None:
    """Reap the commands that have ended, so that their processor time counts as ours, and notify waiting threads."""
    for process in list(running):
        ended, status = os.waitpid(process, os.WNOHANG)
        if ended:
            channel = running.pop(process)
            with contextlib.suppress(OSError):  # nobody waits any more
                channel.sendall(NUMBER.pack(os.waitstatus_to_exitcode(status)))
            channel.close()


def receive_number(channel: socket.socket) -> int:
    """The next number that the server sends: first the process, then its exit code."""
    return NUMBER.unpack(channel.recv(NUMBER.size))[0]


def request_command(
    address: Path, streams: list[int], arguments: list[str], folder: str, environment: dict[str, str]
) -> socket.socket:
    """Ask the server at `address` for a command; `receive_number` then gives its process, then its exit code."""
    channel = socket.socket(socket.AF_UNIX)
    channel.connect(str(address))
    request = marshal.dumps((arguments, folder, environment, False, []))
    socket.send_fds(channel, [NUMBER.pack(len(request))], streams)
    channel.sendall(request)
    return channel


def take_streams(streams: list[int], closed: list[int]) -> None:
    """Make these descriptors the standard streams, but for those that are `closed`, which Python then has as None."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    sys.stdin = io.TextIOWrapper(io.BufferedReader(io.FileIO(0, closefd=False)), encoding="utf-8")
    sys.stdout = io.TextIOWrapper(io.BufferedWriter(io.FileIO(1, "w", closefd=False)), encoding="utf-8")
    sys.stderr = io.TextIOWrapper(
        io.BufferedWriter(io.FileIO(2, "w", closefd=False)), errors="backslashreplace", line_buffering=True
    )
    for number in closed:
        os.close(number)
        setattr(sys, ("stdin", "stdout", "stderr")[number], None)


def run_command(arguments: list[str], environment: dict[str, str]) -> NoReturn:
    """Become the command."""
    if LARGEST_FILE in environment:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(environment[LARGEST_FILE]),) * 2)
    if is_fresh(environment):
        os.execve(sys.executable, [sys.executable, "-P", "-m", "bnsl_cli", *arguments], environment)
    os.environ.clear()
    os.environ.update(environment)
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    sys.argv = ["bnsl", *arguments]
    importlib.import_module("bnsl_cli.__main__").start()


def run_script(arguments: list[str], environment: dict[str, str]) -> NoReturn:
    """Become the script that ``python`` would run with these arguments, under its settings of numba."""
    os.environ.clear()
    os.environ.update(environment)
    importlib.import_module("numba.core.config").reload_config()
    first, *rest = arguments
    if first == "-c":
        text, name, place, sys.argv = rest[0], "<string>", "", ["-c", *rest[1:]]
    else:
        text, name, place, sys.argv = Path(first).read_text(), first, str(Path(first).parent), arguments
    sys.path[0:1] = [place, *filter(None, environment.get("PYTHONPATH", "").split(os.pathsep))]
    main = sys.modules["__main__"] = types.ModuleType("__main__")
    main.__file__ = name
    code = 0
    try:
        exec(compile(text, name, "exec"), vars(main))
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
        if not isinstance(end.code, int | None):
            print(end.code, file=sys.stderr)  # as Python does
    except BaseException:
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def is_fresh(environment: dict[str, str]) -> bool:
    """Whether a variable that matters when modules are loaded differs from this process's."""

    def relevant(values: dict[str, str]) -> dict[str, str]:
        return {name: value for name, value in values.items() if f"{name}=".startswith(FRESH)}

    return relevant(environment) != relevant(dict(os.environ))


if __name__ == "__main__":
    if sys.argv[2:] == ["numba"]:
        importlib.import_module("numba")
        gc.freeze()
        serve(Path(sys.argv[1], "socket"), run_script)
    load_program(Path(sys.argv[1]))
    serve(Path(sys.argv[1], "socket"), run_command)

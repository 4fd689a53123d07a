"""Each kernel that Python calls is compiled once: whatever the command, it is called with the same types."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from stages.kernels.jit import KERNEL

pytestmark = [pytest.mark.slow, pytest.mark.skipif(KERNEL is None, reason="plain numba compiles")]

SCRIPT = """
import json, sys
from pathlib import Path
from click.testing import CliRunner
from bnsl_cli.commands.warm_up import COMMANDS
from bnsl_cli.main import cli
from bnsl_cli.running.tiny_runs import TABLE, first_runs, table_text, tiny_runs

Path(TABLE).write_text(table_text())
runs = [*first_runs(), *(run for name in COMMANDS for run in tiny_runs(name))]
for run in runs:
    result = CliRunner().invoke(cli, run)
    assert result.exit_code == 0, (run, result.output, result.exception)

found = {}
for module in [module for name, module in sys.modules.items() if name.startswith("stages.") and ".kernels." in name]:
    for kernel in vars(module).values():
        if hasattr(kernel, "overloads"):
            name = f"{kernel.py_func.__module__}.{kernel.py_func.__name__}"
            variants = kernel.overloads.items()
            found[name] = [list(map(str, types)) for types, compiled in variants if compiled.library.is_assembled]
print(json.dumps(found))
"""


def test_one_signature_for_each_kernel_that_python_calls(tmp_path):
    arguments = [sys.executable, "-c", SCRIPT]
    result = subprocess.run(arguments, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    signatures = {name: types for name, types in json.loads(result.stdout).items() if types}
    assert len(signatures) > 50
    assert not {name: types for name, types in signatures.items() if len(types) > 1}

"""The wheels for PyPI, by maturin, which also writes the list of packages in the program (SBOM)."""

import json
import os
import subprocess
import tempfile
import uuid
import zipfile
from datetime import datetime, timezone
from pathlib import Path

from runner.tools import Tools

from .compile import Compiler, Failed
from .project import Project

HERE = Path(__file__).resolve().parent


def wheel(tools: Tools, compiler: Compiler, out: Path) -> Path:
    """Builds the wheel of a system. Cargo takes the program that it has just built."""
    maturin = tools.install("maturin") / "bin" / "maturin"
    system = compiler.system
    # `cargo` is started by maturin, without options of ours.
    env = {**compiler.chain.environment(), "CARGO_UNSTABLE_BUILD_STD": "std,panic_unwind", "CARGO": "/usr/bin/cargo"}
    with tempfile.TemporaryDirectory() as folder:
        tags = ["--compatibility", *system.wheel] if "linux" in system.triple else []
        command = [
            str(maturin), "build", "--locked", "--profile", compiler.profile, "--target", system.triple, *tags,
            "--auditwheel", "skip", "--out", folder,
        ]  # fmt: skip
        done = subprocess.run(command, cwd=HERE / "pypi", env=env, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        built = list(Path(folder).glob("*.whl"))
        if done.returncode != 0 or len(built) != 1:
            raise Failed(f"{system.target}: maturin ended with status {done.returncode}\n{done.stdout}")
        target = out / built[0].name
        os.replace(built[0], target)
        return target


def bill_of_materials(wheel: Path, project: Project) -> bytes:
    """The packages in the program in CycloneDX's format, with the commit's time and an identity that depends on the content."""
    with zipfile.ZipFile(wheel) as file:
        (name,) = [each for each in file.namelist() if each.endswith(".cyclonedx.json")]
        bill = json.loads(file.read(name))
    at = datetime.fromtimestamp(project.epoch, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    bill["metadata"]["timestamp"] = at
    bill.pop("serialNumber", None)
    text = json.dumps(bill, sort_keys=True)
    bill["serialNumber"] = f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, text)}"
    return (json.dumps(bill, indent=2, sort_keys=True) + "\n").encode()

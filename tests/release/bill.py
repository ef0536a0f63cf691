"""The program's SBOM in CycloneDX format, from cargo-cyclonedx."""

import json
import subprocess
import uuid
from datetime import datetime, timezone

from runner.tools import ROOT, Tools

from .archives import Entry
from .compile import Failed
from .project import Project
from .systems import System

NAME = "pintle-release"


def of_materials(tools: Tools, project: Project, system: System) -> Entry:
    """Returns the SBOM for one system, with the commit's time and a serial number derived from the content."""
    cyclonedx = tools.install("cargo-cyclonedx") / "bin" / "cargo-cyclonedx"
    command = [str(cyclonedx), "cyclonedx", "--format", "json", "--spec-version", "1.5", "--target", system.triple, "--override-filename", NAME]
    written = ROOT / f"{NAME}.json"
    try:
        done = subprocess.run(command, cwd=ROOT, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0 or not written.exists():
            raise Failed(f"cargo-cyclonedx ended with status {done.returncode}\n{done.stdout}")
        found = json.loads(written.read_text())
    finally:
        # It writes one file per workspace package.
        for path in ROOT.rglob(f"{NAME}.json"):
            path.unlink()
    return Entry(stable(found, str(ROOT), project.epoch))


def stable(bill: dict, root: str, epoch: int) -> bytes:
    """Removes timestamps, random ids and local paths."""
    bill["metadata"]["timestamp"] = datetime.fromtimestamp(epoch, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    bill.pop("serialNumber", None)
    text = json.dumps(bill, indent=2, sort_keys=True).replace(f"file://{root}", "file:///pintle").replace(root, "/pintle")
    bill = json.loads(text)
    bill["serialNumber"] = f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, text)}"
    return (json.dumps(bill, indent=2, sort_keys=True) + "\n").encode()

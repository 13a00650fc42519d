# SPDX-License-Identifier: Apache-2.0
"""Other people's solvers on the same documents, each in a process of its own, with packages from PyPI in an environment under the
build folder. A solver that cannot be had is left out, with a sentence."""
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
import backends  # noqa: E402

SENDS = 5000   # of what CP-SAT is tried on
SHOP = 120     # sends, of what PyJobShop is tried on
SMALL = 60     # sends, of what HiGHS is tried on
PACKAGES = ("ortools", "highspy", "matplotlib", "pyjobshop")


def environment(build):
    """The interpreter of the environment, or None."""
    python = os.path.join(build, "..", "regimes-venv", "bin", "python")
    try:
        if not os.path.exists(python):
            subprocess.run([sys.executable, "-m", "venv", os.path.dirname(os.path.dirname(python))], check=True)
        if subprocess.run([python, "-c", "import " + ", ".join(PACKAGES)], stderr=subprocess.DEVNULL, check=False).returncode:
            subprocess.run([python, "-m", "pip", "install", "-q", *PACKAGES], check=True)
    except subprocess.CalledProcessError as fault:
        print("regimes: no peers, no pictures: %s" % fault, file=sys.stderr)
        return None
    return python


def script(python, name, path, limit):
    """What cpsat.py or jobshop.py tells of a document."""
    out = subprocess.run([python, os.path.join(HERE, "..", name), path, "--limit", str(limit), "--workers", "2"],
                         capture_output=True, text=True, check=False)
    return json.loads(out.stdout) if out.returncode == 0 else {"status": "failed: " + out.stderr.strip()[-200:]}


def highs(python, command, document, limit):
    """HiGHS on the tight program: seconds, whether that is a proof, and the makespan."""
    model = document + ".mps"
    out = subprocess.run([command, "model", document, "--formulation", "tight", "--format", "mps", "-o", model, "--json",
                          "--quiet"], capture_output=True, text=True, check=False)
    if out.returncode:
        return {"status": "failed: " + out.stderr.strip()[-200:]}
    cell = backends.highs(python, model, limit)
    return {"status": "optimal" if cell.done else "feasible" if cell.found else "unknown", "seconds": cell.seconds,
            "makespan_ps": cell.value and round(cell.value * json.loads(out.stdout)["step_ps"])}

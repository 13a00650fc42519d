#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Packs the package into a wheel, with nothing but the standard library.

    make_wheel.py --build FOLDER --out FOLDER     with the shared libraries of that build and what those need
    make_wheel.py --out FOLDER                    without: the wheel uses the libflux that the system has

`make wheel` calls the first. `pip install bindings/python` comes to the second, through build_wheel() below.
"""
import argparse
import base64
import hashlib
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
# What every system of the same kind has: the C library's own family, and the compiler's.
SYSTEM = re.compile(r"^(linux-vdso|ld-linux.*|libc|libm|libdl|librt|libpthread|libgcc_s|libstdc\+\+)\.so")
LIBRARIES = ("libflux.so", "libflux-io.so")
# As in pyproject.toml: what is not needed, by the name under which pip takes it in.
EXTRAS = {
    "numpy": ("numpy",), "networkx": ("networkx",), "pandas": ("numpy", "pandas"), "plot": ("numpy", "matplotlib"),
    "all": ("numpy", "networkx", "pandas", "matplotlib"),
}  # fmt: skip


def version():
    with open(os.path.join(ROOT, "include", "libflux", "version.h"), encoding="utf-8") as file:
        text = file.read()
    return ".".join(re.search(r"#define FLUX_VERSION_%s (\d+)" % part, text)[1] for part in ("MAJOR", "MINOR", "PATCH"))


def read(path):
    with open(path, "rb") as file:
        return file.read()


def needed(path):
    """Shared libraries that `path` needs and that not every system has: name -> file."""
    out = subprocess.run(["ldd", path], stdout=subprocess.PIPE, text=True, check=True).stdout
    found = {}
    for name, place in re.findall(r"^\s*(\S+) => (.*?)(?: \(0x[0-9a-f]+\))?$", out, flags=re.M):
        if place == "not found" and not name.startswith(LIBRARIES):
            sys.exit("make_wheel.py: %s needs %s, which is not here" % (path, name))
        if not SYSTEM.match(name) and not name.startswith(LIBRARIES):
            found[name] = place
    return found


def licence(path):
    """The licence of a library that Debian packaged: its package and the text, or None."""
    if not shutil.which("dpkg-query"):
        return None
    for place in (path, os.path.realpath(path), os.path.realpath(path).replace("/usr", "", 1)):
        done = subprocess.run(["dpkg-query", "-S", place], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                              check=False)
        if done.returncode == 0:
            package = done.stdout.split(":")[0]
            text = os.path.join("/usr/share/doc", package, "copyright")
            return (package, read(text)) if os.path.exists(text) else None
    return None


def contents(build):
    """Name in the wheel -> bytes."""
    files = {}
    for name in sorted(os.listdir(os.path.join(HERE, "libflux"))):
        if name.endswith((".py", ".typed")):
            files["libflux/" + name] = read(os.path.join(HERE, "libflux", name))
    info = "libflux-%s.dist-info/" % version()
    files[info + "licenses/LICENSE"] = read(os.path.join(ROOT, "LICENSE"))
    if build:
        major = version().split(".")[0]
        others = {}
        for name in LIBRARIES:
            path = os.path.join(build, "%s.%s" % (name, major))
            files["libflux/lib/" + os.path.basename(path)] = read(path)
            others.update(needed(path))
        for name, path in sorted(others.items()):
            files["libflux/lib/" + name] = read(path)
            if found := licence(path):
                files[info + "licenses/%s.txt" % found[0]] = found[1]
    tag = "py3-none-" + (re.sub(r"[-.]", "_", sysconfig.get_platform()) if build else "any")
    files[info + "METADATA"] = (
        "Metadata-Version: 2.1\nName: libflux\nVersion: %s\nLicense: Apache-2.0\nRequires-Python: >=3.8\n"
        "Summary: Schedules optical circuit switches from the dependency graph of a training iteration\n"
        "%sDescription-Content-Type: text/markdown\n\n%s"
        % (version(), "".join("Provides-Extra: %s\n" % extra + "".join(
            "Requires-Dist: %s; extra == '%s'\n" % (name, extra) for name in names)
            for extra, names in EXTRAS.items()), read(os.path.join(ROOT, "docs", "python.md")).decode())
    ).encode()
    files[info + "WHEEL"] = (
        "Wheel-Version: 1.0\nGenerator: make_wheel\nRoot-Is-Purelib: %s\nTag: %s\n"
        % ("false" if build else "true", tag)
    ).encode()
    rows = ["%s,sha256=%s,%d" % (name, base64.urlsafe_b64encode(hashlib.sha256(text).digest()).rstrip(b"=").decode(),
                                 len(text)) for name, text in files.items()]
    files[info + "RECORD"] = ("\n".join(rows + [info + "RECORD,,"]) + "\n").encode()
    return files, tag


def pack(build, out):
    """Writes the wheel; its name. The same files make the same bytes."""
    files, tag = contents(build)
    name = "libflux-%s-%s.whl" % (version(), tag)
    os.makedirs(out, exist_ok=True)
    with zipfile.ZipFile(os.path.join(out, name), "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, text in files.items():
            entry = zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0))
            entry.external_attr = (0o100755 if ".so" in path else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(entry, text)
    return name


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    """What pip calls."""
    return pack(None, wheel_directory)


def main():
    arg = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arg.add_argument("--build")
    arg.add_argument("--out", required=True)
    options = arg.parse_args()
    print(os.path.join(options.out, pack(options.build, options.out)))
    return 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""python -m libflux: which library this is, and where it came from."""
import sys


def main() -> int:
    try:
        import libflux
        from libflux import _abi, _library
    except ImportError as error:
        print(error, file=sys.stderr)
        return 1
    core = _library.core
    print("package   %s, for libflux %s" % (libflux.__file__, _library.version_text(_abi.FLUX_VERSION)))
    print("libflux   %s, %s (%s)" % (_library.version_text(core.version), core.path, core.how))
    try:
        print("files     %s (%s)" % (_library.io().path, _library.io().how))
    except ImportError as error:
        print("files     none: %s" % error)
    print("backends  %s" % ", ".join((name + " " + version).strip() for name, version in libflux.backends().items()))
    print("python    %s" % sys.version.split()[0])
    return 0


if __name__ == "__main__":
    sys.exit(main())

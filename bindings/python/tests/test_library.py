# SPDX-License-Identifier: Apache-2.0
"""Where the library is looked for, and what is refused."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

from support import PACKAGE, compiler, python
from libflux import _library

REAL = os.path.dirname(os.path.realpath(_library.core.path))
SAY = "from libflux import _library as l; print(l.core.path, l.core.how, l.io().how, sep='|')"


def real(name):
    return os.path.join(REAL, name)


class Search(unittest.TestCase):
    def setUp(self):
        self.folder = os.path.realpath(tempfile.mkdtemp())
        self.addCleanup(shutil.rmtree, self.folder)

    def say(self, code=SAY, **environment):
        done = python(code, **environment)
        return done.stdout.strip() or done.stderr.strip().splitlines()[-1]

    def fake(self, version):
        path = os.path.join(self.folder, "libflux.so.0")
        code = "int nothing(void) { return 0; }"
        if version is not None:
            code = "unsigned flux_version(void) { return %du; }" % version
        subprocess.run([compiler(), "-shared", "-fPIC", "-x", "c", "-", "-o", path], input=code, text=True, check=True)
        return path

    def copy_package(self):
        """The package with its own copy of the libraries, as in a wheel."""
        place = os.path.join(self.folder, "libflux")
        shutil.copytree(os.path.join(PACKAGE, "libflux"), place)
        os.makedirs(os.path.join(place, "lib"), exist_ok=True)
        for name in ("libflux.so.0", "libflux-io.so.0"):
            shutil.copy(real(name), os.path.join(place, "lib", name))
        return os.path.join(place, "lib")

    def test_variable_names_a_file(self):
        self.assertEqual(self.say(LIBFLUX_LIBRARY=real("libflux.so.0")).split("|")[1:],
                         ["LIBFLUX_LIBRARY", "beside libflux"])

    def test_variable_names_a_folder(self):
        self.assertEqual(self.say(LIBFLUX_LIBRARY=REAL).split("|")[1:], ["LIBFLUX_LIBRARY", "beside libflux"])

    def test_variable_comes_first_and_is_final(self):
        self.copy_package()
        text = self.say(LIBFLUX_LIBRARY=os.path.join(self.folder, "nowhere.so"), PYTHONPATH=self.folder)
        self.assertIn("LibraryError", text)
        self.assertIn("nowhere.so", text)

    def test_copy_inside_the_package(self):
        lib = self.copy_package()
        text = subprocess.run(
            ["env", "-u", "LIBFLUX_LIBRARY", "PYTHONPATH=" + self.folder, sys.executable, "-c", SAY],
            stdout=subprocess.PIPE, text=True, check=True, cwd=self.folder,
        ).stdout.strip()  # fmt: skip
        self.assertEqual(text, os.path.join(lib, "libflux.so.0") + "|inside the package|beside libflux")

    def test_by_name(self):
        text = self.say(LIBFLUX_LIBRARY="", LD_LIBRARY_PATH=REAL)
        self.assertEqual(text.split("|")[1:], ["by name", "beside libflux"])
        self.assertTrue(os.path.samefile(text.split("|")[0], real("libflux.so.0")))

    def test_nowhere(self):
        text = self.say(LIBFLUX_LIBRARY="")
        self.assertRegex(text, r"LibraryError: libflux\.so\.0 is not to be found\. Install it, or say where")

    @unittest.skipUnless(compiler(), "no C compiler")
    def test_other_versions_are_refused_with_a_sentence(self):
        for version in (2000, 0, 1000000, 1001000, 4294967295):
            text = self.say(LIBFLUX_LIBRARY=self.fake(version))
            self.assertRegex(text, r"LibraryError: .*libflux\.so\.0 is libflux \d+\.\d+\.\d+, and this package is for "
                                   r"libflux 0\.1\.0: install the two of the same version", version)

    @unittest.skipUnless(compiler(), "no C compiler")
    def test_a_patch_that_lacks_a_function_is_refused(self):
        self.assertRegex(self.say(LIBFLUX_LIBRARY=self.fake(1007)), r"LibraryError: .* has no flux_\w+\(\): it is older")

    @unittest.skipUnless(compiler(), "no C compiler")
    def test_another_library_is_refused(self):
        self.assertRegex(self.say(LIBFLUX_LIBRARY=self.fake(None)), r"LibraryError: .* is not libflux")

    def test_not_a_library_at_all(self):
        path = os.path.join(self.folder, "libflux.so.0")
        with open(path, "w", encoding="utf-8") as file:
            file.write("hello\n")
        self.assertRegex(self.say(LIBFLUX_LIBRARY=path), r"LibraryError: .*libflux\.so\.0")

    def test_the_core_alone_is_enough_until_a_file_is_read(self):
        shutil.copy(real("libflux.so.0"), self.folder)
        text = self.say("from libflux import _library as l\ntry:\n    l.io()\nexcept l.LibraryError as e:\n    print(e)",
                        LIBFLUX_LIBRARY=self.folder)
        self.assertIn("libflux-io.so.0 is not to be found", text)

#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the tests of the Python package; a line per test: `ok NAME`, `ok NAME # SKIP why` or `not ok NAME`.

Environment: BUILD, the folder that holds libflux.so.0. Arguments: names of test files, without them all.
"""
import os
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))


class Lines(unittest.TestResult):
    def say(self, verdict, test, more=""):
        print("%s python: %s%s" % (verdict, test.id(), more), flush=True)

    def addSuccess(self, test):
        self.say("ok", test)

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.say("ok", test, " # SKIP " + reason)

    def addError(self, test, err):
        super().addError(test, err)
        self.say("not ok", test)
        print(self.errors[-1][1], flush=True)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.say("not ok", test)
        print(self.failures[-1][1], flush=True)

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self.say("not ok", subtest)
            print((self.errors + self.failures)[-1][1], flush=True)


def main():
    sys.path[:0] = [os.path.dirname(HERE), HERE]
    if build := os.environ.get("BUILD"):
        os.environ["LIBFLUX_LIBRARY"] = os.path.abspath(build)
    pattern = sys.argv[1:] or ["test_*.py"]
    suite = unittest.TestSuite(unittest.defaultTestLoader.discover(HERE, p) for p in pattern)
    result = Lines()
    suite.run(result)
    return 0 if result.wasSuccessful() and result.testsRun else 1


if __name__ == "__main__":
    sys.exit(main())

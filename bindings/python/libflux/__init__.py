# SPDX-License-Identifier: Apache-2.0
"""Schedules optical circuit switches from the dependency graph of a training iteration."""
from ._library import LibraryError

__all__ = ["LibraryError"]

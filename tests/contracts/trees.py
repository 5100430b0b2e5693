"""Source text as a syntax tree, parsed once in a process: many tests read every module of the package."""

from __future__ import annotations

import ast
import functools

tree_of = functools.cache(ast.parse)

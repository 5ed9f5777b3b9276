"""The whole tool as a codemod of LibCST, for those who run ``python -m libcst.tool codemod``.

Give that ``--no-format``, or it formats each file that it changes as a whole::

    python -m libcst.tool codemod --no-format -x prepare_fix.codemods.command.PrepareFix FILE
"""

from __future__ import annotations

import argparse

import libcst as cst
from libcst.codemod import CodemodCommand, CodemodContext


class PrepareFix(CodemodCommand):
    """Repairs what ``prepare-fix fix`` repairs, file by file."""

    DESCRIPTION = "Repair mistakes around Accelerator.prepare in training scripts."

    def __init__(self, context: CodemodContext, unsafe_fixes: bool = False) -> None:
        super().__init__(context)
        self.unsafe_fixes = unsafe_fixes

    @staticmethod
    def add_args(arg_parser: argparse.ArgumentParser) -> None:
        """Add the options of this codemod to the command line."""
        arg_parser.add_argument("--unsafe-fixes", action="store_true", help="also make the fixes marked unsafe")

    def transform_module_impl(self, tree: cst.Module) -> cst.Module:
        """Return ``tree`` with the fixes made; what is found and left comes out as warnings."""
        # The rules and the trace are not needed to list the codemods of a package, which imports this module.
        from prepare_fix import Settings, fix_source

        result = fix_source(tree.code, path=self.context.filename, settings=Settings(unsafe_fixes=self.unsafe_fixes))
        for finding in result.remaining:
            self.warn(f"{finding.rule} {finding.message}")
        return tree if result.text == tree.code else cst.parse_module(result.text, tree.config_for_parsing)

"""What becomes of prepared objects and their places after prepare: built anew, prepared again, in a loop."""

from __future__ import annotations

import ast

from prepare_fix.flow.accumulating import Accumulating
from prepare_fix.flow.events import PrepareCall
from prepare_fix.flow.objects import Kind, ObjectId, Role


class Changes(Accumulating):
    """Adds what happens to prepared objects and their places afterwards."""

    def loop_around(self, statement: ast.stmt) -> ast.For | ast.AsyncFor | ast.While | None:
        """Return the innermost loop of the same function that a statement stands in."""
        loops = (ast.For, ast.AsyncFor, ast.While)
        return next((each for each in self.outline.around(statement)[1:] if isinstance(each, loops)), None)

    def follows(self, statement: ast.stmt, other: ast.stmt) -> bool:
        """Return whether ``statement`` stands behind ``other`` in one function, and not in another branch."""
        pair = self.outline.in_one_block(other, statement)
        return pair is not None and self.outline.precedes(*pair) and self.scope(statement) == self.scope(other)

    def rebuilt_after(self, number: ObjectId) -> PrepareCall | None:
        """Return the prepare call whose result an optimizer or loader, raw ever since, takes the place of."""
        obj = self.objects[number]
        statement = self.creation_statement(number)
        if (
            obj.kind is not Kind.OBJECT
            or obj.role not in {Role.OPTIMIZER, Role.DATALOADER}
            or self.prepared_with(number)
        ):
            return None
        if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
            return None
        target = self.text(statement.targets[0])
        for call in self.prepare_calls:
            for place, value in zip(call.targets, call.results, strict=False):
                roles = {self.role(result) for result, _ in value if result in self.objects}
                if str(place) == target and roles == {obj.role} and self.follows(statement, call.where.statement):
                    return call
        return None

"""Statements that move with their comments."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest
from asking import rewrite, statement

from prepare_fix.errors import CannotRewriteError
from prepare_fix.repairs import MoveStatement


def move(text: str, moved: str, behind: str) -> str:
    return rewrite(text, MoveStatement(statement(text, moved), statement(text, behind)))


MOVES = {
    "down": (
        """
        a = 1
        move(
            1,  # c
        )
        b = 2
        behind()
        c = 3
        """,
        """
        a = 1
        b = 2
        behind()
        move(
            1,  # c
        )
        c = 3
        """,
    ),
    "up": (
        """
        behind()  # b
        # about a
        a = 1

        # about it
        # and more
        move()  # m

        c = 3
        """,
        """
        behind()  # b
        # about it
        # and more
        move()  # m
        # about a
        a = 1

        c = 3
        """,
    ),
    "compound": (
        """
        a = 1

        if move:
            # inside
            load()

            text = '''
        flush left
            as it is'''  # t
            # inside still
        else:
            pass
        behind()

        for x in y:
            train()
        """,
        """
        a = 1

        behind()
        if move:
            # inside
            load()

            text = '''
        flush left
            as it is'''  # t
            # inside still
        else:
            pass

        for x in y:
            train()
        """,
    ),
    "behind a compound one with comments at its end": (
        """
        move()
        if behind:
            a = 1
            # still inside

            # still
        # outside
        b = 2
        """,
        """
        if behind:
            a = 1
            # still inside

            # still
        move()
        # outside
        b = 2
        """,
    ),
    "decorated": (
        """
        a = 1
        # of f
        @decorator(
            1
        )
        def move():
            pass


        behind()
        """,
        """
        a = 1


        behind()
        # of f
        @decorator(
            1
        )
        def move():
            pass
        """,
    ),
    "to the end": (
        """
        a = 1

        move()

        behind()""",
        """
        a = 1

        behind()
        move()""",
    ),
    "from the end": (
        """
        behind()

        a = 1

        # c
        move()""",
        """
        behind()
        # c
        move()

        a = 1""",
    ),
    "a section of comments stays": (
        """
        # %% cell
        # why
        move()
        behind()
        """,
        """
        # %% cell
        behind()
        # why
        move()
        """,
    ),
    "comment of another depth stays": (
        """
        if x:
            pass
            # of x
        # why
        move()
        behind()
        """,
        """
        if x:
            pass
            # of x
        behind()
        # why
        move()
        """,
    ),
    "string that looks like a comment stays": (
        '''
        a = """
        # text"""
        move()
        behind()
        ''',
        '''
        a = """
        # text"""
        behind()
        move()
        ''',
    ),
    "semicolon at the end": (
        """
        move();  # c
        behind();
        """,
        """
        behind();
        move();  # c
        """,
    ),
}


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("prefix", ["", "    ", "\t"])
@pytest.mark.parametrize(("before", "after"), MOVES.values(), ids=MOVES)
def test_statement_moves(before: str, after: str, prefix: str, newline: str) -> None:
    head = f"def f():{newline}" if prefix else ""
    before, after = (
        head + indent(dedent(text).removeprefix("\n"), prefix).replace("\n", newline) for text in (before, after)
    )
    moved = "def move" if "def move" in before else "if move" if "if move" in before else "move("
    behind = "if behind" if "if behind" in before else "behind("
    assert move(before, moved, behind) == after


def test_indentation_follows_the_new_place() -> None:
    before = (
        "class A:\n\tdef f(self):\n\t\twith x:\n\t\t\t# why\n\t\t\tmove(f'''\n\t\t\t{a}\n\t\t\t''',\n"
        "# left\n\n\t\t\t\t1, \\\n\t\t\t\t2)\n\t\t\ty = 1\n\t\tbehind()\n"
    )
    after = (
        "class A:\n\tdef f(self):\n\t\twith x:\n\t\t\ty = 1\n\t\tbehind()\n"
        "\t\t# why\n\t\tmove(f'''\n\t\t\t{a}\n\t\t\t''',\n# left\n\n\t\t\t1, \\\n\t\t\t2)\n"
    )
    assert move(before, "move", "behind") == after


def test_move_into_the_block_right_above() -> None:
    assert move("if x:\n    behind()\nmove()\n", "move", "behind") == "if x:\n    behind()\n    move()\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("def f():\n    move()\n\n    a = 1\n    behind()\n", "def f():\n    a = 1\n    behind()\n    move()\n"),
        ("behind()\nif x:\n    a\n\n    move()\nelse:\n    b\n", "behind()\nmove()\nif x:\n    a\nelse:\n    b\n"),
        ("behind()\na\n\n\n\nmove()\n\nb\n", "behind()\nmove()\na\n\n\n\nb\n"),
        ("behind()\na\n\nmove()\n", "behind()\nmove()\na\n"),
        ("move()\n\n\nbehind()\n", "behind()\nmove()\n"),
        ("\n\nmove()\n\nbehind()\n", "\n\nbehind()\nmove()\n"),
    ],
)
def test_blank_lines_do_not_add_up(before: str, after: str) -> None:
    assert move(before, "move", "behind") == after


def test_statement_behind_the_other_already_stays() -> None:
    text = "behind()\n\n# c\nmove()\n"
    assert move(text, "move", "behind") == text


@pytest.mark.parametrize(
    ("text", "moved", "behind"),
    [
        ("if x:\n    move()\nbehind()\n", "move", "behind"),
        ("if move:\n    behind()\n    a\n", "if move", "behind"),
        ("if x: move()\nbehind()\n", "move", "behind"),
        ("move(); a\nbehind()\n", "move", "behind"),
        ("move()\nbehind(); a\n", "move", "behind"),
        ("move()\na; behind()\n", "move", "behind"),
    ],
)
def test_moves_that_are_refused(text: str, moved: str, behind: str) -> None:
    with pytest.raises(CannotRewriteError):
        move(text, moved, behind)

"""What ``--help`` tells of each command: all of it, in order, on 80 columns."""

from __future__ import annotations

import re
import shlex

import click
import pytest
from program import Program

from prepare_fix.commands import cli
from prepare_fix.commands.verbs import OWN, Option, Verb

VERBS = cli.list_commands(click.Context(cli))  # type: ignore[attr-defined]
each_verb = pytest.mark.parametrize("verb", VERBS)
SECTIONS = ["Usage", "Options", "Rules and fixes", "Files", "Settings", "General options", "Examples", "Exit status"]
ABOUT_FILES = {"check", "diff", "fix", "review"}


def command_of(verb: str) -> Verb:
    command = cli.get_command(click.Context(cli), verb)  # type: ignore[attr-defined]
    assert isinstance(command, Verb)
    return command


def sections_of(help_text: str) -> dict[str, str]:
    titles = re.split(r"^([A-Z][a-z ]+):", help_text, flags=re.MULTILINE)[1:]
    return dict(zip(titles[::2], titles[1::2], strict=True))


@each_verb
def test_help_has_its_sections_in_order(verb: str, program: Program) -> None:
    done = program(verb, "--help")
    assert (done.status, done.err) == (0, "")
    sections = sections_of(done.out)
    assert list(sections) == [title for title in SECTIONS if title in sections]
    assert {"Usage", "General options", "Examples", "Exit status"} <= set(sections)
    if verb in ABOUT_FILES:
        assert set(SECTIONS) - set(sections) <= {"Options"}
        assert re.findall(r"^  ([0-9])  ", sections["Exit status"], re.MULTILINE) == ["0", "1", "2"]
    # A description of at least two paragraphs: what it does, and what it reads and writes.
    assert len(sections["Usage"].strip().split("\n\n")) >= 3


@each_verb
def test_help_fits_80_columns(verb: str, program: Program) -> None:
    lines = [*program(verb, "--help").out.split("\n"), *program("--help").out.split("\n")]
    assert [line for line in lines if len(line) > 80] == []


@each_verb
def test_every_option_says_what_it_is_for(verb: str) -> None:
    options = [parameter for parameter in command_of(verb).params if isinstance(parameter, click.Option)]
    assert all(isinstance(option, Option) for option in options), "made by click.option: in no section of the help"
    assert [option.name for option in options if not (option.help or "").endswith(".")] == []


@each_verb
def test_options_of_its_own_come_first(verb: str) -> None:
    shared = {parameter.name for parameter in command_of("diff").params} | {"quiet", "no_pager"}
    for option in command_of(verb).params:
        if isinstance(option, Option) and option.name not in shared:
            assert option.section == OWN


@each_verb
def test_examples_are_commands_of_this_program(verb: str) -> None:
    command = command_of(verb)
    assert command.examples
    for line, _ in command.examples:
        first = re.split(r" [|<>] ", line)[0]
        name, used, *arguments = shlex.split(first)
        assert name == "prepare-fix"
        # Parsing alone: an unknown option, or a value that is none, is an error.
        command_of(used).make_context(used, arguments, resilient_parsing=False)


def test_the_list_of_commands_cuts_no_sentence(program: Program) -> None:
    text = program("--help").out
    listed = text[text.index("Commands:") : text.index("To begin with:")]
    assert re.findall(r"^  (\w+) ", listed, re.MULTILINE) == list(VERBS)
    assert "..." not in listed

"""Reads from the bare model."""

from __future__ import annotations

import pytest
from asking import expression, rewrite

from prepare_fix.errors import CannotRewriteError
from prepare_fix.repairs import UnwrapRead


@pytest.mark.parametrize(
    ("old", "receiver", "new"),
    [
        ("m.config", "m", "acc.unwrap_model(m).config"),
        ("m.module.config", "m", "acc.unwrap_model(m).config"),
        ("m.module", "m", "acc.unwrap_model(m)"),
        ("m", "m", "acc.unwrap_model(m)"),
        ("self.m.module.a[0].b(c)", "self.m", "acc.unwrap_model(self.m).a[0].b(c)"),
        ("m.generate(m.x)", "m", "acc.unwrap_model(m).generate(m.x)"),
        ('nets["模"].layers', 'nets["模"]', 'acc.unwrap_model(nets["模"]).layers'),
        ("m\n  .module\n  .x", "m", "acc.unwrap_model(m)\n  .x"),
    ],
)
def test_model_is_unwrapped_where_it_is_read(old: str, receiver: str, new: str) -> None:
    for text in ("x = ({})  # c", "é = 1\nif x: print(f({}), y)\n"):
        whole = text.format(old)
        assert rewrite(whole, UnwrapRead(expression(whole, old), receiver, "acc")) == text.format(new)


@pytest.mark.parametrize(
    ("text", "old", "receiver"),
    [
        ("other.config", "other.config", "m"),
        ("x.config", "x.config", "m"),
        ("models.config", "models.config", "model"),
        ("(m  # c\n.module.x)", "m  # c\n.module.x", "m"),
        ("(m).x", "(m).x", "(m)"),
        ("m().x", "m().x", "m()"),
        ("am.x", "m.x", "m"),
    ],
)
def test_other_shapes_are_refused(text: str, old: str, receiver: str) -> None:
    with pytest.raises(CannotRewriteError):
        rewrite(text, UnwrapRead(expression(text, old), receiver, "acc"))

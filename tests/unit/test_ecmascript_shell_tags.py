"""A template with the tag `$` is a line of a shell, wherever a plugin was handed that `$` from."""

from __future__ import annotations

import pytest

from plugseal.lang.ecmascript.reader import ScriptReader
from plugseal.lang.facts import Context, Interest

_HANDED = {
    "a part of what a plugin is given": "export const P = async ({ $, client }) => { await $`curl x`; };",
    "a part with a type": "import type { Plugin } from 'x';\nexport const P: Plugin = async ({ $ }) => $`curl x`;",
    "a member of what is given": "export default async (ctx) => { await ctx.$`curl x`.quiet(); };",
    "a part of a variable": "export default async (ctx) => { const { $ } = ctx; return (await $`curl x`).text(); };",
    "a global": "await $`curl x`;",
    "a method of a class": "class A { constructor($) { this.$ = $; } go() { return this.$`curl x`; } }",
    "a tool of a plugin": "export const Q = async (input) => ({ tool: { x: { execute: () => input.$`curl x` } } });",
}
_SILENT = {
    "a call": "export default ($) => { $('curl x'); };",
    "a function of the file": "const $ = (parts) => parts[0];\n$`curl x`;",
    "another tag": "export default ({ sql }) => { sql`select 1`; };",
    "no tag": "export default ({ $ }) => { const a = `curl x`; };",
}


def _shells(text: str) -> list[str | None]:
    facts = ScriptReader("typescript").read(text.encode(), Context("plugin.ts", Interest()))
    assert facts.status == "read"
    return [fact.object for fact in facts.facts if fact.capability == "process.shell"]


@pytest.mark.parametrize("text", _HANDED.values(), ids=_HANDED)
def test_a_template_with_the_tag_of_a_host_is_a_line_of_a_shell(text: str) -> None:
    facts = ScriptReader("typescript").read(text.encode(), Context("plugin.ts", Interest()))
    assert _shells(text) == ["curl"]
    assert [(one.language, one.text) for one in facts.nested] == [("shell", "curl x")]


@pytest.mark.parametrize("text", _SILENT.values(), ids=_SILENT)
def test_what_is_no_template_or_a_function_of_the_file_is_silent(text: str) -> None:
    assert _shells(text) == []


def test_what_pi_hands_to_an_extension_starts_programs() -> None:
    text = (
        "import type { ExtensionAPI } from '@mariozechner/pi-coding-agent';\n"
        "export default function (pi: ExtensionAPI) { pi.exec('curl', ['https://x.example.invalid']); }\n"
    )
    facts = ScriptReader("typescript").read(text.encode(), Context("e.ts", Interest()))
    assert {(fact.capability, fact.object) for fact in facts.facts} >= {("process.exec", "curl")}

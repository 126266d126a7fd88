"""The first draft of a rule file: complete in form, with every sentence still to be written.

It fails `plugseal rules test` on purpose: its words are too short to pass for a page, and its example has no mark.
"""

from __future__ import annotations

from typing import Final

from plugseal.rules.vocabulary import CODE, FILE, GROUPS, MANIFEST, PROSE, SHELL

_MATCH: Final[dict[str, str]] = {
    CODE: 'call = ["module.function"]\nkeyword = { argument = true }',
    MANIFEST: 'command = ["program"]\nargument = ["--flag"]',
    FILE: "path = { matches = 'name[.]suffix$' }",
    SHELL: 'command = ["program"]',
    PROSE: "text = 'words'",
}
_EXAMPLES: Final[dict[str, tuple[str, str]]] = {
    CODE: ("import module\n\nmodule.function(argument=True)", "import module\n\nmodule.function()"),
    MANIFEST: (
        '{"mcpServers": {\n  "sample": {"command": "program", "args": ["--flag"]}\n}}',
        '{"mcpServers": {\n  "sample": {"command": "program", "args": []}\n}}',
    ),
    FILE: ("folder/name.suffix", "folder/other.txt"),
    SHELL: ("program now", "echo program"),
    PROSE: ("The words.", "Other text."),
}


def render_template(rule: str, language: str) -> str:
    """Return the text of a new rule file.

    Args:
        rule: its id.
        language: one of `vocabulary.GROUPS`.
    """
    group = GROUPS[language]
    fires, silent = _EXAMPLES[group]
    file = 'file = ".mcp.json"\n' if group == MANIFEST else ""
    return f"""format = 1
id = "{rule}"
title = "TODO: the bad pattern in a few lower-case words"
# capability = "process.exec"  # the fact it rests on, where there is one: `plugseal explain process.exec`
severity = "medium"  # info | low | medium | high; high fails a scan
confidence = "medium"  # low | medium | high
languages = ["{language}"]
since = "0.1.0"
what = "TODO"
why = "TODO"
remedy = "TODO: what to do instead"
references = []

[[match]]
{_MATCH[group]}

[[example]]
name = "TODO: the plain form; mark the line that fires with `# expect: {rule}`"
{file}code = '''
{fires}
'''

[[example]]
name = "TODO: a look-alike that is silent"
{file}code = '''
{silent}
'''
"""

"""What the words of the public cases are called here, and what a person judged. A new word is one line."""

from __future__ import annotations

CAPABILITIES = {
    "shell.exec": "process.shell",
    "uninspected": "unread",
}
"""Words of the cases for capabilities that have another name here."""
FACTS = {"dep.unpinned": "code.fetched", "grant.wide": "grant"}
"""Words that a fact stands for as well as a finding: what is found is either, what must not be found is the finding."""
RULES: dict[str, frozenset[str]] = {
    "dep.unpinned": frozenset({"unpinned-server", "unbound-source"}),
    "grant.wide": frozenset(
        {"wide-grant", "unrestricted-shell", "settings-approve-themselves", "wide-filesystem-root"}
    ),
    "env.codeload": frozenset(
        {"environment-loads-code", "environment-adds-modules", "export-loads-code", "script-loads-later-code"}
    ),
    "exfil": frozenset(
        {
            "secret-read-then-send",
            "script-secret-then-send",
            "secret-sent-by-script",
            "environment-sent-whole",
            "script-environment-sent",
            "environment-sent-by-script",
            "drop-site",
            "secrets-sent-told",
        }
    ),
    "config.self-approve": frozenset(
        {
            "self-approving-command",
            "self-approval",
            "script-self-approval",
            "self-approval-line",
            "client-settings-write",
            "script-client-settings-write",
            "client-settings-line",
            "self-approval-told",
            "settings-approve-themselves",
            "wide-grant",
        }
    ),
    "config.redirect": frozenset({"redirected-endpoint"}),
    "secret.literal": frozenset(
        {
            "literal-secret-in-manifest",
            "literal-secret",
            "script-literal-secret",
            "endpoint-login",
            "environment-file-secret",
            "text-literal-secret",
        }
    ),
    "text.hidden": frozenset({"hidden-text", "hidden-metadata", "stray-invisible", "hidden-instruction"}),
    "text.control": frozenset({"hidden-metadata"}),
    "text.injection": frozenset(
        {"overridden-instructions", "hidden-instruction", "hidden-from-user-told", "secrets-sent-told"}
    ),
    "tool.shadow": frozenset({"colliding-names"}),
    "name.confusable": frozenset({"confusable-name"}),
    "instr.destructive": frozenset(
        {
            "destructive-command",
            "script-destructive-command",
            "destructive-line",
            "home-deleted",
            "script-home-deleted",
            "destruction-told",
        }
    ),
}
"""Words of the cases for what is a finding here, with the ids of the rules."""
JUDGED = {
    "policy loader warns about identity-free allow entries": (
        "tests/unit/test_policy_file.py: it refuses them, with the line"
    ),
    'status output contains "not reviewed" and the exact next command': "tests/unit/test_trust_list.py does it",
    "attempt self-approval from log data; must fail when policy requires a signature": (
        "tests/attack/test_trust_trail_gives_nothing.py: a trail holds no key, and what is trusted from it is what a"
        " person trusted before; a policy that requires signatures asks for a key"
    ),
    "repeat with LC_ALL=C, LC_ALL=de_DE.UTF-8 (if present) and PYTHONHASHSEED=0/1": "a property test does it",
}
"""What a person judged, by the words of the check, with how."""

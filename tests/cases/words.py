"""What the words of the public cases are called here, and what a person judged. A new word is one line."""

from __future__ import annotations

CAPABILITIES = {
    "shell.exec": "process.shell",
    "uninspected": "unread",
    "dep.unpinned": "code.fetched",
    "grant.wide": "grant",
}
"""Words of the cases for capabilities that have another name here."""
RULES: dict[str, frozenset[str]] = {
    "env.codeload": frozenset({"environment-loads-code", "environment-adds-modules"}),
    "exfil": frozenset({"secret-read-then-send", "environment-sent-whole", "drop-site", "secrets-sent-told"}),
    "config.self-approve": frozenset(
        {
            "self-approving-command",
            "self-approval",
            "client-settings-write",
            "self-approval-told",
            "settings-approve-themselves",
            "wide-grant",
        }
    ),
    "config.redirect": frozenset({"redirected-endpoint"}),
    "secret.literal": frozenset(
        {"literal-secret-in-manifest", "literal-secret", "endpoint-login", "environment-file-secret"}
    ),
    "text.hidden": frozenset({"hidden-text", "hidden-metadata", "stray-invisible", "hidden-instruction"}),
    "text.control": frozenset({"hidden-metadata"}),
    "text.injection": frozenset({"overridden-instructions", "hidden-instruction", "hidden-from-user-told"}),
    "tool.shadow": frozenset({"colliding-names"}),
    "name.confusable": frozenset({"confusable-name"}),
    "instr.destructive": frozenset({"destructive-command", "home-deleted", "destruction-told"}),
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

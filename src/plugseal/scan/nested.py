"""Read the texts inside a file by their own languages' readers, and the texts inside those, within bounds."""

from __future__ import annotations

import time
from collections.abc import Iterator

from plugseal.lang.facts import Context, FileFacts, Nested, unread
from plugseal.lang.nested import mapped
from plugseal.lang.textkinds import READABLE
from plugseal.limits import MAX_NESTED_CHARACTERS, MAX_NESTED_TEXTS, MAX_NESTING, TOOK_TOO_LONG, WORKER_WALL_SECONDS
from plugseal.model.finding import Finding
from plugseal.patterns import lazy
from plugseal.scan.analyse import analyse
from plugseal.scan.workers.on_demand import WorkersOnDemand

FENCE, TOLD = "fence", "told"
"""How code stands in prose that no interpreter is promised to understand: a model reads it, pieces and all, and that
it is told to is a fact of the prose. Where no reader understands it nothing is left unread."""

_SHOWN = frozenset((FENCE, TOLD))
"""How code stands in prose, in a fence or in a sentence."""

ABOUT_BEHAVIOUR = frozenset(
    """
    autostart-command autostart-write browser-secrets-read client-settings-line client-settings-write clipboard-read
    cmdlet-traces-removed decode-then-run decoded-code-run decoded-expression download-then-run drop-site
    drop-site-line environment-in-call environment-sent-by-script environment-sent-whole
    fetched-code-run hidden-cmdlet history-deleted home-deleted keys-recorded memory-made-executable netcat-shell
    packed-code process-memory-line process-memory-read reverse-shell run-key-write runner-registered
    runner-token-asked script-autostart-write script-decode-then-run script-download-then-run script-environment-sent
    script-home-deleted script-name-in-pieces script-packed-code script-reverse-shell script-secret-then-send
    script-self-approval secret-file-command secret-in-name secret-in-name-line secret-read-then-send
    secret-sent-by-script self-approval set-id-line shell-on-connection socket-shell traces-removed
    """.split()
)
"""Rules about what code does to whoever runs it. All others are about how a program is written: an example in prose
is no program, and what a command line of it tells to run is for the rules of prose: `decoded-run-told` says there what
`decoded-text-run` says of a script, and one line is not reported twice. What a name is put together of says nothing
where data, answers and placeholders stand among commands."""


ABOUT_THE_MACHINE = frozenset(
    """
    autostart-line git-runs-code scheduled-line set-id-line system-file-line traces-removed trusted-certificate
    """.split()
)
"""Rules about what stays on a machine: an image that is built is thrown away with its accounts and start files."""
ABOUT_THE_USERS = ABOUT_THE_MACHINE | {
    "cmdlet-protections-off",
    "execution-policy-off",
    "host-in-container",
    "protections-off",
}
"""Rules about the machine of a person, too: that of a build server is made for one job."""
ABOUT_RELEASES = frozenset({"package-published", "registry-changed"})
"""Rules about what a person's machine has no business with: build servers publish, and have registries of their own."""
_IN_CONTAINERS = frozenset({"Dockerfile", "Kubernetes"})
_WHAT_PAGES_DO = frozenset({"script-remote-import"})
"""Rules about programs: in a page a module from elsewhere is what `<script src>` is, and runs in a browser's bounds."""
ON_SERVER = "line of a build server"
"""How a line runs that is a step of one."""


def is_shown_only(nested: Nested) -> bool:
    """Say whether a text stands in a fence or in a sentence, or in a text that does."""
    return nested.how.partition(" > ")[0] in _SHOWN


def is_about_behaviour(finding: Finding) -> bool:
    """Say whether a finding counts in code that a text only shows.

    Of a download that is run only the two lines that do so count: one line that does both is for the rules of prose.
    """
    if finding.rule == "piped-download-run":
        span = finding.span
        return not any(map(_FETCHES.search, finding.source[: span.end_line - span.line + 1]))
    return finding.rule in ABOUT_BEHAVIOUR


_FETCHES = lazy(r"(?:^|[\s;&|($`\"'])(?:curl|wget|https?|xh|fetch|iwr|irm)\s")


def is_about_its_place(finding: Finding, language: str, how: str = "") -> bool:
    """Say whether a finding in a text inside a file of some language counts where that text runs.

    Args:
        finding: of the text.
        language: of the file.
        how: what runs the text.
    """
    if language == "HTML" and finding.rule in _WHAT_PAGES_DO:
        return False
    if how.startswith(ON_SERVER):
        return finding.rule not in ABOUT_THE_USERS and finding.rule not in ABOUT_RELEASES
    return language not in _IN_CONTAINERS or finding.rule not in ABOUT_THE_MACHINE


def read_nested(facts: FileFacts, context: Context, *, workers: WorkersOnDemand) -> Iterator[tuple[Nested, FileFacts]]:
    """Yield what was read in each text inside a file, at the places, channel and trigger that it has there.

    Args:
        facts: of the file.
        context: of the file.
        workers: where large and odd texts are read.

    Yields:
        Each text with its facts, outer ones first. A text that could not be read, and the bound that kept others from
        being read, have a `reason`; their facts are what is known all the same.
    """
    waiting: list[tuple[Nested, int]] = [(nested, 1) for nested in facts.nested]
    characters = 0
    # Each text by itself has the limits of a file: together they have no more.
    end = time.monotonic() + WORKER_WALL_SECONDS
    # A queue that grows while it is read: texts come in order of their depth.
    for count, (nested, depth) in enumerate(waiting, start=1):
        characters += len(nested.text)
        if count > MAX_NESTED_TEXTS or characters > MAX_NESTED_CHARACTERS:
            yield nested, unread(nested.language, "holds more code inside its texts than is read")
            return
        found = _read(nested, context, workers)
        yield nested, found
        if time.monotonic() > end:
            yield nested, unread(nested.language, f"the code inside its texts {TOOK_TOO_LONG}")
            return
        if depth < MAX_NESTING:
            waiting.extend((inner, depth + 1) for inner in found.nested)
        elif found.nested:
            yield nested, unread(nested.language, f"nests code in texts deeper than {MAX_NESTING}")


def _read(nested: Nested, context: Context, workers: WorkersOnDemand) -> FileFacts:
    if nested.language not in READABLE and is_shown_only(nested):
        return FileFacts(nested.language, "read")
    if nested.language not in READABLE:
        return unread(nested.language, f"holds {nested.language} inside, for which there is no reader yet")
    data = nested.text.encode("utf-8", "surrogatepass")
    found = mapped(analyse(nested.language, data, context, workers=workers), nested)
    if found.reason and is_shown_only(nested):
        return found._replace(reason="")
    if found.reason:
        return found._replace(reason=f"{nested.language} inside: {found.reason}")
    return found

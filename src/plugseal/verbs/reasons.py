"""Why a tree is refused a receipt, and why plugseal can give up: one entry for each stable identifier.

The meaning of a refusal is intake's own (`intake.faults.FAULTS`); here stands why it matters and what to do. A test
asserts that every code of intake and every error of ours has its entry.
"""

from __future__ import annotations

from typing import Final

from plugseal.records import NamedTuple


class Reason(NamedTuple):
    """What `explain` says besides the meaning."""

    why: str
    remedy: str


_RENAME: Final = "Rename it: letters, digits, `-`, `_`, `.` and spaces inside the name are safe everywhere."
_REPACK: Final = "Pack the archive again with a current program, from a clean directory, and scan that one."
_SMALLER: Final = (
    "Scan the plugin's own directory instead of what it stands in, or take out what does not belong to it."
)

REFUSALS: Final[dict[str, Reason]] = {
    "not-utf-8": Reason(
        "Programs and hosts decode such a name in different ways, so a receipt could name a file that another machine "
        "does not find, or finds twice.",
        _RENAME,
    ),
    "not-nfc": Reason(
        "macOS and some tools rewrite names into another normal form, so the same plugin would have two receipts.",
        "Rename it to normal form C, e.g. `convmv -f utf8 -t utf8 --nfc --notest FILE`.",
    ),
    "odd-character": Reason(
        "Invisible, reordering and unassigned characters make two names look alike, and control characters speak to "
        "the terminal of whoever lists the directory.",
        _RENAME,
    ),
    "forbidden-character": Reason(
        "On Windows the name means something else (a stream, a pattern, another directory), so the plugin that runs "
        "there is not the one that was reviewed.",
        _RENAME,
    ),
    "trailing-dot-or-space": Reason(
        "Windows opens the name without it, which may be another file of the plugin.", _RENAME
    ),
    "device-name": Reason("On Windows the name opens a device, whatever its directory and ending.", _RENAME),
    "nested-git": Reason(
        "git takes such a directory for a repository with its own configuration and hooks, both of which can run "
        "programs; git itself never checks it out.",
        "Remove it. A `.git` at the plugin's root is left out of receipts by rule and is no problem.",
    ),
    "git-name": Reason(
        "A file system that ignores case, invisible characters or the end of a name takes it for `.git`, whose "
        "configuration and hooks can run programs.",
        "Remove it: no honest plugin needs the name.",
    ),
    "case-collision": Reason(
        "Where case or normal form does not matter one of the files replaces the other, and which one wins depends on "
        "the machine.",
        "Rename one of them.",
    ),
    "name-too-long": Reason("Most file systems can't store the name.", "Shorten it to 255 bytes."),
    "symlink": Reason(
        "What a link shows can change without any change in the plugin, and it can lead out of it: the reviewed bytes "
        "and the loaded bytes need not be the same.",
        "Ask the author for a plugin that holds the file itself. Don't copy through the link: it can point at your own "
        "files, secrets too. `find PLUGIN -type l -printf '%p -> %l\\n'` shows where links lead.",
    ),
    "special-file": Reason(
        "Reading a FIFO, a socket or a device can block for ever or have effects, and it has no content to hash.",
        "Remove it.",
    ),
    "reparse-point": Reason(
        "What a junction shows can change without any change in the plugin, and it can lead out of it.",
        "Ask the author for a plugin that holds the files themselves.",
    ),
    "hard-link": Reason(
        "The file has another name, possibly outside the plugin, through which it can be changed after review.",
        "Copy the plugin: `cp -r PLUGIN COPY` makes separate files.",
    ),
    "set-id": Reason(
        "The bits run the file with the rights of its owner or group, which no plugin needs; archives and git drop "
        "them, so the receipt would not hold elsewhere.",
        "Take them away: `chmod u-s,g-s,-t FILE`.",
    ),
    "file-capabilities": Reason(
        "Linux capabilities give rights of the superuser to whoever starts the file, and no receipt covers them.",
        "Take them away: `setcap -r FILE`.",
    ),
    "mount": Reason(
        "What is mounted there belongs to another file system and can be exchanged without touching the plugin.",
        "Unmount it, or copy the plugin to one file system.",
    ),
    "unreadable": Reason(
        "What can't be read can't be judged; a host that runs as somebody else may well read it.",
        "Allow reading it (`chmod -R u+rX PLUGIN`), or scan as the user who owns it.",
    ),
    "changed-while-reading": Reason(
        "The bytes that were hashed may not be the bytes that were looked at.",
        "Try again when nothing writes there; scan a copy if something always does.",
    ),
    "path-too-long": Reason("Some systems can't open the path, so not everybody sees the same plugin.", _SMALLER),
    "too-deep": Reason("Programs that walk directories give up at different depths.", _SMALLER),
    "too-many-entries": Reason("A plugin of that size can't be reviewed by a person.", _SMALLER),
    "tree-too-large": Reason("A plugin of that size can't be reviewed by a person.", _SMALLER),
    "file-too-large": Reason("The file was not read, so nothing is known of it.", _SMALLER),
    "not-listed": Reason("Nothing is known of what stands below it.", _SMALLER),
    "escapes-root": Reason(
        "A program that unpacks the archive carelessly writes outside its directory.",
        "Don't unpack it. Ask its author; an honest archive has no such member.",
    ),
    "odd-member-name": Reason("Programs disagree about where such a member goes.", _REPACK),
    "duplicate-member": Reason(
        "Some programs take the first member of a name, others the last: the reviewed one need not be the one that "
        "runs.",
        _REPACK,
    ),
    "file-and-directory": Reason("Programs disagree about which of the two is written.", _REPACK),
    "encrypted-member": Reason("Nothing is known of what is in it.", "Ask for an archive without encryption."),
    "undeclared-encoding": Reason("Programs disagree about the name of the file that the member becomes.", _REPACK),
    "ambiguous-member": Reason(
        "The archive says two things about the member, and programs believe one or the other.", _REPACK
    ),
    "overlapping-members": Reason(
        "Shared bytes let a small archive unpack to an enormous one, and let programs see different members.", _REPACK
    ),
    "lying-size": Reason("Programs that trust the declared size see other bytes than those that don't.", _REPACK),
    "broken-member": Reason("Nothing reliable is known of what is in it.", _REPACK),
    "unsupported-member": Reason("Nothing is known of what is in it.", _REPACK),
    "broken-archive": Reason("Nothing reliable is known of what comes after the damage.", _REPACK),
    "truncated-archive": Reason("Something is missing, and nobody can say what.", "Fetch it again."),
    "trailing-data": Reason("Bytes outside all members can hold what other programs read as members.", _REPACK),
    "concatenated-gzip": Reason("Programs that read only the first stream see another archive.", _REPACK),
    "compression-ratio": Reason("An archive like that is made to exhaust whoever unpacks it.", "Don't unpack it."),
    "archive-too-large": Reason("What lies behind the limit was not read.", "Unpack it and scan the directory."),
    "broken-manifest": Reason(
        "A host may read the manifest in its own way and start something that was never shown. Nothing is assumed "
        "about the part that could not be understood; the rest of the plugin was scanned, and it gets no token.",
        "Correct the manifest at the place given; the plugin's author should know.",
    ),
}
"""By code, for what `scan` lists under *Broken* and *Prevents a receipt*."""

BROKEN_MANIFEST: Final = "a manifest of the plugin could not be understood"


class Failure(NamedTuple):
    """What `explain` says of an error."""

    title: str
    why: str
    remedy: str


ERRORS: Final[dict[str, Failure]] = {
    "error": Failure(
        "something kept plugseal from an answer",
        "What is not known does not pass.",
        "Read the lines below the message.",
    ),
    "usage": Failure(
        "a command, option or value is unknown",
        "A misread command must not pass for a clean result.",
        "See `plugseal COMMAND --help`.",
    ),
    "nothing-to-judge": Failure(
        "there is no plugin and no surface at the path",
        "Silence at a place without any plugin would look like a pass.",
        "Check the path. `plugseal facts PATH` says what any source tree can do, plugin or not.",
    ),
    "could-not-judge": Failure(
        "something keeps plugseal from an answer",
        "What plugseal can't judge it does not pass.",
        "Read the lines below the message; they name the cause.",
    ),
    "unreadable": Failure(
        "the path can't be read",
        "What can't be read can't be judged.",
        "Check that the path exists, that it is a directory, a file or an archive, and that you may read it.",
    ),
    "tree-refused": Failure(
        "the tree can't be represented safely, so it has no receipt",
        "A receipt promises that the same bytes load everywhere. This tree can look different on another machine, at "
        "another time or to another program.",
        "Every reason stands below the message with its code: `plugseal explain CODE` says what to do about it.",
    ),
    "bad-data": Failure(
        "a JSON, TOML or YAML document is refused by the strict parsers",
        "Two programs would read the document in two ways, or it is made to exhaust its reader.",
        "Correct it at the line and column given.",
    ),
    "bad-rules": Failure(
        "the rules are not sound",
        "A scan with half of its rules would be a quiet pass.",
        "Check them with `plugseal rules test`.",
    ),
    "no-output": Failure(
        "the result can't be written where it was asked for",
        "A result that nobody can read is no answer, whatever it would have said.",
        "Check that the directory exists, that you may write there, and that the disk has room.",
    ),
    "token": Failure(
        "the token is not, whole and exactly, the one of what is on disk",
        "A token names exact bytes and exact capabilities. Accepting a part of one, or an older one, would trust what "
        "nobody read.",
        "Read the plugin again with `plugseal review`, and copy the whole last line.",
    ),
    "transition-refused": Failure(
        "the plugin is not in the state that the change needs",
        "Permission to run rests on trust in exactly what is on disk now.",
        "See where it stands with `plugseal list`, read it with `plugseal review`, trust it, then enable it.",
    ),
    "bad-state": Failure(
        "what is stored about trust can't be believed",
        "A record that was changed, linked, opened to others or written elsewhere may say anything. Nothing is trusted "
        "by it, and nothing is repaired, so that it can be looked at.",
        "Inspect the file that is named, and `plugseal log verify`. Restore it from a backup, or move it away and "
        "trust again.",
    ),
    "trail-broken": Failure(
        "a trail was cut, changed or put back",
        "The trail says who trusted what. One that does not fit its checkpoint hides something.",
        "See what is wrong with `plugseal log verify`, compare with a checkpoint that was kept elsewhere (`--since`), "
        "and find out who may write to the state folder. To begin anew with the plugin, move all files that begin with "
        "the name of its record out of `plugins` in the state folder.",
    ),
    "key-refused": Failure(
        "a key, a list of signers, a list of revoked keys or an agent is refused",
        "Nothing is signed or verified by a key that others can read, that is weak, or that nobody named; and no other "
        "key is taken or made in its place. A list of signers that is understood in part would allow in part.",
        "Read the message; `plugseal key list` shows the keys that are there, `plugseal key new` makes one.",
    ),
    "receipt-refused": Failure(
        "receipts don't hold",
        "A signature that does not hold, a key that may not sign, too few people, somebody who refuses it, or a "
        "receipt that is missing: each is a reason to start nothing.",
        "See which step failed with `plugseal receipt verify`.",
    ),
    "bad-stage": Failure(
        "the staged copy can't be made or is not what was trusted",
        "What runs must be what was read. It runs from a read-only copy, which is compared before each start.",
        "Review and trust the plugin again: the copy is made anew.",
    ),
    "gate-refused": Failure(
        "the gate refused to start something, or to go on with it",
        "Nothing starts unless exactly what was reviewed is there, trusted, enabled and not revoked.",
        "The reason stands in the message: `plugseal explain REASON` says what to do about it.",
    ),
    "supervisor-failed": Failure(
        "plugseal could not do its own part of a run",
        "What can't be supervised is not started.",
        "Read the lines below the message; they name the cause.",
    ),
    "not-canonical": Failure(
        "data has no canonical form",
        "Such data can't be hashed: equal content could have two receipts.",
        "Use strings, whole numbers, booleans, lists and objects only.",
    ),
}
"""By the `code` of an error of ours."""

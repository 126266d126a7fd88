"""The commands of signed reviews and of keys as data."""

from __future__ import annotations

from typing import Final

from plugseal.cli.commands.options import ONLY, PASSPHRASES, PLUGIN, SIGNING, SYSTEM, TEAM
from plugseal.cli.parser import Argument, Command, Option

_OUTPUT: Final = Option(("-o", "--output"), "write the result to a file instead of standard output", "FILE")
_FORMAT: Final = Option(("--format",), "how to print the result", "FORMAT", ("text", "json"))

RECEIPT_COMMANDS: Final = (
    Command(
        "receipt sign",
        "sign what you reviewed, for the others of your team",
        "Signs a receipt over the token of PLUGIN as it is on disk now and writes it below `reviews`. PLUGIN may be a "
        "receipt that is to be revoked. The key is named, never made and never guessed. A key of an agent or a "
        "security key makes an SSH signature, a key file DSSE's own.",
        (PLUGIN,),
        (
            *SIGNING,
            Option(("--decision",), "what you say of it", "WORD", ("trust", "reject", "revoke"), "trust"),
            Option(("--reviewer",), "who you are, as the team lists you; default as your key is listed", "NAME"),
            Option(("--audience",), "the team that it is for; default as its `team.toml` says", "NAME"),
            Option(("--days",), "for how many days it holds", "NUMBER", default="365"),
            Option(("--policy",), "the policy that you judged by, bound by its digest", "FILE"),
            Option(("--dsse",), "make DSSE's own signature, also by an agent"),
            Option(("--sshsig",), "make an SSH signature, also by a key file"),
            TEAM,
            Option(("--reviews",), "where receipts lie; default `reviews`", "FOLDER"),
            SYSTEM,
            ONLY,
        ),
        (
            ("plugseal receipt sign ./plugin --key alice.key", "sign by a key file"),
            ("plugseal receipt sign ./plugin --agent alice@example.org", "sign by a key of ssh-agent"),
            ("plugseal receipt sign reviews/…/….dsse.json --decision revoke --key alice.key", "take a trust back"),
        ),
    ),
    Command(
        "receipt verify",
        "verify receipts, and the plugins that they are about",
        "RECEIPTS is one receipt, a folder of them, or a repository that has `reviews`. Prints each step in its order. "
        "With PLUGIN its content and capabilities are compared with what was signed. Ends with 1 if anything does not "
        "hold.",
        (
            Argument("RECEIPTS", "a receipt, the folder `reviews`, or a repository that holds it"),
            PLUGIN._replace(default=""),
        ),
        (
            Option(("--key",), "the one public key whose signature counts", "FILE"),
            TEAM,
            Option(("--threshold",), "how many people it takes; default as `team.toml` says", "NUMBER"),
            Option(("--pin",), "the SHA-256 that the team's folder must have, kept elsewhere", "SHA256"),
            Option(("--since",), "an older state of the folder, of which nothing may be gone", "FOLDER"),
            _FORMAT,
            _OUTPUT,
            SYSTEM,
            ONLY,
        ),
        (
            ("plugseal receipt verify . --team ../trust", "every plugin of this repository, by the team"),
            ("plugseal receipt verify reviews/…/….dsse.json ./plugin --key alice.pub", "one receipt, by one key"),
        ),
    ),
    Command(
        "receipt show",
        "show what a receipt says, without asking whether it holds",
        "Opens no key and verifies nothing.",
        (Argument("RECEIPT", "a receipt"),),
        (_FORMAT, _OUTPUT),
    ),
    Command(
        "receipt export",
        "print a receipt in the form of another tool",
        "`sigstore` is a bundle for cosign and the Sigstore clients, `sshsig` a signature for `ssh-keygen -Y verify` "
        "over the statement, `statement` the signed statement, `pae` the bytes that DSSE signs.",
        (Argument("RECEIPT", "a receipt"),),
        (
            Option(("--as",), "the form", "FORM", ("sigstore", "sshsig", "statement", "pae"), "sigstore"),
            *SIGNING,
            _OUTPUT,
        ),
        (("plugseal receipt export reviews/…/….dsse.json --as statement", "what ssh-keygen verifies"),),
    ),
    Command(
        "key new",
        "make a key that signs reviews",
        "Writes NAME.key, readable by you alone, and NAME.pub. Without a passphrase the key is not encrypted. A key in "
        "ssh-agent or on a security key is safer: any of those can sign as well.",
        (Argument("NAME", "of the files; the key is called so too"),),
        (
            Option(("--type",), "what it signs by", "TYPE", ("ed25519", "p256"), "ed25519"),
            Option(("--comment",), "whose key it is, as the team will list it; default NAME", "NAME"),
            *PASSPHRASES,
        ),
    ),
    Command(
        "key list",
        "list the keys of ssh-agent, and those that a team allows",
        "A key of the team is shown with what keeps it from counting.",
        (),
        (TEAM, _FORMAT, _OUTPUT),
    ),
    Command(
        "key show",
        "show a public key, with the line that lets it sign",
        "The line is for `allowed_signers`, which git and ssh-keygen read too.",
        (Argument("KEY", "the file of a public key"),),
        (Option(("--pem",), "print the key as OpenSSL and others read it"), _FORMAT, _OUTPUT),
    ),
)

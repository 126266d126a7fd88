"""Arguments and options that several tables of commands share."""

from __future__ import annotations

from typing import Final

from plugseal.cli.parser import Argument, Option

PLUGIN: Final = Argument(
    "PLUGIN", "a directory, a file or an archive; or the ID or the name of a plugin below the current directory"
)
ONLY: Final = Option(("--only",), "components that are meant, as kind:name, with commas between; default all", "NAMES")
SYSTEM: Final = Option(("--system",), "which plugin is meant, where several systems see one at a path", "NAME")
_KEY: Final = Option(("--key",), "the file of the private key that signs", "FILE")
_AGENT: Final = Option(("--agent",), "a key of ssh-agent: its comment, ID or fingerprint", "NAME")
_PASSPHRASES: Final = (
    Option(("--passphrase-fd",), "read the key's passphrase from an open descriptor", "NUMBER"),
    Option(("--passphrase-file",), "read the key's passphrase from a file that you alone can read", "FILE"),
)
SIGNING: Final = (_KEY, _AGENT, *_PASSPHRASES)
"""By which key something is signed: a file's or an agent's."""
PASSPHRASES: Final = _PASSPHRASES
TEAM: Final = Option(("--team",), "the folder with `allowed_signers`; default `plugseal-trust`", "FOLDER")

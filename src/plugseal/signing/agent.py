"""Ask ssh-agent for its keys and for signatures. The only place that opens a socket for signing: a local one, by path.

An agent signs whatever it is asked by whoever reaches its socket; so what is signed is SSHSIG with our namespace unless
the user asks for DSSE in words. See: https://datatracker.ietf.org/doc/draft-ietf-sshm-ssh-agent/
"""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping
from contextlib import suppress
from typing import Final

from plugseal.encode.sshwire import Reader, ssh_string
from plugseal.errors import DataError, KeyRefusedError
from plugseal.records import NamedTuple
from plugseal.signing.keys import KeyKind, PublicKey, parse_blob
from plugseal.signing.signature import SignatureError, dsse_of_ssh

VARIABLE: Final = "SSH_AUTH_SOCK"
_LIST, _LISTED, _SIGN, _SIGNED, _FAILURE = 11, 12, 13, 14, 5
_RSA_SHA2_512: Final = 4
_MAX_REPLY_BYTES: Final = 256 * 1024
_MAX_KEYS: Final = 1024
_SECONDS: Final = 120.0
"""A person may have to confirm, or to touch a key."""


class AgentKey(NamedTuple):
    """A key that an agent holds."""

    public: PublicKey
    comment: str
    """Hostile text."""


class Agent:
    """An agent behind a socket; each request has its own connection."""

    def __init__(self, path: str) -> None:
        self._path = path

    def keys(self) -> tuple[AgentKey, ...]:
        """Return the keys of supported types, in the agent's order.

        Raises:
            KeyRefusedError: there is no agent, or it answers what no agent does.
        """
        reader = self._ask(bytes((_LIST,)), _LISTED)
        try:
            count = reader.number()
            pairs = [(reader.string(), reader.string()) for _ in range(min(count, _MAX_KEYS))]
            reader.end()
        except DataError as error:
            raise KeyRefusedError("the agent's answer is damaged, or lists too many keys") from error
        found = []
        for blob, comment in pairs:
            with suppress(KeyRefusedError):
                found.append(AgentKey(parse_blob(blob), comment.decode("utf-8", "replace")))
        return tuple(found)

    def sign(self, key: PublicKey, message: bytes) -> bytes:
        """Return a signature in SSH's wire format.

        Raises:
            KeyRefusedError: the agent refuses.
        """
        flags = _RSA_SHA2_512 if key.kind is KeyKind.RSA else 0
        request = bytes((_SIGN,)) + ssh_string(key.blob) + ssh_string(message) + flags.to_bytes(4, "big")
        reader = self._ask(request, _SIGNED)
        try:
            signature = reader.string()
            reader.end()
        except DataError as error:
            raise KeyRefusedError("the agent's answer is damaged") from error
        return signature

    def _ask(self, request: bytes, expected: int) -> Reader:
        try:
            reply = self._exchange(request)
        except (OSError, ValueError) as error:
            why = (getattr(error, "strerror", "") or str(error) or "no answer").lower()
            raise KeyRefusedError(f"the agent can't be asked: {why}", place=self._path, hint=_HINT) from error
        reader = Reader(reply)
        try:
            kind = reader.number(1)
            if kind == _FAILURE:
                raise KeyRefusedError(
                    "the agent refused", hint="see its keys with `plugseal key list`; it may wait for a confirmation"
                )
            if kind != expected:
                raise KeyRefusedError("the agent's answer makes no sense")
        except DataError as error:
            raise KeyRefusedError("the agent's answer is cut short") from error
        return reader

    def _exchange(self, request: bytes) -> bytes:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(_SECONDS)
            connection.connect(self._path)
            connection.sendall(ssh_string(request))
            size = int.from_bytes(_receive(connection, 4), "big")
            if size > _MAX_REPLY_BYTES:
                raise ValueError("the answer is too large")
            return _receive(connection, size)


class AgentSigner:
    """A key of an agent, used to sign."""

    def __init__(self, agent: Agent, public: PublicKey) -> None:
        self._agent = agent
        self.public = public

    def sign_dsse(self, message: bytes) -> bytes:
        """Return the signature that a DSSE envelope holds.

        Raises:
            KeyRefusedError: the agent refuses, or the key can't.
        """
        if self.public.kind.on_security_key:
            raise KeyRefusedError("a security key signs by SSHSIG alone", hint="leave `--dsse` out")
        try:
            return dsse_of_ssh(self.public, self._agent.sign(self.public, message))
        except SignatureError as error:
            raise KeyRefusedError(f"the agent's signature can't be used: {error}") from error

    def sign_ssh(self, message: bytes) -> bytes:
        """Return the signature in SSH's wire format."""
        return self._agent.sign(self.public, message)


def find_agent(environment: Mapping[str, str] | None = None) -> Agent:
    """Return the agent that the environment names.

    Raises:
        KeyRefusedError: it names none.
    """
    path = (os.environ if environment is None else environment).get(VARIABLE, "")
    if not path:
        raise KeyRefusedError(f"there is no agent: `{VARIABLE}` is not set", hint=_HINT)
    return Agent(path)


def find_agent_key(agent: Agent, word: str) -> AgentKey:
    """Return the one key that a word means: its comment, its ID or the begin of it, its fingerprint.

    Raises:
        KeyRefusedError: no key fits, or more than one does.
    """
    keys = agent.keys()
    fits = [
        one
        for one in keys
        if not word
        or word in (one.comment, one.public.fingerprint)
        or (len(word) >= _SHORTEST and one.public.keyid.startswith(word))
    ]
    if len(fits) == 1:
        return fits[0]
    rows = [f"{one.public.keyid[:16]}  {one.public.kind.value}  {one.comment}" for one in fits or keys]
    what = f"{len(fits)} keys of the agent fit" if fits else "no key of the agent fits"
    raise KeyRefusedError(what, details=rows[:20], hint="name one by its comment or its ID: `plugseal key list`")


def _receive(connection: socket.socket, size: int) -> bytes:
    parts = []
    while size:
        part = connection.recv(min(size, 65536))
        if not part:
            raise ValueError("the answer is cut short")
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


_SHORTEST: Final = 8
_HINT: Final = "start one and add a key: `ssh-add -c KEY`"

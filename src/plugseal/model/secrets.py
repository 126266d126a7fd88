"""Recognise literal credentials in a text, and hide them.

Two kinds: shapes that issuers gave their tokens (`ghp_…`, `AKIA…`), and values beside a name that says so
(`--password=…`, `Authorization: Bearer …`, `https://user:password@host`). Placeholders and references to a variable are
none. It errs on the side of hiding: what is shown on a screen must never hold a credential in full.

See: https://docs.github.com/en/code-security/secret-scanning/introduction/supported-secret-scanning-patterns
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from plugseal.patterns import lazy
from plugseal.records import NamedTuple

MAX_SEARCHED_CHARACTERS: Final = 65_536
MASK: Final = "*"
_OVERLAP: Final = 4_096
"""Characters that two windows of a long text share, so that no credential stands across their edge."""

SHAPES: Final = (
    ("AWS access key", r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
    ("GitHub token", r"\bgh[pousr]_[A-Za-z0-9]{20,255}"),
    ("GitHub token", r"\bgithub_pat_[A-Za-z0-9_]{22,255}"),
    ("GitLab token", r"\bgl(?:pat|dt|rt|soat)-[A-Za-z0-9_-]{20,255}"),
    ("Slack token", r"\b(?:xox[abeoprs]|xapp)-[A-Za-z0-9-]{10,255}"),
    ("Slack webhook", r"\bhooks\.slack\.com/services/T[A-Za-z0-9]{6,12}/B[A-Za-z0-9]{6,12}/[A-Za-z0-9]{16,64}"),
    ("Discord webhook", r"\bdiscord(?:app)?\.com/api/webhooks/[0-9]{6,20}/[A-Za-z0-9_-]{30,100}"),
    ("API key", r"\bsk-(?=[A-Za-z_-]{0,64}[0-9])[A-Za-z0-9_-]{16,255}"),
    ("Stripe key", r"\b[rs]k_live_[A-Za-z0-9]{16,255}"),
    ("Google API key", r"\bAIza[0-9A-Za-z_-]{35}"),
    ("Google token", r"\bya29\.[0-9A-Za-z_-]{20,255}"),
    ("Telegram bot token", r"(?<![A-Za-z0-9])(?:bot)?[0-9]{6,10}:AA[A-Za-z0-9_-]{20,60}"),
    ("npm token", r"\bnpm_[A-Za-z0-9]{36}\b"),
    ("PyPI token", r"\bpypi-AgEI[A-Za-z0-9_-]{40,255}"),
    ("Hugging Face token", r"\bhf_[A-Za-z0-9]{30,255}"),
    ("SendGrid key", r"\bSG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}"),
    ("DigitalOcean token", r"\bdo[opr]_v1_[a-f0-9]{64}\b"),
    ("Shopify token", r"\bshp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}\b"),
    ("Linear key", r"\blin_api_[A-Za-z0-9]{32,64}"),
    ("Notion token", r"\b(?:ntn|secret)_[A-Za-z0-9]{40,64}\b"),
    ("Grafana token", r"\bglsa_[A-Za-z0-9_]{32,64}"),
    ("age secret key", r"\bAGE-SECRET-KEY-1[0-9A-Z]{50,60}"),
    ("JSON web token", r"\beyJ[A-Za-z0-9_-]{16,2000}\.eyJ[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]{16,1000}"),
    (
        "private key",
        r"-----BEGIN (?:[A-Z]{2,9} ){0,2}PRIVATE KEY(?: BLOCK)?-----(?:\\n|\s){0,4}[A-Za-z0-9+/=:, -]{20,200}",
    ),
)
"""(kind, pattern) of what issuers made recognisable."""
_SHAPES: Final = lazy(
    "|".join(f"(?P<k{number}>{pattern})" for number, (_, pattern) in enumerate(SHAPES)),
    needs=(
        *".eyj :aa age-secret-key-1 aiza akia asia discord.com/api/webhooks/ discordapp.com/api/webhooks/".split(),
        *"doo_v1_ dop_v1_ dor_v1_ gho_ ghp_ ghr_ ghs_ ghu_ github_pat_ gldt- glpat- glrt- glsa_ glsoat- hf_".split(),
        *"hooks.slack.com/services/t lin_api_ npm_ ntn_ pypi-agei rk_live_ secret_ sg. shpat_ shpca_ shppa_".split(),
        *"shpss_ sk- sk_live_ xapp- xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- ya29.".split(),
        "private key block-----",
        "private key-----",
    ),
)

TELLING_NAME: Final = (
    r"(?:(?:api|access|private|secret|auth)[-_.]?key|token|secret|passw(?:or)?d|passwd|passphrase|pwd|credentials?"
    r"|authorization|bearer|cookie)"
)
"""Ends a name whose value is a credential."""
TELLING_WORDS: Final = tuple(
    "authorization bearer cookie credential key passphrase passwd password pwd secret token".split()
)
"""Of which each such name holds one."""

_BESIDE: Final = (
    # `--api-key=value`, `"token": "value"`, `password = value`
    lazy(
        rf"(?i){TELLING_NAME}[\"']?[ \t]{{0,4}}[=:][ \t]{{0,4}}[\"']?(?:bearer |basic |token )?"
        r"(?P<a>[^\s\"',;&<>{}$\[(]{6,400})",
        needs=TELLING_WORDS,
    ),
    # `"--token", "value"` and `--token value`
    lazy(
        rf"(?i)(?<![a-z0-9_.-])--?[a-z0-9_.-]{{0,40}}{TELLING_NAME}[\"']?[ \t,]{{1,6}}[\"']?"
        r"(?P<b>[^\s\"',;&<>{}$-][^\s\"',;&<>{}$]{5,400})",
        needs=TELLING_WORDS,
    ),
    # `--key=value` and `--key value`, where the value itself looks random: such an option may name anything
    lazy(
        r"(?i)(?<![a-z0-9_.-])--?key(?:=|[\"']?[ \t,]{1,6})[\"']?"
        r"(?P<e>(?=[^0-9\s]{0,400}[0-9])(?=[^a-z\s]{0,400}[a-z])[a-z0-9+=_-]{12,400})(?=[\s\"',]|$)",
        needs=("-key",),
    ),
    # `https://user:password@host`
    lazy(
        r"(?i)\b[a-z][a-z0-9+.-]{1,20}://[^\s/@:\"']{0,100}:(?P<c>[^\s/@\"'${}<>]{3,200})@",
        needs=("://",),
    ),
    # `mysql -ppassword`
    lazy(r"(?:^|[\s\"'])-p(?P<d>[^\s\"'=/-][^\s\"'=/]{7,100})(?=[\s\"']|$)", needs=("-p",)),
)
_MIXED: Final = r"(?P<v>(?=[^\s\"',;&<>{}$]{0,100}[0-9])(?=[^\s\"',;&<>{}$]{0,100}[A-Za-z])[^\s\"',;&<>{}$\[(]{8,400})"
"""Letters and digits together."""
_LESS_TELLING: Final = r"(?:pass|auth|pat|sig(?:nature)?|session(?:[-_]?id)?|s?id|key|jwt|otp)"
"""Ends a name whose value may well be a credential."""
_LESS_TELLING_WORDS: Final = tuple("auth id jwt key otp pass pat session sig".split())
_HIDDEN_TOO: Final = (
    lazy(
        rf"(?i)(?<![a-z0-9]){_LESS_TELLING}[\"']?[ \t]{{0,4}}[=:][ \t]{{0,4}}[\"']?(?:bearer |basic |token )?{_MIXED}",
        needs=_LESS_TELLING_WORDS,
    ),
    lazy(
        rf"(?i)(?<![a-z0-9_.-])--?(?:[a-z0-9]+-)?{_LESS_TELLING}[\"']?[ \t,]{{1,6}}[\"']?{_MIXED}",
        needs=_LESS_TELLING_WORDS,
    ),
    # `curl -u name:password`, `--user=name:password`
    lazy(
        rf"(?i)(?<![a-z0-9_.-])(?:-u|--user)(?:=|[\"']?[ \t,]{{1,6}})[\"']?[^\s\"':=/]{{1,100}}:{_MIXED}",
        needs=("-u",),
    ),
    # `"--token",` and `"token":` at the end of a line, the value at the beginning of the next one
    lazy(
        rf"(?i)(?<![a-z0-9_.-])--?[a-z0-9_.-]{{0,40}}(?:{TELLING_NAME}|key)[\"']?,?[ \t]{{0,8}}\r?\n"
        r"[+-]?[ \t]{0,80}(?:- )?[\"']?(?P<v>[^\s\"',;&<>{}$-][^\s\"',;&<>{}$]{5,400})",
        needs=TELLING_WORDS,
    ),
    lazy(
        rf"(?i){TELLING_NAME}[\"']?[ \t]{{0,4}}[=:][ \t]{{0,8}}\r?\n[ \t]{{0,80}}[\"'](?:bearer |basic |token )?"
        r"(?P<v>[^\s\"',;&<>{}$\[(]{6,400})",
        needs=TELLING_WORDS,
    ),
    # `https://token@host`
    lazy(r"(?i)\b[a-z][a-z0-9+.-]{1,20}://(?P<v>[^\s/@:\"'${}<>]{8,200})@", needs=("://",)),
)
"""What is hidden as well, and raises no alarm: it is a credential often enough, and often enough it is not."""
_DEFAULT: Final = lazy(r"(?s)^\$\{[A-Za-z_][A-Za-z0-9_:]{0,100}:?[-=](.{1,400})\}$", needs=("${",))
_PLACEHOLDER: Final = lazy(
    r"(?i)example|placeholder|your[-_ ]|your(?:api|key|token|secret|personal|access|own)"
    r"|<[^>]{1,60}>|\.\.\.|…|\*{3}|x{5}|redacted|change[-_ ]?me|replace|insert|dummy|todo|\bnone\b|\bnull\b"
    r"|not[-_ ]?set|\$\{|\{\{|%\(|^env[:.]|1234567890|abcdefgh|[-_]here\b"
)
_REFERENCE: Final = lazy(r"(?i)\$\{|\{\{|%\(|^env[:.]|<[^>]{1,60}>")
"""To where a value stands."""
_SAMPLE: Final = lazy(r"\A(?=[^0-9]*[0-9])(?=[^A-Za-z]*[A-Za-z]).{8}")
"""Letters and digits together: words alone (`your-token-here`) are what they say."""
_FEWEST_CHARACTERS: Final = 6
"""Different ones in any credential."""
_MADE_UP: Final = lazy(
    r"(?i)(?<![a-z0-9])(?:test|fake|mock|stub|dummy)(?![a-z])|(?<![a-z0-9])your?[a-z_-]{0,30}(?:token|key|here)(?![a-z0-9])|(.)\1{6}|deadbeef|aabbccdd|abc123|123abc|0123456|123456(?![0-9])"
    r"|^eyJ[A-Za-z0-9_-]+\.eyJzdWIiOiIxMjM0NTY3ODkwI"
)
"""What nobody's random numbers give, and tests of redaction are full of; the sample of every page about web tokens."""
_SPOKEN: Final = lazy(
    r"^(?=(?:[a-z]+[-_])*(?:secret|token|password|passwd|key|credential|demo|sample|literal|local|dev)(?:[-_]|$))"
    r"[a-z]{1,14}(?:[-_][a-z]{1,14}){1,5}(?:[-_](?:0{0,2}[0-9]|123(?:45?6?)?))?$"
)
_RANDOM: Final = lazy(r"[A-Za-z0-9]{14}")
"""Stands in every API key: it is meant to be guessed by nobody."""
_RUN: Final = lazy(r"[A-Za-z0-9]+")
_PART: Final = lazy(r"[a-z]+|[0-9]+")
_FEWEST_PARTS: Final = 4
_ALPHABET: Final = "abcdefghijklmnopqrstuvwxyz"
_DIGITS: Final = "01234567890123"
_ONLY_SMALL: Final = lazy(r"[a-z]{14,}\Z")
_OF_ALL_LETTERS: Final = frozenset({"API key", "GitHub token", "GitLab token", "Hugging Face token", "Stripe key"})
"""Kinds whose random part has digits and capitals: small letters alone are words."""
_SHORTEST_KEY: Final = 56
"""Characters of the smallest private key there is."""
_NO_KEY: Final = lazy(r"[A-Za-z0-9]_|_[A-Za-z0-9]|x{7}|X{7}|\.{3}|FAKE|fake")
"""In the body of a key: no base64, or what nobody's random numbers give."""
_ORDINARY: Final = lazy(
    r"(?is)^(?:[A-Z][A-Z0-9]*_[A-Z0-9_]*|[./~$%].*|https?://[^@]*|[:=]?(?:true|false|yes|no|on|off)|[0-9.,]{1,12}|[a-z]{1,12}"
    r"|[A-Za-z_.]+\(.*|\w+(?:\.\w+)+)$"
)


class Secret(NamedTuple):
    """A literal credential within a text."""

    start: int
    end: int
    """Offsets in code points."""
    kind: str
    """A few words, e.g. `GitHub token`."""


def find_secrets(text: str) -> tuple[Secret, ...]:
    """Return the literal credentials of a text, by place, none within another."""
    found: list[Secret] = []
    for secret in sorted(_candidates(text[:MAX_SEARCHED_CHARACTERS]), key=lambda s: (s.start, -s.end)):
        if not found or secret.start >= found[-1].end:
            found.append(secret)
    return tuple(found)


def find_shapes(text: str) -> tuple[Secret, ...]:
    """Return only the credentials whose shape says so, whatever stands beside them."""
    text = text[:MAX_SEARCHED_CHARACTERS]
    return tuple(Secret(m.start(), m.end(), _kind(m)) for m in _SHAPES.finditer(text) if not is_placeholder(m[0]))


def mask_secrets(text: str) -> str:
    """Return a text of the same lines and lengths in which every literal credential is stars."""
    for start in range(0, max(len(text), 1), MAX_SEARCHED_CHARACTERS - _OVERLAP):
        window = text[start : start + MAX_SEARCHED_CHARACTERS]
        for secret in (*find_secrets(window), *_hidden_too(window)):
            hidden = "".join(c if c == "\n" else MASK for c in window[secret.start : secret.end])
            text = text[: start + secret.start] + hidden + text[start + secret.end :]
    return text


def mask_lines(lines: Sequence[str]) -> list[str]:
    """Return the same lines in which every literal credential is stars, each read below the line before it."""
    return mask_secrets("\n".join(lines)).split("\n") if lines else []


def _hidden_too(text: str) -> Iterator[Secret]:
    """Yield what raises no alarm and is hidden all the same: nobody knows which sample opens a door."""
    for match in _SHAPES.finditer(text):
        if len(set(match[0])) >= _FEWEST_CHARACTERS:
            yield Secret(match.start(), match.end(), _kind(match))
    for pattern in (*_BESIDE, *_HIDDEN_TOO):
        for match in pattern.finditer(text):
            group = match.lastgroup or ""
            if is_secret_value(match[group]) or _is_sample(match[group]):
                yield Secret(match.start(group), match.end(group), "credential")


def _is_sample(value: str) -> bool:
    """Say whether a value could be a credential, though a word in it says that it is a sample."""
    return (
        _ORDINARY.match(value) is None
        and _REFERENCE.search(value) is None
        and _SAMPLE.match(value) is not None
        and len(set(value)) >= _FEWEST_CHARACTERS
    )


def is_placeholder(value: str) -> bool:
    """Say whether a value only shows where a credential would go."""
    return _PLACEHOLDER.search(value) is not None or len(set(value)) < _FEWEST_CHARACTERS


def is_made_up(text: str, secret: Secret) -> bool:
    """Say whether a credential of a known shape was typed by somebody who needed one to write about: a test's, say.

    It is hidden all the same; what is not raised is an alarm.

    Args:
        text: what it was found in.
        secret: where it stands.
    """
    value = text[secret.start : secret.end]
    if secret.kind == "private key":
        _, _, behind = value.removeprefix("-----").partition("-----")
        body, _, _ = (behind + text[secret.end :]).partition("-----")
        return len(body.strip()) < _SHORTEST_KEY or _NO_KEY.search(body) is not None
    if secret.kind == "API key" and _RANDOM.search(value) is None:
        return True
    if secret.kind in _OF_ALL_LETTERS and _ONLY_SMALL.match(max(_RUN.findall(value), key=len, default="")):
        return True
    return _MADE_UP.search(value) is not None or _counts_up(value)


def _counts_up(value: str) -> bool:
    """Say whether a random part is letters and digits in their order: `abc123def456ghi789`."""
    parts = _PART.findall(max(_RUN.findall(value), key=len, default="").lower())
    if len(parts) < _FEWEST_PARTS:
        return False
    return all(len(part) > 2 and (part in _ALPHABET or part in _DIGITS) for part in parts)


def is_secret_value(value: str) -> bool:
    """Say whether a value, under a name that says so, is a credential and no reference, path, word or placeholder."""
    return len(value) >= 6 and _ORDINARY.match(value) is None and not is_placeholder(value)


def is_spoken(value: str) -> bool:
    """Say whether a value is words that say what it stands for, as `demo-secret` does: nobody's random numbers.

    It is hidden all the same; what is not raised is an alarm.
    """
    return _SPOKEN.match(value) is not None


def default_of(value: str) -> str:
    """Return the default of a variable reference `${NAME:-default}`, else the value itself."""
    found = _DEFAULT.match(value)
    return found[1] if found else value


def _candidates(text: str) -> Iterator[Secret]:
    yield from find_shapes(text)
    for pattern in _BESIDE:
        for match in pattern.finditer(text):
            group = match.lastgroup or ""
            if is_secret_value(match[group]):
                yield Secret(match.start(group), match.end(group), "credential")


def _kind(match: re.Match[str]) -> str:
    return SHAPES[int((match.lastgroup or "k0")[1:])][0]

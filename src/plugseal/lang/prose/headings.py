"""Tell which headings silence what is below: those about what not to do, or what attackers do, and nothing else.

One word among others is no such heading: "Exploit the cache" and "Security notes" lead to what is to be done. So every
word of a heading has to belong there, and one of them has to name what is meant.
"""

from __future__ import annotations

from typing import Final

from plugseal.patterns import lazy

_MAX_WORDS: Final = 14
"""Longer headings are sentences of their own."""
_CROSS: Final = lazy("[❌✗✘✖]")
"""What marks a bad example, whatever its heading says."""
_PHRASES: Final = lazy(
    r"\b(?:red flags?|warning signs?|what not to|not to do|out of scope|not (?:allowed|recommended)|do not|"
    r"hall of shame|indicators? of compromise|signs of compromise)\b"
)
_MEANT: Final = frozenset(
    """
    anti-pattern anti-patterns antipattern antipatterns bad wrong incorrect don't don'ts dont donts never avoid avoided
    avoiding forbidden prohibited disallowed mistake mistakes pitfall pitfalls threat threats attack attacks attacker
    attackers malicious vulnerability vulnerabilities vulnerable injection injections jailbreak jailbreaks exploit
    exploits exploitation suspicious unsafe insecure dangerous harmful rationalization rationalizations rationalisation
    rationalisations excuse excuses adversarial ioc iocs indicators detection detections detect detects blocked denied
    prevents prevented prevention blocks
    """.split()
)
"""Words that name what is not to be done, or what others do."""
_BESIDE: Final = frozenset(
    """
    a an all any and or of the to in on for with by as from vs via you your we our this these that it its are is be if
    when what how why which who do does not no can cannot can't must should will won't instead stop start over watch
    look looking out common typical frequent frequently critical serious major known general generic key top more other
    further additional specific real possible potential thing things thought thoughts idea ideas habit habits practice
    practices example examples sample samples pattern patterns list lists table guard guards catalog catalogue guide
    checklist summary type types kind kinds category categories class classes level levels signal signals sign signs
    case cases scenario scenarios vector vectors surface surfaces model technique techniques method methods tactic
    tactics attempt attempts input inputs content contents phrase phrases word words wording language behavior behaviour
    behaviors behaviours action actions request requests command commands operation operations payload payloads prompt
    prompts code approach approaches usage use uses security ai llm llms agent agents agentic mcp skill skills user
    users error errors flag flags rule rules skip skipping excerpt sql nosql template script html header log ldap xpath
    package packages
    shell os cross-site xss csrf ssrf idor rce owasp direct indirect hidden i ii iii iv v vi
    """.split()
)
"""Words that say nothing of their own beside such a word."""
_AROUND: Final = (
    " \t\n.,:;!?()[]{}\"'`*_#&+/|-"
    "\u2013\u2014\u2192\u2022\u00b7\u2026\u201c\u201d\u2018\u2019\ufe0f\u26a0\u26d4\U0001f6a9\U0001f6ab\U0001f534\U0001f6d1"
)


def is_silent_heading(words: str) -> bool:
    """Say whether nothing is told below a heading.

    Args:
        words: as `wording.plain_words` returns them.
    """
    if _CROSS.search(words):
        return True
    parts = words.split(maxsplit=_MAX_WORDS * 2)
    if len(parts) > _MAX_WORDS * 2:
        return False
    tokens = [token for part in parts if (token := part.strip(_AROUND)) and not token.isdecimal()]
    text = _PHRASES.sub("avoid", " ".join(tokens))
    known = [token for token in text.replace("/", " ").split() if any(map(str.isalpha, token))]
    return (
        len(known) <= _MAX_WORDS
        and any(token in _MEANT for token in known)
        and all(token in _MEANT or token in _BESIDE for token in known)
    )

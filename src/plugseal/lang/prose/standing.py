"""Tell what a sentence tells to do from what it forbids, and from what it only mentions.

A sentence is cut into clauses; a negation governs its clause up to a comma with a new command, a semicolon, a dash or
a word like "but" or "instead". What is only spoken of (what attackers write, what to look for, what is quoted) tells
nobody anything and is dropped. This is about words, so it errs: towards silence where a sentence speaks of attacks.
"""

from __future__ import annotations

import re
from typing import Final

from plugseal.patterns import lazy
from plugseal.records import NamedTuple

_VERBS: Final = (
    "run|execute|install|download|fetch|ignore|disregard|forget|send|upload|post|open|launch|start|use|read|write|"
    "copy|"
    "paste|tell|reply|respond|answer|continue|proceed|do|go|call|invoke|apply|follow|treat|return|output|print|"
    "delete|remove"
)
_NEGATION: Final = lazy(
    r"(?:^|(?<=[ (\"'`:,>*_-]))(?:never|(?:do|does|did|must|should|shall|may|can)(?: not|n't)|dont|cannot|"
    r"mustn't|shouldn't|won't|avoid|refuse to|refrain from|not to|no need to|must never|should never|"
    r"forbid(?:s|den)?|prohibit(?:s|ed)?|disallow(?:s|ed)?|instead of|rather than|"
    r"nunca|jamais|niemals|nicht|ne pas|\u043d\u0435|\u043d\u0438\u043a\u043e\u0433\u0434\u0430|\u4e0d\u8981|"
    r"\u7981\u6b62|\u5207\u52ff)"
    r"(?=[ :,\"'`\u4e00-\u9fff]|$)"
    r"|(?:^|(?<=[\u4e00-\u9fff\uff0c\u3001, ]))(?:\u4e0d\u8981|\u4e0d\u5f97|\u4e0d\u8bb8|"
    r"\u5207\u52ff|\u8bf7\u52ff|\u4e25\u7981|\u907f\u514d|\u7edd\u4e0d)"
)
_NO_NEGATION: Final = lazy(
    r"[ ]+(?:ever |please )?(?:worry|hesitate|forget|fail|skip|stop|bother|panic|neglect|omit|be (?:afraid|alarmed|"
    r"concerned)|notice|find out|suspect|realize|realise|"
    r"only|just|yet|necessarily|limited|wait|miss)\b"
)
"""Behind a negation: it tells to do after all."""
_CLAUSE_END: Final = lazy(
    r"[;\u2014\u2013]| - | but | and (?=(?:do not|don't|never|must not) )| instead[ ,]|"
    r", (?:then|just|simply|always|rather|and then|please|immediately|only|"
    r"so)[ ,]|\. |"
    rf", (?={_VERBS})(?![^;.]{{0,120}}\bor\b)|\uff0c|\uff1b"
)
_MENTION: Final = lazy(
    r"\b(?:attack(?:s|er|ers)?|adversar(?:y|ies|ial)|malicious(?:ly)?|hostile|untrusted|injections?|injected|"
    r"jailbreaks?|exploits?|"
    r"phishing|suspicious|threats?|(?:style|test|probe|fuzzing) payloads?|"
    r"payloads? (?:like|such as|that|which)|red flags?|inject(?:s|ing)? (?=[`\"'])|"
    r"try (?:to )?(?:coerce|coercing|trick|tricking|convince|manipulate|induce|jailbreak|fool|persuade) "
    r"(?:the |an? |your )?(?:agent|model|assistant|llm|ai|bot)\b|try to override (?:the |its )?(?:safety|system)\b|"
    r"vulnerab(?:le|ility|ilities)|detect(?:s|ed|ion|ing)?|"
    r"flags? (?:any|as|if|when|content|text|inputs?)|"
    r"(?<!user is )(?<!users are )(?<!they are )"
    r"look(?:s|ing)? for|watch(?:es|ing)? (?:out )?for|beware|scan(?:s|ning)? for|check(?:s|ing)? (?:for|whether|"
    r"that no)|"
    r"e\.g\.|for example|such as|examples? of|like [\"'`]|reject(?:s|ed|ing)?|refus(?:e|es|ed|ing)|block(?:ed|ing)|"
    r"(?<!the )(?<!a )(?<!this )(?<!that )(?<!these )(?<!following )(?<!code )(?<!text )(?<!next )(?<!json )(?<!yaml )"
    r"(?<!above )(?<!bash )(?<!shell )(?<!script )(?<!comment )(?<!config )blocks?\b(?! of )|prevent(?:s|ed|ing)?|"
    r"(?:bad|wrong|anti-?patterns?|dangerous|unsafe|insecure|risky|harmful)\b|warn(?:s|ing)? (?:about|if|when|against)|"
    r"(?:says?|said|claims?|asks?|asking|telling|tells|tries|trying|attempts?|attempting|instructs?|instructing|"
    r"contains?|"
    r"containing|reads) (?:like )?(?:you |it |them |us |the (?:model|agent|assistant|ai) )?(?:to |[\"'`:])|"
    r"(?:if|when|even if|unless|whenever) (?!the user|a user|users|they |you |asked)(?:the |a |an |any |some )?"
    r"(?:\w+ ){0,4}(?:says?|asks?|tells?|instructs?|claims?|contains?|tries|wants?) )"
)
_LABELLED_BAD: Final = lazy(
    r"^(?:[-*+>] |\d+[.)] )?\[?(?:incorrect|not like this|don't do this|poor|worse|weak|failing|violations?|"
    r"counter-?examples?|mal|incorrecto|falsch|schlecht|mauvais|\u043d\u0435\u043f\u0440\u0430\u0432\u0438\u043b\u044c\u043d\u043e|"
    r"\u9519\u8bef|\u932f\u8aa4|\u53cd\u4f8b|\u60aa\u3044\u4f8b|ng)\b"
    r"(?: (?:example|examples|way|approach|answer|response|behavio(?:u)?r|pattern|usage))?\]?[ ]?[:\uff1a]"
)
"""How a sentence begins that shows what is not to be done."""
_CROSS: Final = lazy("[\u274c\u2717\u2718\u26d4\U0001f6ab\u2715\u2716\u00d7]|\U0001f44e")
_QUOTED: Final = lazy(r'`[^`\n]{1,2000}`|"[^"\n]{2,400}"')
_SPEAKS: Final = lazy(r"(?:\b(?:run|execute|type|paste|enter|use|command|with|and|then)|[:,(])[ ]*\Z")


class Told(NamedTuple):
    """The parts of one sentence, in plain words."""

    told: str
    """What it tells to do, without the clauses that forbid; empty for nothing."""
    forbidden: str
    """What it tells not to do."""


def judge_sentence(words: str) -> Told:
    """Return what a sentence in plain words tells to do and what it forbids.

    Args:
        words: as `wording.plain_words` returns it.
    """
    if _CROSS.search(words) or _LABELLED_BAD.match(words):
        return Told("", "")
    if '"' in words:
        words = _QUOTED.sub(_without_quotation, words)
    words = _without_mentioned(words)
    match = _NEGATION.search(words)
    if match is None:
        return Told(words.strip(" "), "")
    told: list[str] = []
    forbidden: list[str] = []
    at = 0
    while match is not None:
        if _NO_NEGATION.match(words, match.end()):
            match = _NEGATION.search(words, match.end())
            continue
        end = _CLAUSE_END.search(words, match.end())
        stop = end.start() if end is not None else len(words)
        told.append(words[at : match.start()])
        forbidden.append(words[match.end() : stop])
        at = stop
        match = _NEGATION.search(words, stop)
    told.append(words[at:])
    return Told(" ".join(told).strip(" "), " / ".join(part.strip(" ") for part in forbidden))


def _without_mentioned(words: str) -> str:
    """Drop what is only spoken of: up to the end of the sentence, of what is looked for up to the end of the clause."""
    kept: list[str] = []
    at = 0
    for mention in filter(_is_word, _MENTION.finditer(words)):
        if mention.start() < at:
            continue
        kept.append(words[at : mention.start()])
        if mention[0] in _IN_BRACKETS and words.count("(", 0, mention.start()) > words.count(")", 0, mention.start()):
            end = _BRACKET.search(words, mention.end())
        else:
            end = _LOOKED_FOR_END.search(words, mention.end()) if _LOOKS_FOR.match(mention[0]) else None
        if end is None:
            return " ".join(kept)
        at = end.start()
    return " ".join((*kept, words[at:])) if kept else words


_IN_BRACKETS: Final = ("e.g.", "for example", "such as")
"""What a remark in brackets begins with: the sentence goes on behind it."""
_BRACKET: Final = lazy(r"\)")
_LOOKS_FOR: Final = lazy(r"(?:check|look|scan)(?:s|ing)? (?:for|whether|that no)")
_LOOKED_FOR_END: Final = lazy(
    r"; |\u2014|\u2013| - |, (?:then|otherwise|and then|if (?:not|absent|missing|none|it is (?:not|missing)))\b|\uff1b"
)
"""Where what is to be done about it begins."""


def _is_word(found: re.Match[str]) -> bool:
    """Say whether what was found is a word of the sentence, and no part of an address, a path or a name.

    A guard that refuses something is none where the sentence goes on with how to get round it.
    """
    words, start, end = found.string, found.start(), found.end()
    if _REFUSES.match(found[0]) and _GUARD.search(words, max(0, start - 60), start) and _GETS_ROUND.search(words, end):
        return False
    return words[max(0, start - 1) : start] not in ("/", "@", ".", "_", "=") and _GOES_ON.match(words, end) is None


_REFUSES: Final = lazy(r"(?:block|reject|refuse|prevent|detect)")
_GUARD: Final = lazy(
    r"\b(?:if|when|whenever|in case|should)\b[a-z ,'-]{0,30}\b(?:hooks?|guards?|filters?|sandbox|classifier|"
    r"checks?|scanner|"
    r"polic(?:y|ies)|permission system|firewall)[ ](?:ever[ ])?\Z"
)
_GETS_ROUND: Final = lazy(
    r"\b(?:rewrite|encode|obfuscate|disguise|split|base64|hex|escape|alias|rename|wrap)\b.{0,120}"
    r"\b(?:until|so that|so (?:the|it))\b.{0,40}"
    r"\b(?:lets?|pass(?:es)?|goes|gets?|accepts?|approves?|allows?|no longer|not|doesn't|isn't|won't|cannot|can't)\b"
)
"""How a command is changed until nothing stops it."""
_GOES_ON: Final = lazy(r"[@/_=](?=[a-z0-9])|[.-](?=[a-z0-9-]{1,60}[./@])")


def _without_quotation(match: re.Match[str]) -> str:
    """Drop what stands in quotation marks, unless it is a command that the sentence tells to run."""
    if match[0].startswith("`"):
        return match[0]
    before = match.string[: match.start()]
    return match[0] if _SPEAKS.search(before) and _COMMAND.search(match[0]) else '"..."'


_COMMAND: Final = lazy(r"[|/$]|\bhttps?:| -")

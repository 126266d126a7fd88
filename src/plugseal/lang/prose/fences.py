"""Which language a fence is in, and the command lines of those that are for a shell.

A transcript (`console`) holds commands behind a prompt and what they print; only the commands count.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from plugseal.lang.command_words import split_line
from plugseal.lang.programs import program_name
from plugseal.lang.prose.blocks import Block
from plugseal.lang.prose.lines import Piece
from plugseal.records import NamedTuple

SHELL: Final = "shell"
POWERSHELL: Final = "PowerShell"
BATCH: Final = "batch"
_LANGUAGES: Final = {
    **dict.fromkeys(
        "bash sh shell zsh console shell-session shellsession terminal ksh dash command cmdline".split(), SHELL
    ),
    **dict.fromkeys("python python3 py".split(), "python"),
    **dict.fromkeys("javascript js node mjs cjs jsx".split(), "javascript"),
    **dict.fromkeys("typescript ts tsx".split(), "typescript"),
    **dict.fromkeys("powershell ps1 pwsh posh".split(), POWERSHELL),
    **dict.fromkeys("bat batch cmd dosbatch".split(), BATCH),
    **dict.fromkeys("ruby rb".split(), "Ruby"),
    **dict.fromkeys("perl pl".split(), "Perl"),
    "php": "PHP code",
    "lua": "Lua",
    **dict.fromkeys("sql psql postgresql postgres plpgsql mysql tsql sqlite duckdb".split(), "SQL"),
    "applescript": "AppleScript",
}
TYPED: Final = frozenset((SHELL, POWERSHELL, BATCH))
"""Languages of command lines: what a fence in them holds is typed line by line."""
_TRANSCRIPTS: Final = frozenset("console shell-session shellsession terminal".split())
_PROMPT: Final = re.compile(
    r"[ \t]*(?:\([\w.-]{1,40}\)[ \t]*)?(?:[\w.@~:/-]{1,60})?[$%][ \t]+|[ \t]*(?:\$|>|\u276f)[ \t]+|"
    r"[ \t]*PS(?:[ ][^>\n]{0,80})?>[ \t]+|[ \t]*[A-Za-z]:\\[^>\n]{0,80}>[ \t]*"
)
_OWN_PROGRAMS: Final = {
    "python": "python3? pip3? pipx uvx? poetry pdm conda mamba pytest",
    "javascript": "node npm npx yarn pnpm bunx? deno",
    "typescript": "node npm npx yarn pnpm bunx? deno tsx ts-node tsc",
    "Ruby": "ruby gem bundle",
    "Perl": "perl cpanm?",
    "PHP code": "php composer",
    "Lua": "lua luarocks",
}
_TYPED_INSTEAD: Final = {
    language: re.compile(
        rf"[ \t]*(?:[$%][ ])?(?:sudo[ ])?(?:{'|'.join(names.split())})[ ](?:-{{1,2}}\w|['\"]?[\w./@<\[])"
    )
    for language, names in _OWN_PROGRAMS.items()
}
"""What a line that starts a language's own program begins like; in the language itself no two words stand so."""
_MAX_TYPED: Final = 12
_BEFORE_COMMAND: Final = re.compile(r"[ \t]*[$%][ ]")
_BANG: Final = re.compile(r"[ \t]*!(?=[\w./~])")
_ANY_COMMENT: Final = re.compile(r"[ \t]*(?:#|//)")
_LONG_TEXTS: Final = ('"""', "'''")
_OPEN: Final = frozenset("text txt plaintext plain code none output".split())
_WORD: Final = re.compile(r"[a-z0-9+#_-]+")
_COMMENT: Final = re.compile(r"[ \t]*#")
_HERE: Final = re.compile(r"<<-?[ \t]*(['\"]?)(\w+)\1")
_FLAGGED: Final = re.compile(
    r"\b(?:bad|wrong|incorrect|never|don'?t|do not|avoid|vulnerable|insecure|unsafe|malicious|dangerous|"
    r"(?:should|must|will|are|is|get) (?:be )?(?:blocked|denied|rejected|refused))\b|"
    r"[\u274c\u2717\u26d4\U0001f6ab]",
    re.I,
)
_PRAISED: Final = re.compile(
    "\\b(?:good|right|correct|better|do|instead|safe|secure|preferred)\\b|[\u2705\u2713\u2714]", re.I
)
_NAMES_NOTHING: Final = frozenset(
    "if then else elif fi for while until do done case esac function { } [ [[ ( ) echo printf cd export set true false"
    " : local return exit const let var await async import from new class def select insert update delete print"
    " pass".split()
)
_PROGRAM: Final = re.compile(r"[a-z0-9_][a-z0-9_.+@-]*[a-z0-9_+]|[a-z]")
_STARTS: Final = re.compile(
    r"(?:^[ \t]*|[|;&(][ \t]*|\b(?:then|do|else|if|"
    r"while)[ ])(?:[A-Za-z_]\w*=(?!\$\(|`)\S{0,200}[ ])?(?:sudo[ ])?"
    r"([A-Za-z_./~][\w./+-]*)(?=[ \t]|$)"
)
_MAX_LINE: Final = 4_096
_COMMAND_VALUE: Final = re.compile(
    r'(?<!tool_input": \{)(?<!tool_input":\{)"command"[ \t]{0,8}:[ \t]{0,8}"((?:[^"\\\n]|\\.){1,4000})"'
)
_ESCAPED: Final = re.compile(r'\\(["\\/])')
_SLASH_COMMAND: Final = re.compile(r"([ \t]*)(/[A-Za-z][\w-]*(?::[\w-]+)?)(?=[ \t]|$)")
_REQUEST: Final = re.compile(r"([ \t]*)(GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)(?=[ \t]+/)")
_PLACEHOLDER: Final = re.compile(r"<[A-Za-z][\w .,/|#-]{0,60}>")
_SURE_PLACEHOLDER: Final = re.compile(r"<[A-Za-z](?:[\w |#-]{0,60}[\w#])?>")
_A_PATH: Final = re.compile(r"[ \t]*(?:[~/.$]|\w:[\\/])")
"""Behind `>`: a shell may take `cat <a> ~/.profile` at its word. It reads one file and writes the other."""
_GOES_ON: Final = re.compile(
    r"/(?!(?:etc|usr|var|s?bin|lib|opt|root|home|tmp|dev|proc|sys|boot|run|mnt|Users|Library|System|private)\b)\w"
    r"|\.(?:md|txt|json|ya?ml|toml|csv|py|[jt]s|mjs|sh|html|pdf|docx|xlsx|pptx|png|jpg|svg|zip|log)\b"
)
"""Behind `>`: the placeholder is the beginning of a path or of a file's name."""
_A_START: Final = re.compile(
    r"[ \t]*(?:~|\$\{?HOME\b|/(?:etc|root|home|Users)/|"
    r"\.(?:bash|zsh|profile|ssh|config/|gitconfig|git/hooks|npmrc|netrc|aws))"
)
"""The same where a path or an address goes on: only what starts by itself is worth the doubt."""
_TOP_FOLDERS: Final = frozenset(
    "/bin /boot /dev /etc /home /lib /mnt /opt /proc /root /run /sbin /srv /sys /tmp /usr /var".split()
)
_NO_SHELL: Final = re.compile(r"[ \t]*(?:$|[|;&)<\]])")
"""Behind `>`: no shell takes it for a redirection."""


class CommandLine(NamedTuple):
    """One command line of a fence or code span."""

    text: str
    line: int
    column: int
    end_line: int
    end_column: int


def language_of(info: str) -> str:
    """Return the language of a fence by its info string, empty for none that a reader may know."""
    match = _WORD.match(info.strip("{}. !").lower())
    return _LANGUAGES.get(match[0], "") if match is not None else ""


def is_typed_instead(language: str, block: Block) -> bool:
    """Say whether a fence that names a language holds what is typed to run it: `python -c …`, `pip install …`."""
    pattern = _TYPED_INSTEAD.get(language)
    if pattern is None:
        return False
    lines = [piece.text for piece in block.stretch.pieces if piece.text.strip() and not _COMMENT.match(piece.text)]
    return 0 < len(lines) <= _MAX_TYPED and all(pattern.match(line) for line in lines)


def typed_first(language: str, block: Block) -> list[Piece]:
    """Return the lines that are typed before the code of a fence that names its language, and IPython's `!command`.

    Only what stands before the first line of code: below it a line may stand in a text.
    """
    pattern, found = _TYPED_INSTEAD.get(language), []
    goes_on, is_first = False, True
    for piece in block.stretch.pieces:
        text = piece.text
        if goes_on or (is_first and pattern is not None and pattern.match(text)):
            found.append(_unprompted(piece, _BEFORE_COMMAND))
            goes_on = text.rstrip().endswith("\\")
        elif is_first and text.strip():
            is_first = _ANY_COMMENT.match(text) is not None
    return [*found, *_banged(block)] if language == "python" else found


def _banged(block: Block) -> list[Piece]:
    """Return the lines of IPython's `!command`, with those in which it goes on."""
    found: list[Piece] = []
    goes_on = False
    for piece in _outside_texts(block):
        if goes_on or _BANG.match(piece.text):
            found.append(piece if goes_on else _unprompted(piece, _BANG))
            goes_on = piece.text.rstrip().endswith("\\")
    return found


def _outside_texts(block: Block) -> Iterator[Piece]:
    """Yield the lines that begin in no text of several lines."""
    is_inside = False
    for piece in block.stretch.pieces:
        if not is_inside:
            yield piece
        is_inside ^= sum(map(piece.text.count, _LONG_TEXTS)) % 2 == 1


def _unprompted(piece: Piece, prompt: re.Pattern[str]) -> Piece:
    found = prompt.match(piece.text)
    end = found.end() if found is not None else 0
    return Piece(piece.line, piece.column + end, piece.text[end:])


def languages_of_fences() -> frozenset[str]:
    """Return every language that a fence may name."""
    return frozenset(_LANGUAGES.values())


def names_no_language(info: str) -> bool:
    """Say whether a fence leaves open what is in it, so that its text has to tell."""
    match = _WORD.match(info.strip("{}. !").lower())
    return match is None or match[0] in _OPEN


def is_transcript(block: Block) -> bool:
    """Say whether a shell fence holds commands behind prompts, so that the rest of it is output."""
    pieces = block.stretch.pieces
    first = next((piece for piece in pieces if piece.text.strip()), None)
    if first is None:
        return False
    if _PROMPT.match(first.text):
        return True
    word = _WORD.match(block.info.lower())
    return word is not None and word[0] in _TRANSCRIPTS and any(_PROMPT.match(piece.text) for piece in pieces)


def command_pieces(block: Block) -> list[Piece]:
    """Return the lines of a shell fence that are commands, without prompts; what a client itself obeys runs nothing."""
    pieces, goes_on = _typed_pieces(block), False
    for number, piece in enumerate(pieces):
        if not goes_on:
            pieces[number] = piece._replace(text=without_foreign_command(piece.text))
        goes_on = piece.text.rstrip().endswith("\\")
    return pieces


def without_foreign_command(line: str) -> str:
    """Put a command that does nothing, of the same length, in the place of what no shell is meant to start.

    These are a client's own commands (`/plugin install x`) and requests as HTTP writes them (`POST /items/{id}`).
    """
    found = _SLASH_COMMAND.match(line) or _REQUEST.match(line)
    if found is None or found[2] in _TOP_FOLDERS:
        return line
    return f"{found[1]}:{' ' * (len(found[2]) - 1)}{line[found.end() :]}"


def _typed_pieces(block: Block) -> list[Piece]:
    if not is_transcript(block):
        return list(block.stretch.pieces)
    found: list[Piece] = []
    goes_on = False
    for piece in block.stretch.pieces:
        prompt = _PROMPT.match(piece.text)
        if prompt is not None:
            found.append(Piece(piece.line, piece.column + prompt.end(), piece.text[prompt.end() :]))
        elif goes_on:
            found.append(piece)
        else:
            continue
        goes_on = found[-1].text.rstrip().endswith("\\")
    return found


def commands_of_settings(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield the commands that a line of settings in JSON names, with where their values begin and end in it."""
    if '"command"' not in text:
        return
    for found in _COMMAND_VALUE.finditer(text):
        yield _ESCAPED.sub(r"\1", found[1]), found.start(1), found.end(1)


def iterate_lines(pieces: list[Piece]) -> Iterator[CommandLine]:
    """Yield the command lines of a shell text: continued lines joined, comments and here-documents left out.

    Lines below a comment that calls them bad are left out up to one that calls the next ones good, or a blank line.
    """
    waiting: list[Piece] = []
    until, is_bad = "", False
    for piece in pieces:
        text = piece.text
        if until:
            until = "" if text.strip() == until else until
            continue
        if not waiting and (not text.strip() or _COMMENT.match(text)):
            if _PRAISED.search(text) or not text.strip():
                is_bad = False
            if _FLAGGED.search(text):
                is_bad = True
            continue
        waiting.append(piece)
        if text.rstrip().endswith("\\"):
            continue
        here = _HERE.search(text)
        until = here[2] if here is not None else ""
        if not is_bad and not ("#" in text and _FLAGGED.search(text.rpartition("#")[2])):
            yield _joined(waiting)
        waiting = []
    if waiting:
        yield _joined(waiting)


def _joined(pieces: list[Piece]) -> CommandLine:
    text = without_placeholders(" ".join(piece.text.rstrip().removesuffix("\\").strip() for piece in pieces))
    first, last = pieces[0], pieces[-1]
    start = first.column + len(first.text) - len(first.text.lstrip())
    return CommandLine(text, first.line, start, last.line, last.column + len(last.text.rstrip()))


def without_placeholders(line: str) -> str:
    """Put a word in the place of each `<word>`, which stands for a value and is no redirection."""
    return _PLACEHOLDER.sub("VALUE", line) if "<" in line else line


def mask_placeholders(line: str) -> str:
    """Put a variable that nobody knows, of the same length, in the place of each `<word>` that is no redirection.

    What a shell could take for a redirection stays where it would write a path, or where a command stands in it:
    `curl a.example <b | sh> c` runs what it fetches.
    """
    return _SURE_PLACEHOLDER.sub(_masked, line) if "<" in line else line


def _masked(found: re.Match[str]) -> str:
    line, end = found.string, found.end()
    is_inside = line[found.start() - 1 : found.start()] in ("/", "@")
    is_path = (_A_START if is_inside else _A_PATH).match(line, end) and not _GOES_ON.match(line, end)
    if is_path or (not _NO_SHELL.match(line, end) and _holds_command(found[0])):
        return found[0]
    size = len(found[0])
    return "$_." if size < 4 else "${_}" if size == 4 else "${_,}" if size == 5 else "${_%" + "x" * (size - 5) + "}"


def _holds_command(placeholder: str) -> bool:
    """Say whether a program is named behind the first word of what may be a redirection."""
    words = placeholder[1:-1].replace("|", " ").split()[1:]
    if not words:
        return False
    from plugseal.lang.interpreters import language_of as interpreted
    from plugseal.lang.programs.tables import programs  # few placeholders have several words

    known = programs()
    return any(interpreted(word) or word in known.rules or word in known.wraps for word in words)


def programs_of(line: str) -> list[str | None]:
    """Return the programs that a command line starts, None for one that only a shell could name; each once.

    A line that starts none (a keyword of a loop, a value, an entry of a table) gives nothing.
    """
    commands = split_line(line)
    if commands is None:
        words = [match[1] for match in _STARTS.finditer(line[:_MAX_LINE])]
        names = [program_name(word) for word in words]
        found = list(dict.fromkeys(name for name in names if _is_program(name)))
        return [*found] or ([None] if "$(" in line or "`" in line else [])
    found = []
    for command in commands:
        word = command.words[0] if command.words else ""
        name = program_name(word)
        if word and not word[0].isupper() and (not name or _is_program(name)) and name not in found:
            found.append(name)
    return [name or None for name in found]


def _is_program(name: str) -> bool:
    """Say whether a word may be a program's name, and none of a shell or of another language."""
    return name not in _NAMES_NOTHING and _PROGRAM.fullmatch(name) is not None

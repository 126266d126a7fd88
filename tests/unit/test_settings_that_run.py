"""Settings of tmux, udev and nginx, clients of databases: what they run; and languages that are named though unread."""

from __future__ import annotations

import pytest

from plugseal.lang.classify import classify
from plugseal.lang.facts import Context, FileFacts, Interest
from plugseal.lang.registry import reader_named


def _read(language: str, source: str) -> FileFacts:
    return reader_named(language).read(source.encode("utf-8"), Context("a/x", Interest()))


@pytest.mark.parametrize(
    ("language", "source", "expected"),
    [
        pytest.param("tmux settings", "bind r run-shell 'rm x'", ["rm x"], id="a key"),
        pytest.param("tmux settings", "run-shell -b 'rm x'", ["rm x"], id="behind an option"),
        pytest.param("tmux settings", "if-shell 'test x' 'run \"rm x\"'", ["test x", "rm x"], id="a branch"),
        pytest.param("tmux settings", "set -g status-right '#(rm x) | y'", ["rm x"], id="a status line"),
        pytest.param("tmux settings", "new-window -n a top -d 1 ; display x", ["top -d 1"], id="a window"),
        pytest.param("tmux settings", 'bind x split-window -h "top x"', ["top x"], id="an option without a value"),
        pytest.param("tmux settings", "set-hook -g a 'run \"rm x\"'", ["rm x"], id="a command inside a text"),
        pytest.param("tmux settings", "# run-shell 'rm x'\nset -g mouse on", [], id="a comment"),
        pytest.param("udev rules", 'ACTION=="add", RUN+="/bin/sh -c x", NAME="RUN"', ["/bin/sh -c x"], id="a device"),
        pytest.param("udev rules", 'IMPORT{program}="/opt/a"\nIMPORT{db}="b"', ["/opt/a"], id="a device's program"),
        pytest.param("nginx settings", "content_by_lua_block { os.exit() }", [" os.exit() "], id="Lua"),
        pytest.param("nginx settings", "access_by_lua 'a()';\n# content_by_lua 'x';", ["a()"], id="quoted Lua"),
        pytest.param("SQL", "\\o |rm x\n\\! rm y\n", ["rm x", "rm y"], id="psql"),
        pytest.param("SQL", "SELECT ' \n.once |rm x';", [], id="a string with such a line"),
    ],
)
def test_a_line_for_a_shell_is_read(language: str, source: str, expected: list[str]) -> None:
    assert [nested.text for nested in _read(language, source).nested] == expected


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("\\i /opt/a.sql", ("fs.read", "/opt/a.sql")),
        (".output /opt/a", ("fs.write", "/opt/a")),
        (".load /opt/a", ("code.native", "/opt/a")),
        ("SELECT dblink_connect('host=a.example user=b');", ("net.outbound", "a.example")),
        ("CREATE SERVER s FOREIGN DATA WRAPPER w OPTIONS (host 'a.example');", ("net.outbound", "a.example")),
        ("CREATE SUBSCRIPTION s CONNECTION 'host=a.example' PUBLICATION p;", ("net.outbound", "a.example")),
        ("SELECT utl_http.request('http://a.example/') FROM dual;", ("net.outbound", "a.example")),
        ("EXEC master..xp_dirtree '\\\\a.example\\b';", ("net.outbound", "a.example")),
        ("EXEC sp_OACreate 'WScript.Shell', @o OUT;", ("code.dynamic", "WScript.Shell")),
        ("BACKUP DATABASE x TO DISK = 'C:\\b';", ("fs.write", "C:\\b")),
        ("BULK INSERT t FROM 'C:\\b';", ("fs.read", "C:\\b")),
        ("INSTALL a FROM 'https://b.example';", ("code.fetched", "a")),
    ],
)
def test_what_leaves_a_database_is_told(source: str, expected: tuple[str, str]) -> None:
    assert expected in {(fact.capability, fact.object) for fact in _read("SQL", source).facts}


@pytest.mark.parametrize(
    "source",
    [
        "CREATE TABLE disk (host text, connection int, install text);",
        "SELECT host, disk FROM connection WHERE host = 'a.example';",
        "INSERT INTO bulk VALUES ('x'); SELECT remote('a');",
        ".mode csv\n.headers on\n\\set x 1\n\\echo host",
    ],
)
def test_words_of_a_database_are_silent(source: str) -> None:
    assert not _read("SQL", source).facts


@pytest.mark.parametrize(
    ("path", "action", "language"),
    [
        ("a.zig", "unread", "Zig"),
        ("a.tcl", "unread", "Tcl"),
        ("a.bzl", "unread", "Starlark"),
        ("a.nu", "unread", "Nushell"),
        ("Fastfile", "read", "Ruby"),
        ("config.ru", "read", "Ruby"),
        (".tmux.conf", "read", "tmux settings"),
        ("etc/udev/rules.d/9.rules", "read", "udev rules"),
        ("etc/polkit-1/rules.d/9.rules", "unread", "polkit rules"),
        ("etc/systemd/system/a.service.d/b.conf", "read", "unit or launcher"),
        ("ansible.cfg", "unread", "configuration"),
    ],
)
def test_a_file_is_named_by_its_language(path: str, action: str, language: str) -> None:
    verdict = classify(path, b"const x = 1;\nexec id\n")
    assert (verdict.action, verdict.language) == (action, language)


def test_settings_with_lua_are_known_by_what_they_hold() -> None:
    assert classify("a.conf", b"location / { content_by_lua_block { x() } }\n").language == "nginx settings"
    assert classify("a.conf", b"location / { root x; }\n").language == "configuration"

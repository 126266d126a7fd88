"""The reader of strace's log, on lines as strace writes them."""

from __future__ import annotations

import pytest

from tests.process import straced

FIRST = '7 execve("/usr/bin/python3", ["python3"], 0x7ffe /* 3 vars */) = 0\n'


def events(lines: str) -> list[tuple[str, str]]:
    return [tuple(event) for event in straced.events_of(straced.read_calls(FIRST + lines, "/start"))]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        pytest.param(
            '7 openat(AT_FDCWD</start>, "a.py", O_RDONLY|O_CLOEXEC) = 3</start/a.py>',
            ("read", "/start/a.py"),
            id="a file",
        ),
        pytest.param(
            '7 openat(AT_FDCWD</start>, "link", O_RDONLY) = 3</etc/passwd>',
            ("read", "/etc/passwd"),
            id="through a link",
        ),
        pytest.param(
            '7 openat(5</start/d>, "../../x", O_RDONLY) = -1 ENOENT (No such file or directory)',
            ("read", "/x"),
            id="failed",
        ),
        pytest.param('7 open("x", O_RDONLY) = -1 EACCES (Permission denied)', ("read", "/start/x"), id="open"),
        pytest.param(
            '7 openat2(5</d>, "x", {flags=O_RDONLY|O_CLOEXEC, resolve=RESOLVE_BENEATH}, 24) = 6</d/x>',
            ("read", "/d/x"),
            id="openat2",
        ),
        pytest.param(
            '7 openat(AT_FDCWD</start>, "a,\\"b)\\n\\303\\251", O_RDONLY) = -1 ENOENT (No such file)',
            ("read", '/start/a,"b)\né'),
            id="odd characters",
        ),
        pytest.param(
            '7 openat(AT_FDCWD</start>, "o", O_WRONLY|O_CREAT|O_TRUNC, 0666) = 3</start/o>',
            ("write", "/start/o"),
            id="write",
        ),
        pytest.param(
            '7 openat(AT_FDCWD</start>, "o", O_RDWR) = 3</start/o>', ("write", "/start/o"), id="read and write"
        ),
        pytest.param('7 mkdir("d", 0777) = 0', ("write", "/start/d"), id="mkdir"),
        pytest.param('7 unlinkat(4</d>, "x", 0) = 0', ("write", "/d/x"), id="unlinkat"),
        pytest.param("7 ftruncate(4</d/x>, 0) = 0", ("write", "/d/x"), id="by descriptor"),
        pytest.param('7 symlink("/target", "name") = 0', ("write", "/start/name"), id="symlink"),
        pytest.param(
            "7 socket(AF_INET, SOCK_STREAM|SOCK_CLOEXEC, IPPROTO_IP) = 5<socket:[1]>", ("socket", "socket"), id="net"
        ),
        pytest.param(
            '7 execve("/bin/sh", ["sh", "-c", "a, b"], 0x7ffe /* 3 vars */) = 0', ("exec", "/bin/sh"), id="exec"
        ),
        pytest.param('7 execveat(4</d>, "p", ["p"], 0x1, 0) = -1 ENOENT (No)', ("exec", "/d/p"), id="execveat"),
        pytest.param(
            "7 io_uring_setup(8, {flags=0}) = 4<anon_inode:[io_uring]>", ("odd", "io_uring_setup"), id="io_uring"
        ),
    ],
)
def test_a_call_becomes_an_event(line: str, expected: tuple[str, str]) -> None:
    assert events(line) == [expected]


def test_a_rename_changes_both_ends() -> None:
    assert events('7 renameat2(4</a>, "x", 5</b>, "y", 0) = 0') == [("write", "/a/x"), ("write", "/b/y")]


def test_what_processes_read_of_themselves_is_told_from_what_they_read_of_others() -> None:
    log = (
        '7 openat(AT_FDCWD</start>, "/proc/self/statm", O_RDONLY) = 3</proc/7/statm>\n'
        '7 openat(AT_FDCWD</start>, "/proc/9/statm", O_RDONLY) = 3</proc/9/statm>\n'
    )

    assert events(log) == [("read", "/proc/self/statm"), ("read", "/proc/9/statm")]


def test_the_watched_program_itself_is_no_event() -> None:
    assert events("") == []


def test_calls_that_are_interrupted_are_put_together() -> None:
    log = (
        '7 openat(AT_FDCWD</start>, "/lib/x.so", O_RDONLY|O_CLOEXEC <unfinished ...>\n'
        "8 exit_group(0) = ?\n"
        "7 <... openat resumed>) = 3</usr/lib/x.so>\n"
        '7 execve("/bin/true", ["true"], 0x1 /* 3 vars */ <unfinished ...>\n'
        "7 <... execve resumed>) = 0\n"
    )

    assert events(log) == [("read", "/usr/lib/x.so"), ("exec", "/bin/true")]


def test_folders_follow_each_process() -> None:
    log = (
        "7 clone(child_stack=NULL, flags=SIGCHLD <unfinished ...>\n"
        '8 chdir("sub") = 0\n'
        "7 <... clone resumed>, child_tidptr=0x7f) = 8\n"
        '8 mkdir("x", 0777) = 0\n'
        '7 mkdir("x", 0777) = 0\n'
        "7 fchdir(3</other>) = 0\n"
        '7 rmdir("x") = 0\n'
        "7 +++ exited with 0 +++\n"
        "7 --- SIGCHLD {si_signo=SIGCHLD} ---\n"
    )

    assert events(log) == [("write", "/start/sub/x"), ("write", "/start/x"), ("write", "/other/x")]


def test_a_line_that_is_not_understood_is_an_error() -> None:
    with pytest.raises(straced.StraceError):
        events("7 something else entirely")

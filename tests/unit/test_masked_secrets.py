"""No credential of launch data is ever shown, whatever stands beside it; what is none is."""

from __future__ import annotations

import pytest

from plugseal.model.secrets import MAX_SEARCHED_CHARACTERS, mask_secrets
from plugseal.render.masked import masked_value, masked_words

SECRET = "hunter2-sample"


@pytest.mark.parametrize(
    "words",
    [
        pytest.param(["--token", SECRET], id="an option and its value"),
        pytest.param([f"--password={SECRET}"], id="an option with its value"),
        pytest.param([f"-p{SECRET}"], id="a letter with its value"),
        pytest.param([f"telegram.token={SECRET}"], id="a setting"),
        pytest.param(["-H", f"Authorization: Bearer {SECRET}"], id="a header"),
        pytest.param([f"--header=Cookie: session={SECRET}"], id="a cookie"),
        pytest.param(["-H", f"X-Api-Key: {SECRET}"], id="a header of a key"),
        pytest.param([f'{{"auth": {{"key": "{SECRET}"}}}}'], id="JSON in an argument"),
        pytest.param([f'{{"auth": {{"password": "{SECRET}"}}}}'], id="a password in JSON in an argument"),
        pytest.param(["--url", f"https://u:{SECRET}@h.invalid/x"], id="a login in an address"),
        pytest.param([f"https://{SECRET}@h.invalid/x"], id="a token in an address"),
        pytest.param([f"https://h.invalid/x?api_key={SECRET}"], id="a key in a query"),
        pytest.param([f"https://h.invalid/x?a=b&sig={SECRET}"], id="a signature in a query"),
        pytest.param(["-u", f"user:{SECRET}"], id="a login of curl"),
        pytest.param([f"--user=me:{SECRET}"], id="a login of curl in one word"),
        pytest.param([f"PGPASSWORD={SECRET}"], id="an assignment"),
        pytest.param(["-e", f"DB_PASS={SECRET}"], id="an assignment for a container"),
        pytest.param(["--auth", SECRET], id="auth"),
        pytest.param(["--client-secret", SECRET], id="a secret of a client"),
    ],
)
def test_no_argument_shows_a_credential(words: list[str]) -> None:
    masked = masked_words(words)
    assert SECRET not in " ".join(masked)
    assert [len(word) for word in masked] == [len(word) for word in words]


@pytest.mark.parametrize(
    "sample",
    [
        "AKIAIOSFODNN7EXAMPLE",
        "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
        "sk-EXAMPLE-not-real-000000",
        "glpat-abcdefghijklmnopqrst",
        "github_pat_11ABCDEFG0123456789_abcdefghijklmnop",
    ],
)
def test_no_sample_of_a_shape_is_shown_as_nobody_knows_which_one_opens_a_door(sample: str) -> None:
    for words in ([sample], ["--x", sample], [f"--token={sample}"], ["-H", f"Authorization: Bearer {sample}"]):
        assert sample not in " ".join(masked_words(words))


@pytest.mark.parametrize("word", ["--token=example-token-77", "--password=insert99coins", "API_KEY=dummy4711value"])
def test_no_sample_beside_a_telling_name_is_shown(word: str) -> None:
    assert word.partition("=")[2] not in mask_secrets(word)


@pytest.mark.parametrize(
    "word",
    [
        "--token=your-token-here",
        "--token=<TOKEN1>",
        "--token=${TOKEN1}",
        "--token=env:TOKEN1",
        "--token=%(TOKEN1)s",
        "--token={{ token1 }}",
        "--token=xxxxxxxxxx",
        "ghp_xxxxxxxxxxxxxxxxxxxxxxxx",
    ],
)
def test_where_a_credential_would_go_is_shown(word: str) -> None:
    assert mask_secrets(word) == word


@pytest.mark.parametrize(
    ("name", "value"),
    [
        pytest.param("TOKEN", f"${{TOKEN:-{SECRET}}}", id="a default"),
        pytest.param("Authorization", f"Bearer {SECRET}", id="a bearer"),
        pytest.param("Authorization", f"Basic {SECRET}", id="basic"),
        pytest.param("Cookie", f"a=b; sid={SECRET}", id="the second cookie"),
        pytest.param("X-Key", SECRET, id="a header of a key"),
        pytest.param("DB_PASS", SECRET, id="a variable"),
        pytest.param("DATABASE_URL", f"postgres://u:{SECRET}@h/db", id="an address"),
    ],
)
def test_no_value_shows_a_credential(name: str, value: str) -> None:
    assert SECRET not in masked_value(name, value)


@pytest.mark.parametrize(
    "at", [0, MAX_SEARCHED_CHARACTERS - 20, MAX_SEARCHED_CHARACTERS + 5, 3 * MAX_SEARCHED_CHARACTERS]
)
def test_no_credential_hides_behind_length(at: int) -> None:
    text = " " * at + f"--token {SECRET}" + " " * 9_000
    assert SECRET not in mask_secrets(text)
    assert len(mask_secrets(text)) == len(text)


@pytest.mark.parametrize(
    "text",
    [
        "node server.js --port 8080",
        "--auth none --key value",
        "python3 -m tool --session=new",
        "${API_KEY}",
        "Bearer ${TOKEN}",
        "https://api.example.invalid/v1?page=2",
        "git@github.com:owner/name2.git",
        "--author someone --passthrough x",
        "npx -y docs-server@1.4.0",
    ],
)
def test_what_is_no_credential_is_shown(text: str) -> None:
    assert mask_secrets(text) == text

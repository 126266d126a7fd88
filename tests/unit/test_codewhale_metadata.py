"""Texts, names, versions and tables of a `plugin.toml`: each rule of Codewhale refuses what it names and no more."""

from __future__ import annotations

import pytest

from tests import codewhale_bundles as bundles


def about(field: str, value: str) -> str:
    """Return a manifest with one more field in `[plugin]`, its value as TOML."""
    return f"{bundles.HEAD}{field} = {value}\n"


def named(name: str) -> str:
    return f'schema_version = 1\n[plugin]\nname = "{name}"\nversion = "1.0.0"\n'


def versioned(version: str) -> str:
    return f'schema_version = 1\n[plugin]\nname = "p"\nversion = "{version}"\n'


def words(count: int) -> str:
    return "[" + ", ".join(f'"w{number}"' for number in range(count)) + "]"


REFUSED = {
    "an unknown top key": (f"{bundles.HEAD}\n[extra]\nx = 1\n", "extra"),
    "an unknown key in plugin": (about("licence", '"MIT"'), "plugin.licence"),
    "an unknown key in capabilities": (f"{bundles.HEAD}[capabilities]\nroot = true\n", "capabilities.root"),
    "an unknown key in when": (f'{bundles.HEAD}[when]\narch = ["arm"]\n', "when.arch"),
    "an unknown key in skills": (f'{bundles.HEAD}[skills]\ndir = "skills"\n', "skills.dir"),
    "no plugin table": ("schema_version = 1\n[mcp_servers]\n", "plugin"),
    "plugin is no table": ('schema_version = 1\nplugin = "p"\n[mcp_servers]\n', "plugin"),
    "schema version 2": (bundles.HEAD.replace("= 1\n", "= 2\n", 1), "schema_version"),
    "schema version -1": (bundles.HEAD.replace("= 1\n", "= -1\n", 1), "schema_version"),
    "schema version is a text": (bundles.HEAD.replace("= 1\n", '= "1"\n', 1), "schema_version"),
    "schema version is a float": (bundles.HEAD.replace("= 1\n", "= 1.0\n", 1), "schema_version"),
    "schema version is a boolean": (bundles.HEAD.replace("= 1\n", "= true\n", 1), "schema_version"),
    "no name": ('schema_version = 1\n[plugin]\nversion = "1.0.0"\n', "plugin.name"),
    "the name is a number": ('schema_version = 1\n[plugin]\nname = 1\nversion = "1.0.0"\n', "plugin.name"),
    "an empty name": (named(""), "plugin.name"),
    "a name of 65": (named("a" * 65), "plugin.name"),
    "a name with capitals": (named("Bad"), "plugin.name"),
    "a name with an underscore": (named("a_b"), "plugin.name"),
    "a name with a dot": (named("a.b"), "plugin.name"),
    "a name that begins with a hyphen": (named("-a"), "plugin.name"),
    "a name that ends with a hyphen": (named("a-"), "plugin.name"),
    "a name with a blank": (named("a b"), "plugin.name"),
    "a name with a letter beyond ASCII": (named("naïve"), "plugin.name"),
    "a name with a line end": (named("a\\n"), "plugin.name"),
    "no version": ('schema_version = 1\n[plugin]\nname = "p"\n', "plugin.version"),
    "the version is a number": ('schema_version = 1\n[plugin]\nname = "p"\nversion = 1.0\n', "plugin.version"),
    "an empty version": (versioned(""), "plugin.version"),
    "version 1.0": (versioned("1.0"), "plugin.version"),
    "version v1.0.0": (versioned("v1.0.0"), "plugin.version"),
    "version latest": (versioned("latest"), "plugin.version"),
    "version 01.0.0": (versioned("01.0.0"), "plugin.version"),
    "version 1.0.0.0": (versioned("1.0.0.0"), "plugin.version"),
    "version 1.0.0-": (versioned("1.0.0-"), "plugin.version"),
    "version 1.0.0-01": (versioned("1.0.0-01"), "plugin.version"),
    "version 1.0.0+": (versioned("1.0.0+"), "plugin.version"),
    "version with a number over 64 bits": (versioned("18446744073709551616.0.0"), "plugin.version"),
    "version latest in a legacy manifest": ('[plugin]\nname = "p"\nversion = "latest"\n', "plugin.version"),
    "a description of 1,025": (about("description", f'"{"x" * 1025}"'), "plugin.description"),
    "a blank description": (about("description", '" "'), "plugin.description"),
    "an empty description": (about("description", '""'), "plugin.description"),
    "the description is a list": (about("description", '["x"]'), "plugin.description"),
    "an author of 257": (about("author", f'"{"x" * 257}"'), "plugin.author"),
    "a display name of 129": (about("display_name", f'"{"x" * 129}"'), "plugin.display_name"),
    "a homepage of 2,049": (about("homepage", f'"{"x" * 2049}"'), "plugin.homepage"),
    "a repository of 2,049": (about("repository", f'"{"x" * 2049}"'), "plugin.repository"),
    "a license of 129": (about("license", f'"{"x" * 129}"'), "plugin.license"),
    "65 keywords": (about("keywords", words(65)), "plugin.keywords"),
    "a keyword of 129": (about("keywords", f'["{"x" * 129}"]'), "plugin.keywords.0"),
    "a keyword twice but for its case": (about("keywords", '["a", "A"]'), "plugin.keywords.1"),
    "a blank keyword": (about("keywords", '["a", ""]'), "plugin.keywords.1"),
    "keywords are a text": (about("keywords", '"a"'), "plugin.keywords"),
    "a keyword is a number": (about("keywords", '["a", 1]'), "plugin.keywords"),
    "a line end in an author": (about("author", '"a\\nb"'), "plugin.author"),
    "a tab in an author": (about("author", '"a\\tb"'), "plugin.author"),
    "DEL in an author": (about("author", '"a\\u007fb"'), "plugin.author"),
    "a C1 control in an author": (about("author", '"a\\u0085b"'), "plugin.author"),
    **{
        f"U+{code:04X} in an author": (about("author", f'"a\\u{code:04x}b"'), "plugin.author")
        for code in (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
    },
}
ACCEPTED = {
    "the shortest manifest": bundles.HEAD,
    "schema version 0": bundles.HEAD.replace("= 1\n", "= 0\n", 1),
    "a name of 1": named("a"),
    "a name of 63": named("a" * 63),
    "a name of 64": named("a" * 64),
    "a name with two hyphens": named("a--b"),
    "a name of digits": named("42"),
    "a version with blanks around": versioned(" 1.0.0 "),
    "a version with pre-release and build": versioned("1.0.0-rc.1+build.007"),
    "a version of 64 bits": versioned("18446744073709551615.0.0"),
    "a description of 1,024": about("description", f'"{"x" * 1024}"'),
    "a description of 1,024 with blanks around": about("description", f'" {"x" * 1024} "'),
    "a description of 1,024 beyond the BMP": about("description", f'"{"😀" * 1024}"'),
    "an author of 256": about("author", f'"{"x" * 256}"'),
    "a display name of 128": about("display_name", f'"{"x" * 128}"'),
    "a homepage of 2,048": about("homepage", f'"{"x" * 2048}"'),
    "a repository of 2,048": about("repository", f'"{"x" * 2048}"'),
    "a license of 128": about("license", f'"{"x" * 128}"'),
    "63 keywords": about("keywords", words(63)),
    "64 keywords": about("keywords", words(64)),
    "a keyword of 128": about("keywords", f'["{"x" * 128}"]'),
    "no keywords": about("keywords", "[]"),
    "a zero width space in an author": about("author", '"a\\u200bb"'),
    "a soft hyphen in an author": about("author", '"a\\u00adb"'),
    "tag characters in an author": about("author", '"a\\U000e0041b"'),
}


@pytest.mark.parametrize(("manifest", "field"), REFUSED.values(), ids=REFUSED)
def test_a_manifest_is_refused_for_one_field(manifest: str, field: str) -> None:
    plugin = bundles.describe(manifest)
    assert bundles.fault_fields(plugin) == [field]
    assert not bundles.verdict(plugin, "0.9.1")["loads"]
    assert not bundles.verdict(plugin, "0.9.10")["loads"]


@pytest.mark.parametrize("manifest", ACCEPTED.values(), ids=ACCEPTED)
def test_a_manifest_is_accepted(manifest: str) -> None:
    plugin = bundles.describe(manifest)
    assert plugin.faults == ()
    assert bundles.verdict(plugin, "0.9.1")["loads"]
    assert bundles.verdict(plugin, "0.9.10")["loads"]


def test_a_fault_has_file_line_field_and_a_message() -> None:
    [fault] = bundles.describe(about("author", '"a\\nb"')).faults
    assert (fault.file, fault.line, fault.field) == ("plugin.toml", 5, "plugin.author")
    assert fault.message == "may not hold control characters"


def test_all_faults_are_said_at_once() -> None:
    manifest = (
        'schema_version = 9\n[plugin]\nname = "A"\nversion = "x"\n[when]\nos = ["dos"]\n[mcp_servers.a]\n[nope]\n'
    )
    expected = ["mcp_servers.a", "nope", "plugin.name", "plugin.version", "schema_version", "when.os.0"]
    assert bundles.fault_fields(bundles.describe(manifest)) == expected


def test_a_manifest_that_cannot_be_parsed_is_one_broken_plugin() -> None:
    plugin = bundles.describe('[plugin]\nname = "a"\nname = "b"\n')
    assert [(fault.file, fault.line) for fault in plugin.faults] == [("plugin.toml", 3)]
    assert not bundles.verdict(plugin, "0.9.1")["loads"]

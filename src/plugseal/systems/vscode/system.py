"""VS Code: the `.vscode` of a working folder, and workspace files, as every editor of its family reads them.

Nothing of it runs before the folder is trusted, where the editor asks that at all.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from plugseal.model.plugin import Plugin
from plugseal.systems.reading.reader import PluginReader
from plugseal.systems.reading.units import folders_with
from plugseal.systems.system import Listing

_FOLDER: Final = ".vscode"
_WORKSPACE: Final = ".code-workspace"
_READ: Final = frozenset({"tasks.json", "settings.json", "launch.json", "extensions.json", "mcp.json"})


class VsCode:
    """Configuration of VS Code."""

    name = "vscode"

    def keeps(self, path: str) -> bool:
        """Keep what the editor reads in `.vscode`, workspace files, and data in folders that speak of hooks."""
        *folders, name = path.split("/")
        if name.endswith(".json") and "hook" in "".join(folders[-1:]):
            return True
        return name.endswith(_WORKSPACE) or (folders[-1:] == [_FOLDER] and name in _READ)

    def discover(self, listing: Listing) -> Iterable[Plugin]:
        """Yield every folder's configuration and every workspace file."""
        for root in folders_with(listing, _FOLDER):
            reader = PluginReader(listing, root)
            if reader.is_directory(_FOLDER) and not _READ.isdisjoint(reader.names(_FOLDER)):
                from plugseal.systems.vscode.settings import describe_folder

                yield describe_folder(reader)
        for path in listing.entries:
            if path.endswith(_WORKSPACE) and listing.is_file(path):
                from plugseal.systems.vscode.settings import describe_workspace

                root, _, name = path.rpartition("/")
                yield describe_workspace(PluginReader(listing, root), name)

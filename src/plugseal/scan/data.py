"""Read data documents that no client is known to run: they are inert if they are what they claim to be."""

from __future__ import annotations


def read_data(data: bytes, language: str) -> None:
    """Parse a document strictly and forget it.

    Args:
        data: all bytes of the file.
        language: `json`, `toml` or `yaml`.

    Raises:
        DataError: it is no valid document of that language.
    """
    if language == "json":
        from plugseal.encode.json import parse_json

        parse_json(data, comments=True)
    elif language == "toml":
        from plugseal.encode.toml import parse_toml

        parse_toml(data)
    else:
        from plugseal.encode.yaml import parse_yaml

        parse_yaml(data)

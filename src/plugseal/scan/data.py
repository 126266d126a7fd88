"""Read data documents that no client is known to run: they are inert if they are what they claim to be."""

from __future__ import annotations


def read_data(data: bytes, language: str) -> bool:
    """Parse a document strictly, forget it, and return whether it is more than one text.

    A single text is a document of YAML, and so is nearly every script of one line.

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

        return not isinstance(parse_yaml(data, merges=True), str)
    return True

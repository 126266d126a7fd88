"""Data to bytes and back, without any disk: strict parsers, canonical JSON, tree manifests."""

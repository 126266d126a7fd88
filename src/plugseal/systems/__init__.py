"""One file per plugin system: recognise, describe. Pure over a listing and kept manifests."""

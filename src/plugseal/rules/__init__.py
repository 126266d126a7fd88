"""Rules as data: one TOML file is rule, page and tests."""

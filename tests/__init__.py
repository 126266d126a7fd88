"""The tests: `from tests.gated import World` finds what several of them share."""

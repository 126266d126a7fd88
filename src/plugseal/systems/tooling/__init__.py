"""Repository tooling: what package managers, builders, test runners, shells and editors run of a working folder."""

"""Codewhale: bundles as two of its versions see them."""

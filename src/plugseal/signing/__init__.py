"""Signing receipts and verifying them: keys, agents, who may sign, and the steps of a verification."""

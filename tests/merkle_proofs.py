"""Judge proofs of inclusion and consistency that others made, by our hashes: RFC 9162, 2.1.3 and 2.1.4."""

from __future__ import annotations

from collections.abc import Sequence

from plugseal.encode.merkle import HASH_BYTES, node_hash


def is_included(index: int, size: int, leaf: bytes, proof: Sequence[bytes], root: bytes) -> bool:
    """Say whether a proof shows that a leaf is in a tree.

    Args:
        index: of the leaf, from 0.
        size: of the tree, in leaves.
        leaf: the leaf's hash.
        proof: the audit path, from the leaf up.
        root: of the tree.
    """
    if not 0 <= index < size or len(leaf) != HASH_BYTES:
        return False
    node, last, digest = index, size - 1, leaf
    for sibling in proof:
        if last == 0:
            return False
        if node & 1 or node == last:
            digest = node_hash(sibling, digest)
            while node and not node & 1:
                node, last = node >> 1, last >> 1
        else:
            digest = node_hash(digest, sibling)
        node, last = node >> 1, last >> 1
    return last == 0 and digest == root


def is_consistent(old_size: int, new_size: int, old_root: bytes, new_root: bytes, proof: Sequence[bytes]) -> bool:
    """Say whether a proof shows that a tree begins with all leaves of an older one.

    Args:
        old_size: in leaves.
        new_size: in leaves.
        old_root: of the older tree.
        new_root: of the newer tree.
        proof: as RFC 6962 section 2.1.2 has it.
    """
    if not 0 < old_size <= new_size:
        # From an empty tree on there is nothing to prove, and so no proof of it.
        return False
    if old_size == new_size:
        return not proof and old_root == new_root
    path = [old_root, *proof] if old_size & (old_size - 1) == 0 else list(proof)
    if not path:
        return False
    node, last = old_size - 1, new_size - 1
    while node & 1:
        node, last = node >> 1, last >> 1
    old = new = path[0]
    for digest in path[1:]:
        if last == 0:
            return False
        if node & 1 or node == last:
            old, new = node_hash(digest, old), node_hash(digest, new)
            while node and not node & 1:
                node, last = node >> 1, last >> 1
        else:
            new = node_hash(new, digest)
        node, last = node >> 1, last >> 1
    return last == 0 and old == old_root and new == new_root

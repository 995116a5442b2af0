"""Measurements that decide claims for which the papers have no figure or table of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType

from nysviz.papers.farahat2011 import measurements as farahat
from nysviz.papers.oglic2017 import measurements as oglic
from nysviz.papers.row import Row
from nysviz.papers.yang2012 import measurements as yang
from nysviz.papers.zhang2008 import measurements as zhang

MEASUREMENTS: Mapping[str, Callable[[Sequence[str], int, int], Iterator[Row]]] = MappingProxyType(
    {
        "zhang-prop1": zhang.entries_between_landmarks,
        "zhang-property8": zhang.changes_of_entries,
        "zhang-prop4": zhang.orthogonality,
        "yang-fig1-seeds": yang.eigenvalues_over_seeds,
        "yang-eigengap": yang.excess_over_gaps,
        "yang-theorem5": yang.operator_rows,
        "farahat-recursion": farahat.recursions,
        "farahat-rank-d": farahat.ranks,
        "farahat-groups": farahat.groups,
        "farahat-seconds": farahat.seconds,
        "oglic-chain": oglic.chains,
        "oglic-fig1": oglic.lift_of_samples,
        "oglic-fig3": oglic.ranks_of_samples,
        "oglic-ranks": oglic.landmarks_of_samples,
        "oglic-rows": oglic.lift_at_sizes,
        "oglic-theorems": oglic.guarantees,
    }
)

"""A sociologist: who sits together in which meeting, in sixty small firms that are run in three ways.

    python examples/hypergraphs.py [folder for the picture]
"""

from __future__ import annotations

import random
import sys
from itertools import pairwise
from pathlib import Path

from picture import save
from sklearn.metrics import adjusted_rand_score

import graphmeans as gm


def firms(rng: random.Random) -> tuple[list[list[set[str]]], list[str]]:
    """Meetings as sets of people: around a boss, along a chain of command, or all together."""
    meetings, kinds = [], []
    for kind in ("boss", "chain", "plenum"):
        for _ in range(20):
            staff = [f"p{i}" for i in range(rng.randint(5, 6))]
            if kind == "boss":
                own = [{"p0", one} for one in staff[1:]]
            elif kind == "chain":
                own = [{one, next_} for one, next_ in pairwise(staff)]
            else:
                own = [set(staff) - {rng.choice(staff)} for _ in range(3)]
            if rng.random() < 0.3:
                own.append(set(rng.sample(staff, 2)))
            meetings.append(own)
            kinds.append(kind)
    return meetings, kinds


def main(folder: str = ".") -> float:
    meetings, kinds = firms(random.Random(0))
    people = [{person: "person" for meeting in firm for person in meeting} for firm in meetings]
    rooms = [dict.fromkeys(range(len(firm)), "meeting") for firm in meetings]

    graphs = gm.structures.hypergraphs(meetings, people, rooms)
    km = gm.GraphKMeans(n_clusters=3, n_init=10, random_state=0).fit(graphs)

    found = adjusted_rand_score(kinds, km.labels_)
    print(f"{len(graphs)} firms, 3 clusters; agreement with the three ways to run one: {found:.2f}")
    sizes = [f"{(km.labels_ == c).sum()} firms" for c in range(3)]
    look = {"palette": {"meeting": "#c33", "person": "#123"}, "labels": False}
    print("drawn:", save(Path(folder) / "hypergraphs.svg", km.centroids(), sizes, columns=3, **look))
    return found


if __name__ == "__main__":
    main(*sys.argv[1:])

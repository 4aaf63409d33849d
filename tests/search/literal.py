"""Literal transcriptions of the published algorithms: recompute everything, remember nothing."""

import itertools
import math


def gs_mple(dependence, lam):
    """Algorithm 1 of the GS-MPLE paper; returns edges, steps (phase, edge, score), ties."""
    nodes = range(dependence.n_variables)
    edges = set()
    steps = []
    ties = 0

    def neighbours(i):
        return {a + b - i for a, b in edges if i in (a, b)}

    while True:
        best, chosen = -math.inf, None
        for i in nodes:
            for j in nodes:
                if i < j and (i, j) not in edges:
                    score = dependence.cmi(i, j, neighbours(i)) + dependence.cmi(
                        j, i, neighbours(j)
                    )
                    ties += score == best
                    if score > best:
                        best, chosen = score, (i, j)
        if chosen is None or best <= lam:
            break
        edges.add(chosen)
        steps.append(("grow", chosen, best))
    while True:
        least, chosen = math.inf, None
        for i, j in sorted(edges):
            score = dependence.cmi(i, j, neighbours(i) - {j}) + dependence.cmi(
                j, i, neighbours(j) - {i}
            )
            ties += score == least
            if score < least:
                least, chosen = score, (i, j)
        if chosen is None or least > lam:
            break
        edges.remove(chosen)
        steps.append(("shrink", chosen, least))
    return edges, steps, ties


def iamb(dependence, node, lam):
    """The Markov blanket of one node by IAMB."""
    blanket = set()
    while True:
        outside = [j for j in range(dependence.n_variables) if j != node and j not in blanket]
        if not outside:
            break
        values = [dependence.cmi(node, j, blanket) for j in outside]
        if max(values) <= lam:
            break
        blanket.add(outside[values.index(max(values))])
    while blanket:
        members = sorted(blanket)
        values = [dependence.cmi(node, j, blanket - {j}) for j in members]
        if min(values) > lam:
            break
        blanket.remove(members[values.index(min(values))])
    return blanket


def gsmn(dependence, node, lam):
    """The Markov blanket of one node by grow-shrink."""
    others = [j for j in range(dependence.n_variables) if j != node]
    order = sorted(others, key=lambda j: -dependence.cmi(node, j))  # stable: ties stay in order
    blanket = set()
    changed = True
    while changed:
        changed = False
        for j in order:
            if j not in blanket and dependence.cmi(node, j, blanket) > lam:
                blanket.add(j)
                changed = True
                break
    changed = True
    while changed:
        changed = False
        for j in reversed(order):
            if j in blanket and dependence.cmi(node, j, blanket - {j}) <= lam:
                blanket.remove(j)
                changed = True
                break
    return blanket


def greedy_entropy(dependence, node, epsilon):
    """Greedy conditional entropy, forward only."""
    blanket = set()
    while True:
        outside = [j for j in range(dependence.n_variables) if j != node and j not in blanket]
        if not outside:
            return blanket
        drops = [dependence.cmi(node, j, blanket) for j in outside]
        if max(drops) <= epsilon / 2:
            return blanket
        blanket.add(outside[drops.index(max(drops))])


def forward_backward(dependence, node, epsilon, share=0.5):
    """Greedy conditional entropy with backward steps (Jalali, Johnson and Ravikumar 2011)."""
    blanket, gains, visited = set(), [], [set()]
    while True:
        outside = [j for j in range(dependence.n_variables) if j != node and j not in blanket]
        if not outside:
            return blanket
        drops = [dependence.cmi(node, j, blanket) for j in outside]
        if max(drops) <= epsilon / 2:
            return blanket
        blanket.add(outside[drops.index(max(drops))])
        gains.append(max(drops))
        while gains:
            members = sorted(blanket)
            losses = [dependence.cmi(node, j, blanket - {j}) for j in members]
            if min(losses) > share * gains[-1]:
                break
            blanket.remove(members[losses.index(min(losses))])
            gains.pop()
        if blanket in visited:  # estimates may go round in circles
            return blanket
        visited.append(set(blanket))


def several(dependence, lam, edges, free, rounding=1e-9):
    """The two edges with a common end, or the three of a triangle, that gain most beyond lambda."""

    def near(i):
        return {a + b - i for a, b in edges if i in (a, b)}

    def by_two(i, j, k):
        """What i gains by j and k, in either order."""
        orders = [
            dependence.cmi(i, first, near(i)) + dependence.cmi(i, then, near(i) | {first})
            for first, then in ((j, k), (k, j))
        ]
        return 0.5 * (orders[0] + orders[1])

    found = []
    for i, j, k in itertools.product(range(dependence.n_variables), repeat=3):
        two = {tuple(sorted((i, j))), tuple(sorted((i, k)))}
        if j < k and two <= set(free):
            back = dependence.cmi(j, i, near(j)) + dependence.cmi(k, i, near(k))
            found.append((2, by_two(i, j, k) + back, (i, j, k), two))
        if i < j < k and two | {(j, k)} <= set(free):
            gain = (by_two(i, j, k) + by_two(j, i, k)) + by_two(k, i, j)
            found.append((3, gain, (i, j, k), two | {(j, k)}))
    worthy = [
        (n * lam - gain, n, -gain, at, new)
        for n, gain, at, new in found
        if gain > n * lam + rounding
    ]
    return sorted(min(worthy)[-1]) if worthy else []


def refined_gs_mple(
    dependence,
    lam,
    refine=None,
    required=(),
    forbidden=(),
    patience=10,
    rounding=1e-9,
):
    """GS-MPLE that goes on after Algorithm 1; returns edges, steps (phase, edge, score), ending.

    The ending is "done", "circle" (a graph came again) or "patience" (too many steps).
    """
    nodes = range(dependence.n_variables)
    pairs = [(i, j) for i in nodes for j in nodes if i < j]
    edges, steps = set(), []
    one_end_decides = False

    def score(edge, graph):
        """The score of an edge in a graph, whether it is there or not."""
        i, j = edge
        rest = graph - {edge}
        near_i = {a + b - i for a, b in rest if i in (a, b)}
        near_j = {a + b - j for a, b in rest if j in (a, b)}
        here, there = dependence.cmi(i, j, near_i), dependence.cmi(j, i, near_j)
        if one_end_decides and (
            here < dependence.independence_bound(i, near_i)
            or there < dependence.independence_bound(j, near_j)
        ):
            return 2 * min(here, there)
        return here + there

    def addable():
        return [edge for edge in pairs if edge not in edges and edge not in forbidden]

    def removable():
        return [edge for edge in sorted(edges) if edge not in required]

    def add(phase, edge, value):
        steps.append((phase, edge, value))
        edges.add(edge)

    def remove(edge, value):
        steps.append(("shrink", edge, value))
        edges.remove(edge)

    def turn():
        while addable():
            value, edge = min((-score(edge, edges), edge) for edge in addable())
            if -value <= lam:
                break
            add("grow", edge, -value)
        while removable():
            value, edge = min((score(edge, edges), edge) for edge in removable())
            if value > lam:
                break
            remove(edge, value)

    for edge in sorted(required):
        add("required", edge, score(edge, edges))
    turn()
    if refine is None:
        return edges, steps, "done"
    n_first, seen, one_end_decides = len(steps), [set(edges)], True
    while True:
        n_before = len(steps)
        turn()
        if refine == "pairs" and len(steps) == n_before:
            one_end_decides = False
            for edge in several(dependence, lam, edges, addable(), rounding):
                add("grow", edge, score(edge, edges))
            one_end_decides = True
            if len(steps) > n_before:
                turn()
        if len(steps) == n_before:
            return edges, steps, "done"
        if edges in seen:
            return edges, steps, "circle"
        if len(steps) - n_first > patience * n_first:
            return edges, steps, "patience"
        seen.append(set(edges))

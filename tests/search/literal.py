"""Literal transcriptions of the published algorithms: recompute everything, remember nothing."""

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

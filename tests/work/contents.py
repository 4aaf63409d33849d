"""What a fit found, to be compared with what another found."""


def content(estimator):
    """Return all that a fit found, to the last bit."""
    evidence = estimator.graph_.evidence
    arrays = [
        array.tobytes() for array in (evidence.information, evidence.entry) if array is not None
    ]
    graphs = [(graph.lam, graph.edges) for graph in (*estimator.path_, estimator.graph_)]
    told = (estimator.trace_, getattr(estimator, "n_evaluations_", None), estimator.choice_)
    return repr((graphs, told, arrays))

"""All answers of an executor."""


def in_order(executor, work, shared, items):
    """Return the answers in the order of the items."""
    found = dict(executor.answers(work, shared, items))
    return [found[number] for number in range(len(found))]

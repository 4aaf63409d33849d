"""One launch of the kernel that counts, for a profiler: N = 10,000, given three variables.

ncu --clock-control none -k regex:count -s 1 -c 1 --metrics ... python benchmarks/gpu_profile.py
"""

from __future__ import annotations

from gpu import correlated, questions_of

from mrflearn import as_table
from mrflearn.dependence import KNN

if __name__ == "__main__":
    bound = KNN(device="cuda").bind(as_table(correlated(10_000, 32)))
    for _ in range(2):
        bound.cmi_batch(questions_of(32, 3, 4))

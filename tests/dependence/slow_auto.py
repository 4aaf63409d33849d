"""The slow, obvious version of `Auto`: one question at a time, from definitions."""

import itertools
from functools import cache

import numpy as np
from scipy.special import digamma
from sklearn.metrics.cluster import contingency_matrix, expected_mutual_information

from mrflearn.dependence import _expected, auto, correlations, naive
from mrflearn.dependence.disagreement import MISFITS
from mrflearn.dependence.gaussian import REDUNDANT, normal_scores


class SlowAuto:
    """Answers as `Auto(n_neighbors, nominal_distance).bind(table)` should."""

    def __init__(self, table, n_neighbors=5, nominal_distance=np.inf):
        self.table, self.k, self.nominal_distance = table, n_neighbors, nominal_distance
        self.counting = table.all_discrete
        self._few, self._rows = cache(self._few), cache(self._rows)
        self._ridge = cache(self._ridge)
        self.discrete = [i for i in range(table.n_variables) if np.isfinite(self._entropy(i))]
        self.inner = None
        if not self.counting and len(self.discrete) > 1:
            self.inner = SlowAuto(table.take(self.discrete))
        probes = [probe for probe in self._probes() if not self._is_counted(*probe)]
        seen = [both for both in (self._both(*probe) for probe in probes) if both[2] > 0]
        difference = np.array([free - few for few, free, _, _ in seen])
        error = np.array([error for _, _, error, _ in seen])
        size = np.array([few for few, _, _, _ in seen])
        heard = (difference > 0) | self.counting
        lessons = disagreement(difference[heard], error[heard], size[heard])
        self.variance, self.misfit = lessons

    def cmi(self, i, j, given=()):
        if self.table.constant[[i, j]].any():
            return 0.0
        given = tuple(z for z in given if not self.table.constant[z])
        if self._is_counted(i, j, given):
            x, y, *z = (self.discrete.index(variable) for variable in (i, j, *given))
            return self.inner.cmi(x, y, tuple(z))
        return (self._by_counts if self.counting else self._by_neighbours)(i, j, given)

    def _is_counted(self, i, j, given):
        """Return whether a question in a table of all kinds is about discrete variables alone."""
        return self.inner is not None and {i, j, *given} <= set(self.discrete)

    def is_determined(self, i, j, given=()):
        """Return whether correlations are so near 1 that rounding tells how near."""
        return not self.table.constant[[i, j]].any() and self._few(i, j, given) > 8

    def _by_neighbours(self, i, j, given):
        few, free, error, room = self._both(i, j, given)
        weight = self._weight(few if free > few else 0.0, error)
        if free < few:
            near = auto.NEAR_ROOM * max(few, 0.0) / room if room > 0 else 1.0
            weight *= 1 - min(near, 1.0) ** 2
        return few + weight * (free - few)

    def _by_counts(self, i, j, given):
        few, free, error, _ = self._both(i, j, given)
        trust = self._weight(few / auto.CAUTION, error) if error > 0 else 0.0
        n_few = len(self._rows(i)) * len(self._rows(j))
        few = few - auto.LOWERED * n_few / (2 * self.table.n_samples)
        free = free - auto.LOWERED * self._degrees(i, j, given) / (2 * self.table.n_samples)
        if error == 0 and not given:
            return free
        return trust * free + (1 - trust) * max(few, free)

    def _weight(self, few, error):
        true = self.variance
        if few > 0:
            true += (self.misfit * few) ** 2
        return true / (true + error**2) if true > 0 else 0.0

    def _probes(self):
        varying = self._worth_learning_from()
        n_values = max(self.table.n_samples * len(varying), 1)
        n_rows = min(len(varying), auto.MAX_ROWS, max(auto.MOST_PROBED // n_values, auto.MIN_ROWS))
        rows = [varying[len(varying) * row // n_rows] for row in range(n_rows)]
        step = 1
        if len(varying) > auto.ALL_TRIPLES:
            step = int(np.ceil(len(varying) / auto.CONDITIONS))
        for position, i in enumerate(rows):
            others = [j for j in varying if j != i]
            yield from ((i, j, ()) for j in others if j not in rows[:position])
            conditions = others[position % step :: step]
            if not self.counting:
                conditions = [max(others, key=lambda j, i=i: self._few(i, j, ()))] if others else []
            yield from ((i, j, (z,)) for z in conditions for j in others if j != z)

    def _both(self, i, j, given):
        """Return the estimate by few parameters, the one free of them, its error and its room."""
        few, n = self._few(i, j, given), self.table.n_samples
        if self.counting:
            value = naive.plug_in(self._values([i]), self._values([j]), self._values(given))
            n_few = len(self._rows(i)) * len(self._rows(j))
            more = max(self._degrees(i, j, given) - n_few, 0.0)
            error = auto.INFLATION_COUNTS * np.sqrt(2 * more) / (2 * n)
            return few, value - self._by_chance(i, j, given), error, np.inf
        distances = (self._distances(variables) for variables in ([i], [j], given))
        k_m, n_z, n_xz, n_yz = naive.cmi_counts(*distances, self.k, open_ball=False)
        parts = (digamma(k_m) + digamma(n_z)) - (digamma(n_xz) + digamma(n_yz))
        coarse = [int(part) for part in np.rint(parts * 2**16)]
        squared = n * sum(part * part for part in coarse) - sum(coarse) ** 2  # exact, as integers
        error = np.sqrt(squared) / n / 2**16 / np.sqrt(n)
        # The chance that the ball ends in x, in y or anywhere, and the sample at its centre is
        # missing among those it holds of the others.
        in_x, in_y, in_z = self._ends([i]), self._ends([j]), self._ends(given)
        missing = in_y * np.mean(1 / n_xz) + in_x * np.mean(1 / n_yz)
        missing -= (in_x + in_y) * np.mean(1 / n_z)
        anywhere = in_x + in_y + in_z
        value = parts.mean() - (missing / anywhere if anywhere > 0 else 0.0)
        room = np.mean(digamma(n_z) - digamma(k_m))
        columns = [c for variable in (i, j, *given) for c in self.table.columns_of(variable)]
        tied = any(column.kind != "continuous" for column in columns)
        inflation = auto.INFLATION_TIES if tied else auto.INFLATION_NEIGHBOURS
        return few, value, inflation * error, room

    def _ends(self, variables):
        columns = [column for i in variables for column in self.table.columns_of(i)]
        n = self.table.n_samples
        ordered = [column for column in columns if column.kind != "nominal"]
        return sum(min(self.k * column.n_distinct**2 / (2 * n), 1.0) for column in ordered)

    def _few(self, i, j, given):
        """Return the Gaussian estimate on normal scores, less its bias."""
        z = [row for variable in given for row in self._rows(variable)]
        x, y = self._rows(i), self._rows(j)
        left = max(self.table.n_samples - len(z) - 1, 1)
        most = min(self._entropy(i), self._entropy(j))
        return min(gaussian(x, y, z, self._ridge()), most) - len(x) * len(y) / (2 * left)

    def _worth_learning_from(self):
        """Return the variables that vary, without those of many labels if three are left."""
        varying = [i for i in range(self.table.n_variables) if not self.table.constant[i]]
        many = set()
        for i in varying:
            for column in self.table.columns_of(i):
                if column.kind == "nominal" and column.n_distinct > 12:
                    many.add(i)
        few = [i for i in varying if i not in many]
        return few if len(few) >= 3 else varying

    def _ridge(self):
        """Return the share of noise in the squared correlations between variables."""
        noise = signal = 0.0
        for i, j in itertools.combinations(self._worth_learning_from(), 2):
            for x in self._rows(i):
                for y in self._rows(j):
                    square = np.corrcoef(x, y)[0, 1] ** 2 if np.ptp(x) and np.ptp(y) else 0.0
                    noise += (1 - square) ** 2 / max(self.table.n_samples - 1, 1)
                    signal += square
        return min(noise / signal, 1.0) if signal > 0 else 1.0

    def _rows(self, i):
        """Return what correlations see of a variable: normal scores, or indicators of labels."""
        rows = []
        for column, values in zip(self.table.columns_of(i), self.table.values_of(i), strict=True):
            if column.kind == "nominal":
                sizes = {level: np.sum(values == level) for level in sorted(set(values))}
                often = len(values) / correlations.MOST_LABELS
                labels = [level for level, size in sizes.items() if size >= often]
                rare = len(labels) < len(sizes)  # these share a label, which comes first
                rows += [np.where(values == label, 1.0, 0.0) for label in labels[not rare :]]
            else:
                rows.append(normal_scores(values))
        return rows

    def _values(self, variables):
        empty = np.empty((0, self.table.n_samples))
        return np.vstack([empty, *(self.table.values_of(i) for i in variables)])

    def _distances(self, variables):
        parts = [np.empty((0, self.table.n_samples))]
        nominal = []
        for i in variables:
            for column, values in zip(
                self.table.columns_of(i), self.table.values_of(i), strict=True
            ):
                nominal.append(column.kind == "nominal")
                parts.append((values if nominal[-1] else normal_scores(values))[None])
        return naive.distances(np.vstack(parts), nominal, self.nominal_distance)

    def _degrees(self, i, j, given):
        k_z, k_xz, k_yz = (
            len(set(map(tuple, self._values(variables).T.tolist())))
            for variables in (given, [i, *given], [j, *given])
        )
        return (k_xz - k_z) * (k_yz - k_z) / k_z

    def _by_chance(self, i, j, given):
        """Return the mean of the plug-in estimate over shuffles within groups."""
        x, y, z = (list(map(tuple, self._values(part).T.tolist())) for part in ([i], [j], given))
        total = 0.0
        for group in set(z):
            members = [n for n in range(self.table.n_samples) if z[n] == group]
            labels = [[part[n] for n in members] for part in (x, y)]
            levels = [sorted(set(part)) for part in labels]
            if len(members) >= _expected.LARGE or len(set(z)) == 1:
                total += (len(levels[0]) - 1) * (len(levels[1]) - 1) / 2
            elif len(levels[0]) > 1 and len(levels[1]) > 1:
                codes = [
                    list(map(own.index, part)) for own, part in zip(levels, labels, strict=True)
                ]
                counts = contingency_matrix(*codes, sparse=True)
                total += len(members) * expected_mutual_information(counts, len(members))
        return total / self.table.n_samples

    def _entropy(self, i):
        if any(column.kind == "continuous" for column in self.table.columns_of(i)):
            return np.inf
        x, nothing = self._values([i]), self._values([])
        return naive.plug_in(x, x, nothing)  # what a variable tells about itself


def share_lessons(teacher, pupil):
    """Give one bound `Auto` what another learned from its table."""
    pupil.learned = teacher.learned
    if getattr(teacher, "counting", None) and getattr(pupil, "counting", None):
        share_lessons(teacher.counting, pupil.counting)
    pupil.parametric.gaussian.ridge = teacher.parametric.gaussian.ridge


def gaussian(x, y, z, ridge):
    """Return I(x; y | z) of a Gaussian with the correlations of some rows.

    Rows that z determines, or earlier ones, say nothing new; rows of y that x determines too say
    as much as `Gaussian` ever says of one.
    """
    if not x or not y:
        return 0.0
    rows = np.vstack([*x, *y, *z])
    varying = np.ptp(rows, axis=1) > 0
    correlation = np.diag(varying.astype(float))
    correlation[np.ix_(varying, varying)] = np.corrcoef(rows[varying])
    x, y, z = np.split(np.arange(len(rows)), [len(x), len(x) + len(y)])
    correlation[z, z] += ridge
    z = _independent(correlation, z)
    left = correlation - correlation[:, z] @ np.linalg.solve(
        correlation[np.ix_(z, z)], correlation[z]
    )
    x, y = _independent(left, x), _independent(left, y)
    new = _independent(left, y, x)
    most = (len(y) - len(new)) * 0.5 * np.log(2**51)
    return most + naive.gaussian(left, np.array(x), np.array(new), np.array([]))


def _independent(covariance, rows, before=()):
    """Return the rows that those before them do not determine."""
    kept = []
    for row in rows:
        known = [*before, *kept]
        cross = covariance[row, known]
        rest = covariance[row, row] - cross @ np.linalg.solve(
            covariance[np.ix_(known, known)], cross
        )
        if rest > REDUNDANT:
            kept.append(row)
    return kept


def disagreement(differences, errors, sizes):
    """Return which variance and share of the sizes make the differences most likely."""
    best, most_likely = (0.0, 0.0), -np.inf
    for variance in [0.0, *(10 ** np.linspace(-6, 0, 61))]:
        for misfit in MISFITS:
            likelihood = 0.0
            for difference, error, size in zip(differences, errors, sizes, strict=True):
                total = max(variance + (misfit * max(size, 0.0)) ** 2 + error**2, 1e-300)
                likelihood -= 0.5 * (np.log(total) + difference**2 / total)
            if likelihood > most_likely:
                best, most_likely = (variance, misfit), likelihood
    return best

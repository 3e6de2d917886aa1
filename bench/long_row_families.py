"""The families of bench/training_set.py whose rows reach from short to the whole width: covers, tables, web graphs …

LONG_ROWS: functions (rng, nnz) -> (rows, columns, the columns of each row), of about nnz nonzeros, as
in bench/written_families.py.
"""

import math

from generated_families import log_uniform


def transposed(rows, cols, columns):
    """The rows of a matrix that is given by the rows of each column."""
    lists = [[] for _ in range(rows)]
    for j, column in enumerate(columns):
        for i in column:
            lists[i].append(j)
    return rows, cols, lists


def set_cover(rng, nnz):
    """Few rows to be covered by many columns, each of which takes several; columns that follow each other share most."""
    mean, kept = rng.choice([3, 7, 12]), rng.choice([0, 0.5, 0.85])
    rows, cols = round(log_uniform(rng, 3 * mean, 700)), max(round(nnz / mean), 20)
    popular = rng.choice([1, 2, 4])
    column, columns = set(), []
    for _ in range(cols):
        column = {i for i in column if rng.random() < kept}
        length = rng.randint(2, 2 * mean - 2)
        for _ in range(max(length - len(column), 0)):
            column.add(int(rows * rng.random() ** popular))
        columns.append(column)
    return transposed(rows, cols, columns)


def table(rng, nnz):
    """Some objects and very many properties, few of which most objects have: genes, words of books, one-hot codes."""
    rows = round(log_uniform(rng, 12, 2500))
    mean = max(nnz / rows, 4)
    cols = round(mean * log_uniform(rng, 2, 60))
    skew, spread = rng.choice([1, 1.5, 3]), rng.choice([0.2, 0.8, 1.4])
    names = list(range(cols))
    if rng.random() < 0.5:
        rng.shuffle(names)
    lists = []
    for _ in range(rows):
        length = min(round(mean * rng.lognormvariate(-spread ** 2 / 2, spread)) + 1, cols // 2)
        lists.append({names[int(cols * rng.random() ** skew)] for _ in range(length)})
    return rows, cols, lists


def full_rows(rng, nnz):
    """A banded, scattered or diagonal matrix, some rows of which hold up to all columns; perhaps columns as well."""
    mean, count = rng.choice([1, 3, 5, 9]), rng.choice([1, 1, 1, 2, 3, 5, 12, 40])
    n = max(round(nnz / (mean + 1)), 400)
    reach = rng.choice([mean, 20, 2000, n])
    lists = [{min(max(i + round(rng.gauss(0, reach)), 0), n - 1) for _ in range(mean)} | {i} for i in range(n)]
    count = min(count, max(round(nnz / n), 1))
    where = rng.choice([range(count), range(n - count, n), rng.sample(range(n), count)])
    both = rng.random() < 0.5
    for row in where:
        length = min(max(round(n * log_uniform(rng, 0.01, 1)), 300), n)
        begin = rng.randint(0, n - length)
        columns = rng.choice([range(begin, begin + length), range(0, n, n // length), rng.sample(range(n), length)])
        lists[row].update(columns)
        if both:
            for i in columns:
                lists[i].add(row)
    return n, n, lists


def hyperlinks(rng, nnz):
    """Pages in the order of their addresses: they copy links of the one before, stay on their site, or lead to hubs."""
    mean, spread = rng.choice([4, 12, 30]), rng.choice([0.5, 1.0, 1.6])
    copied, inside = rng.choice([0.2, 0.5, 0.8]), rng.choice([0.5, 0.8, 0.95])
    n = max(round(nnz / mean), 50)
    hubs, lists, site_end, site_begin = rng.choice([2, 5, 9]), [], 0, 0
    for i in range(n):
        if i == site_end:
            site_begin, site_end = i, min(i + round(log_uniform(rng, 2, 3000)), n)
        length = min(round(rng.lognormvariate(math.log(mean) - spread ** 2 / 2, spread)), n // 2)
        row = {j for j in lists[-1] if rng.random() < copied} if lists and i > site_begin else set()
        for _ in range(max(length - len(row), 0)):
            if rng.random() < inside:
                row.add(rng.randrange(site_begin, site_end))
            else:
                row.add(int(n * rng.random() ** hubs))
        lists.append(row)
    return n, n, lists


def acquaintances(rng, nnz):
    """People in the order in which they came: those of before know many, and groups know each other. Symmetric."""
    mean, skew, group = rng.choice([6, 14, 40]), rng.choice([1.5, 3, 6]), round(log_uniform(rng, 8, 5000))
    n, near = max(round(nnz / mean), 50), rng.choice([0, 0.3, 0.7])
    lists = [set() for _ in range(n)]
    for _ in range(n * mean // 2):
        i = rng.randrange(n)
        j = min(i // group * group + rng.randrange(group), n - 1) if rng.random() < near else int(n * rng.random() ** skew)
        if i != j:
            lists[i].add(j)
            lists[j].add(i)
    return n, n, lists


LONG_ROWS = [set_cover, table, full_rows, hyperlinks, acquaintances]

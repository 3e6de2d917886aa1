"""The families that bench/training_set.py writes itself: unstructured meshes, networks, linear programs …

WRITTEN: functions (rng, nnz) -> (rows, columns, the columns of each row), of about nnz nonzeros. They take
seconds for a million.
"""

import math


def symmetric(n, pairs):
    rows = [{i} for i in range(n)]
    for i, j in pairs:
        rows[i].add(j)
        rows[j].add(i)
    return n, n, rows


def mesh_edges(nx, ny):
    return [(y * nx + x, y * nx + x + s) for y in range(ny) for x in range(nx)
            for s in ([1] if x + 1 < nx else []) + ([nx] if y + 1 < ny else [])]


def permuted_mesh(rng, nnz):
    """A plane mesh whose nodes are numbered at random, or at random within windows."""
    nx = max(int(math.sqrt(nnz / 5)), 4)
    n, window = nx * nx, rng.choice([16, 256, 4096, 1 << 30])
    order = list(range(n))
    for begin in range(0, n, window):
        part = order[begin:begin + window]
        rng.shuffle(part)
        order[begin:begin + window] = part
    return symmetric(n, [(order[a], order[b]) for a, b in mesh_edges(nx, nx)])


def geometric(rng, nnz):
    """Points in a square, joined when near, numbered along stripes: unstructured meshes."""
    degree = rng.choice([4, 8, 14, 25])
    n = max(int(nnz / (degree + 1)), 20)
    radius = math.sqrt(degree / (math.pi * n))
    cells = max(int(1 / radius), 1)
    points = sorted(((rng.random(), rng.random()) for _ in range(n)), key=lambda p: (int(p[0] * cells), p[1]))
    grid = {}
    for i, (x, y) in enumerate(points):
        grid.setdefault((int(x * cells), int(y * cells)), []).append(i)
    pairs = []
    for (cx, cy), members in grid.items():
        near = [j for dx in (-1, 0, 1) for dy in (-1, 0, 1) for j in grid.get((cx + dx, cy + dy), [])]
        for i in members:
            x, y = points[i]
            pairs += [(i, j) for j in near if j < i and (points[j][0] - x) ** 2 + (points[j][1] - y) ** 2 < radius ** 2]
    return symmetric(n, pairs)


def runs(rng, nnz):
    """Rows of runs of neighbouring columns, as in tables of attributes and integer programs."""
    length, count = rng.choice([2, 4, 8, 20]), rng.choice([1, 3, 8])
    n = max(int(nnz / (length * count)), 4)
    cols = max(int(n * rng.choice([0.3, 1, 4])), 2 * length)
    rows = []
    for _ in range(n):
        row = set()
        for _ in range(rng.randint(1, 2 * count - 1)):
            begin = rng.randrange(cols)
            row.update(range(begin, min(begin + rng.randint(max(length // 2, 1), length * 3 // 2), cols)))
        rows.append(row)
    return n, cols, rows


def scattered_blocks(rng, nnz):
    """Blocks of b unknowns coupled at random, aligned; some entries inside are missing."""
    b, fill, degree = rng.choice([2, 3, 4, 5, 6, 8]), rng.choice([1, 1, 0.8, 0.6]), rng.choice([3, 6, 12])
    nodes = max(int(nnz / (b * b * degree * fill)), degree + 1)
    rows = [set() for _ in range(nodes * b)]
    for node in range(nodes):
        far = rng.random() < 0.3
        near = [node] + [rng.randrange(nodes) if far else min(max(node + rng.randint(-40, 40), 0), nodes - 1)
                         for _ in range(degree - 1)]
        for other in near:
            for i in range(b):
                rows[node * b + i].update(other * b + j for j in range(b) if i == j or rng.random() < fill)
    return nodes * b, nodes * b, rows


def linear_program(rng, nnz):
    """Short, wide or tall, with slack columns, a few dense rows and log-normal row lengths."""
    mean, spread = rng.choice([3, 8, 25]), rng.choice([0.3, 0.8, 1.5])
    n = max(int(nnz / mean / math.exp(spread ** 2 / 2)), 10)
    cols = max(int(n * rng.choice([0.4, 1.5, 6, 30])), 2 * mean)
    rows = []
    for i in range(n):
        length = min(int(rng.lognormvariate(math.log(mean), spread)) + 1, cols)
        centre = int(i / n * cols)
        local = rng.random() < 0.6
        row = {min(max(centre + int(rng.gauss(0, 30)), 0), cols - 1) if local else rng.randrange(cols)
               for _ in range(length)}
        rows.append(row | {(cols - n + i) % cols})
    return n, cols, rows


def saddle_point(rng, nnz):
    """[H Aᵀ; A 0] with a mesh or a diagonal as H."""
    nx = max(int(math.sqrt(nnz / 9)), 4)
    n, m = nx * nx, max(nx * nx // rng.choice([2, 3, 6]), 1)
    pairs = mesh_edges(nx, nx) if rng.random() < 0.6 else []
    for i in range(m):
        first = rng.randrange(n)
        pairs += [(n + i, (first + k * rng.choice([1, nx])) % n) for k in range(rng.randint(2, 5))]
    return symmetric(n + m, pairs)


def circuit(rng, nnz):
    """A few neighbours each, mostly near, and supply lines that nearly everything hangs on."""
    n = max(int(nnz / 5), 20)
    lines = [rng.randrange(n) for _ in range(rng.choice([0, 2, 10]))]
    pairs = [(i, min(max(i + int(rng.gauss(0, 20)), 0), n - 1)) for i in range(n) for _ in range(rng.randint(0, 2))]
    pairs += [(i, rng.randrange(n)) for i in range(0, n, 3)]
    pairs += [(i, line) for line in lines for i in range(n) if rng.random() < 0.3 / len(lines)]
    return symmetric(n, pairs)


def road(rng, nnz):
    """Long chains that meet: two or three neighbours, numbered piece by piece."""
    n = max(int(nnz / 3.4), 20)
    pairs = [(i, i + 1) for i in range(n - 1) if rng.random() < 0.9]
    pairs += [(i, rng.randrange(n)) for i in range(n) if rng.random() < 0.25]
    return symmetric(n, pairs)


def mixed_rows(rng, nnz):
    """Two kinds of rows, alternating, in long stretches or at random."""
    short, long_rows, share = rng.choice([1, 3, 6]), rng.choice([40, 150, 600]), rng.choice([0.002, 0.03, 0.2])
    n = max(int(nnz / (short * (1 - share) + long_rows * share)), 10)
    cols, how = max(n, 2 * long_rows), rng.choice(["random", "front"])
    rows = []
    for i in range(n):
        big = i < share * n if how == "front" else rng.random() < share
        length = long_rows if big else short
        centre = min(i, cols - 1)
        rows.append({rng.randrange(cols) if big else min(max(centre + rng.randint(-60, 60), 0), cols - 1)
                     for _ in range(length)})
    return n, cols, rows


def loose_diagonals(rng, nnz):
    """Diagonals at random distances, each occupied in part, and entries beside them."""
    count, fill, noise = rng.choice([3, 7, 15, 40]), rng.choice([1, 0.9, 0.65, 0.35]), rng.choice([0, 0, 0.05, 0.3])
    n = max(int(nnz / (count * fill)), 50)
    offsets = {0} | {rng.randint(-n // 2, n // 2) for _ in range(count - 1)}
    rows = []
    for i in range(n):
        row = {i + d for d in offsets if 0 <= i + d < n and rng.random() < fill}
        row |= {rng.randrange(n) for _ in range(count) if rng.random() < noise}
        rows.append(row)
    return n, n, rows


def patches(rng, nnz):
    """Grids of different widths one after another, some points of each left out, each joined with the next:
    diagonals that hold for a while, as in flows around bodies and in optimal control."""
    count, points, unknowns = rng.choice([2, 4, 12, 40]), rng.choice([3, 5, 9]), rng.choice([1, 1, 1, 2])
    each = max(int(nnz / (points * unknowns * unknowns * count)), 12)
    missing = rng.choice([0, 0, 0.02, 0.1])
    edges, begin, middles = [], 0, []
    for _ in range(count):
        nx = max(int(math.sqrt(each) * rng.choice([0.2, 0.5, 1, 2])), 3)
        ny = max(each // nx, 2)
        kept, number = {}, begin
        for place in range(nx * ny):
            if rng.random() >= missing:
                kept[place] = number
                number += 1
        steps = [(1, 0)] if points == 3 else [(1, 0), (0, 1)] + ([(1, 1), (-1, 1)] if points == 9 else [])
        for place, own in kept.items():
            for dx, dy in steps:
                x, y = place % nx + dx, place // nx + dy
                other = kept.get(y * nx + x) if 0 <= x < nx and y < ny else None
                if other is not None:
                    edges.append((own, other))
        middles.append((begin, number))
        begin = number
    for (a, b), (c, d) in zip(middles, middles[1:]):
        for k in range(min(b - a, d - c) // rng.choice([1, 4, 30])):
            edges.append((a + k, c + k))
    n, _, rows = symmetric(begin, edges)
    if unknowns == 1:
        return n, n, rows
    return n * unknowns, n * unknowns, [{j * unknowns + v for j in row for v in range(unknowns)}
                                        for row in rows for _ in range(unknowns)]


def preferential(rng, nnz):
    """A network that grew: new nodes join popular ones. Not sorted by degree."""
    degree = rng.choice([1, 3, 8])
    n = max(int(nnz / (2 * degree + 1)), 10)
    ends, pairs = [0], []
    for i in range(1, n):
        for _ in range(degree):
            j = ends[rng.randrange(len(ends))] if rng.random() < 0.8 else rng.randrange(i)
            pairs.append((i, j))
            ends += [i, j]
    return symmetric(n, pairs)


def skyline(rng, nnz):
    """A factor's profile: each row is dense from where it begins to the diagonal."""
    height = rng.choice([6, 20, 80])
    n, wander = max(int(nnz / height), 10), rng.choice([0.05, 0.5])
    length, rows = height, []
    for i in range(n):
        length = min(max(length + rng.gauss(0, wander * height), 1), 3 * height)
        rows.append(set(range(max(i - int(length), 0), i + 1)))
    return n, n, rows


def block_tridiagonal(rng, nnz):
    """Layers of b unknowns, each coupled with those before and behind it, densely or by a diagonal."""
    b, dense = rng.choice([4, 10, 30, 70]), rng.random() < 0.5
    layers = max(int(nnz / (3 * b * b if dense else b * b + 2 * b)), 2)
    rows = []
    for i in range(layers * b):
        here = i // b * b
        row = set(range(here, here + b))
        for step in (-b, b):
            if 0 <= here + step < layers * b:
                row.update(range(here + step, here + step + b) if dense else [i + step])
        rows.append(row)
    return layers * b, layers * b, rows


def small_world(rng, nnz):
    """A ring whose nodes know their neighbours; some of the ties lead anywhere instead."""
    near, far = rng.choice([2, 5, 12]), rng.choice([0.01, 0.1, 0.5])
    n = max(int(nnz / (2 * near + 1)), 4 * near)
    pairs = [(i, rng.randrange(n) if rng.random() < far else (i + k) % n) for i in range(n) for k in range(1, near + 1)]
    return symmetric(n, pairs)


def popular_columns(rng, nnz):
    """Documents and their words, users and what they bought: few columns hold most of the entries."""
    mean, spread = rng.choice([4, 20, 90]), rng.choice([0.4, 1.0])
    n = max(int(nnz / mean / math.exp(spread ** 2 / 2)), 10)
    cols, skew = max(int(n * rng.choice([0.2, 1, 5])), 3 * mean), rng.choice([1.5, 3, 6])
    names = list(range(cols))
    if rng.random() < 0.6:
        rng.shuffle(names)
    rows = []
    for _ in range(n):
        length = min(int(rng.lognormvariate(math.log(mean), spread)) + 1, cols)
        rows.append({names[int(cols * rng.random() ** skew)] for _ in range(length)})
    return n, cols, rows


def staircase(rng, nnz):
    """A linear program of stages: sparse blocks along the diagonal, rows and columns that link them."""
    height, width, mean = rng.choice([8, 40, 150]), rng.choice([12, 60, 300]), rng.choice([2, 5])
    stages = max(int(nnz / (height * (mean + 1))), 2)
    links, cols = rng.choice([0, 2, 10]), stages * width
    rows = [set(rng.sample(range(cols), max(cols // 20, 1))) for _ in range(links)]
    for i in range(stages * height):
        begin = i // height * width
        row = {begin + rng.randrange(width) for _ in range(rng.randint(1, 2 * mean - 1))}
        if rng.random() < 0.3:
            row.add(min(begin + width + rng.randrange(width), cols - 1))
        rows.append(row)
    return len(rows), cols, rows


def lattice(rng, nnz):
    """States of a Markov chain: steps along some of d directions, numbered one direction after the other."""
    d, kept = rng.choice([2, 3, 4, 5]), rng.choice([1, 0.9, 0.5])
    side = max(round((nnz / (2 * d * kept + 1)) ** (1 / d)), 3)
    n, rows = side ** d, []
    for i in range(n):
        row, stride = {i}, 1
        for _ in range(d):
            at = i // stride % side
            if at > 0 and rng.random() < kept:
                row.add(i - stride)
            if at + 1 < side and rng.random() < kept:
                row.add(i + stride)
            stride *= side
        rows.append(row)
    return n, n, rows


def mixed_unknowns(rng, nnz):
    """A mesh whose nodes have one to six unknowns each: dense blocks of different shapes, seldom aligned."""
    kinds, degree = rng.choice([[1, 3], [2, 6], [1, 2, 3, 4, 5, 6], [3, 4]]), rng.choice([4, 8, 20])
    mean = sum(kinds) / len(kinds)
    nodes = max(int(nnz / (mean * mean * (degree + 1))), degree + 2)
    reach = max(int(math.sqrt(nodes)), 2)
    first, unknowns = [], 0
    for _ in range(nodes):
        first.append(unknowns)
        unknowns += rng.choice(kinds)
    first.append(unknowns)
    steps = sorted({rng.choice([1, 2, reach - 1, reach, reach + 1]) + rng.randint(0, 1) for _ in range(degree // 2)})
    near = [{i} for i in range(nodes)]
    for i in range(nodes):
        for j in (i + s for s in steps if i + s < nodes):
            near[i].add(j)
            near[j].add(i)
    rows = []
    for i in range(nodes):
        row = {k for j in near[i] for k in range(first[j], first[j + 1])}
        rows += [row] * (first[i + 1] - first[i])
    return unknowns, unknowns, rows


def hierarchy(rng, nnz):
    """Dense blocks of very different sizes on the diagonal and a few entries that couple them."""
    small, large = rng.choice([(2, 20), (5, 60), (1, 200)])
    begin, rows, left = 0, [], nnz
    while left > 0:
        size = round(math.exp(rng.uniform(math.log(small), math.log(large))))
        rows += [set(range(begin, begin + size)) for _ in range(size)]
        begin, left = begin + size, left - size * size - size
    for row in rows:
        if rng.random() < 0.5:
            row.add(rng.randrange(begin))
    return begin, begin, rows


WRITTEN = [patches, permuted_mesh, geometric, runs, scattered_blocks, linear_program, saddle_point, circuit, road,
           mixed_rows, loose_diagonals, preferential, skyline, block_tridiagonal, small_world, popular_columns,
           staircase, lattice, mixed_unknowns, hierarchy]

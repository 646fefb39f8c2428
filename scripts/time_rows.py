"""The published rows that the time model is held against, and the scores: for scripts/fit-time-model and
scripts/check-time-model."""
import csv
import os
import statistics

PASSES = ("forward_ms", "backward_data_ms", "backward_weights_ms")
CONV_SHAPE = ("width", "height", "in_channels", "batch", "out_channels", "filter_w", "filter_h", "pad_w", "pad_h", "stride_w",
              "stride_h")
CONV_KEY = tuple(c for c in CONV_SHAPE if c != "batch")
BATCHES = (16, 32, 64, 128)
ENOUGH = 0.95

# Names of the rows that several cards bear, to the one that is meant.
CARDS = {"Tesla V100": "Tesla V100 SXM2 16GB"}


def sources(top):
    """What the model alone is built from, relative to src."""
    size = sorted(f for f in os.listdir(os.path.join(top, "src/size")) if f.startswith("time") and f.endswith(".c"))
    return ["size/" + f for f in size] + ["core/" + f for f in ("err.c", "str.c", "table.c", "utf8.c")] + [
        "data/data.c", "data/tables.S"]


def read_table(path):
    with open(path, encoding="utf-8") as f:
        lines = [line for line in f if not line.startswith("#")]
    return list(csv.DictReader(lines, delimiter="\t"))


def read(folder):
    gemms = [r for r in read_table(os.path.join(folder, "deepbench_gemm.tsv")) if r["time_ms"]]
    return gemms, read_table(os.path.join(folder, "deepbench_conv.tsv"))


def group(row):
    return row["card"], row["precision"]


def groups(rows):
    return list(dict.fromkeys(group(r) for r in rows))


def calibrating(gemms, wanted, last=False):
    """The product with the largest M*N*K of a card and precision; of equal ones the first, or the last."""
    rows = [r for r in gemms if group(r) == wanted]
    return max(reversed(rows) if last else rows, key=lambda r: int(r["m"]) * int(r["n"]) * int(r["k"]))


def card_name(name):
    return CARDS.get(name, name)


def card_row(top, name):
    for row in read_table(os.path.join(top, "src/data/cards.tsv")):
        if row["name"] == card_name(name):
            return row
    raise SystemExit(f"no card '{name}' in cards.tsv")


def card_figures(top, name, known={}):
    """As struct time_card has them; for the fit only, the program reads the table itself."""
    if name not in known:
        row = card_row(top, name)
        cc = int(row["cc"].replace(".", ""))
        tensor = {70: 8.0}.get(cc, 0.0)  # no other card of the rows has tensor cores
        known[name] = (cc, int(row["sms"]), int(row["cores"]), float(row["boost_mhz"]), float(row["bandwidth_gbps"]),
                       float(row["launch_us"]), float(row["fp16_ratio"]), tensor)
    return known[name]


# ---- what the definition of an operation says ----

def element_bytes(precision):
    return {"fp32": 4, "tf32": 4, "int8": 1}.get(precision, 2)


def work(row, index=None):
    """(flop, bytes that must move at least) of a product, or of a pass of a convolution."""
    e = element_bytes(row["precision"])
    if index is None:
        m, n, k = (int(row[c]) for c in "mnk")
        return 2 * m * n * k, e * (m * k + k * n + m * n)
    w, h, c, n, k, s, r, pw, ph, sw, sh = (int(row[x]) for x in CONV_SHAPE)
    p, q = (h + 2 * ph - r) // sh + 1, (w + 2 * pw - s) // sw + 1
    return 2 * n * k * c * p * q * r * s, e * (n * c * h * w + k * c * r * s + n * k * p * q)


def roofline(row, index, peak, bandwidth):
    """ms; peak in flop/ms and bandwidth in byte/ms."""
    flop, least = work(row, index)
    return max(flop / peak, least / bandwidth)


# ---- one published time with the predictions for it ----

class Point:
    def __init__(self, group_, key, batch, ms, model, roof):
        self.group, self.key, self.batch, self.ms, self.model, self.roof = group_, key, batch, ms, model, roof


def error(predicted, truth):
    return abs(predicted / truth - 1)


def median_error(points, what):
    return statistics.median(error(getattr(p, what), p.ms) for p in points)


def quantile(values, share):
    """Linear between the ranks."""
    values = sorted(values)
    at = share * (len(values) - 1)
    low = int(at)
    return values[low] + (at - low) * (values[min(low + 1, len(values) - 1)] - values[low])


def growth_errors(points, what):
    """Of t(2N) / t(N), for N = 16, 32, 64."""
    place = {(p.group, p.key, p.batch): p for p in points}
    errors = []
    for p in points:
        twice = place.get((p.group, p.key, 2 * p.batch))
        if p.batch in BATCHES[:-1] and twice:
            errors.append(error(getattr(twice, what) / getattr(p, what), twice.ms / p.ms))
    return errors


def by_shape(points, batches=None):
    """Groups of points that differ in the batch alone and have at least two of them."""
    found = {}
    for p in points:
        if batches is None or p.batch in batches:
            found.setdefault((p.group, p.key), []).append(p)
    return [sorted(g, key=lambda p: p.batch) for g in found.values() if len(g) > 1]


def knee(points, what):
    """The smallest batch whose throughput is 95 % of the best one or more."""
    rates = [(p.batch, p.batch / getattr(p, what)) for p in points]
    best = max(r for _, r in rates)
    return next(b for b, r in rates if r >= ENOUGH * best)


def choice_scores(groups_, choose):
    """(groups in which the choice reaches 95 % of the best published throughput, in which it is the true knee, all);
    `choose` gives a batch, or None where it is none of the group's."""
    good = exact = 0
    for points in groups_:
        batch = choose(points)
        rates = {p.batch: p.batch / p.ms for p in points}
        good += batch in rates and rates[batch] >= ENOUGH * max(rates.values())
        exact += batch == knee(points, "ms")
    return good, exact, len(groups_)

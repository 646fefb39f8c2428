"""How many blocks of a kernel a multiprocessor holds at once.

The limits are the columns of src/data/archs.tsv; the granularities of allocation are those of the
occupancy calculator in CUDA 11.8's cuda_occupancy.h, against which tests/scripts/test_sass holds this."""
import csv
import os

WARP = 32
REGISTER_UNIT = 256  # registers are given out to warps in this unit
SYSTEM_SHARED = 1024  # bytes of each block that the system takes, from 8.0 on


class Limits:
    def __init__(self, row):
        number = {k: int(row[k]) for k in ("warps_sm", "blocks_sm", "regs_sm")}
        self.cc = int(float(row["cc"]) * 10 + 0.5)
        self.warps, self.blocks, self.registers = number["warps_sm"], number["blocks_sm"], number["regs_sm"]
        self.registers_block = int(row["regs_block"])
        self.shared = int(row["shared_sm_kib"]) * 1024
        self.parts = 2 if self.cc == 60 else 4  # that share registers among them
        self.shared_unit = 128 if self.cc >= 80 else 256
        self.shared_system = SYSTEM_SHARED if self.cc >= 80 else 0


def read_limits(root):
    """{cc: Limits} of all capabilities from 3.5 on, 35 for 3.5."""
    with open(os.path.join(root, "src/data/archs.tsv"), encoding="utf-8") as f:
        rows = csv.DictReader((line for line in f if not line.startswith("#")), delimiter="\t")
        found = [Limits(row) for row in rows if float(row["cc"]) >= 3.5 and row["regs_sm"].isdigit()]
    return {l.cc: l for l in found}


def up(value, unit):
    return (value + unit - 1) // unit * unit


def blocks(limits, threads, registers, shared):
    """Blocks of `threads`, with `registers` each and `shared` bytes a block, at once; 0: it does not fit."""
    warps = (threads + WARP - 1) // WARP
    least = min(limits.blocks, limits.warps // warps)
    if registers:
        a_warp = up(registers * WARP, REGISTER_UNIT)
        # launches are checked as if all parts gave registers at once; 6.0 by the parts of its siblings
        if a_warp * up(warps, 4) > limits.registers_block:
            return 0
        # a warp lives in one part of the multiprocessor, which has its own registers
        least = min(least, limits.registers // limits.parts // a_warp * limits.parts // warps)
    if shared or limits.shared_system:
        least = min(least, limits.shared // up(shared + limits.shared_system, limits.shared_unit))
    return least

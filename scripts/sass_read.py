"""Reads disassembled cubins: the instructions of each kernel, its loops, and what it takes."""
import re
import struct
import subprocess

INSTRUCTION = re.compile(
    r"\s*/\*(?P<at>[0-9a-f]{4,})\*/\s+(?P<open>\{)?\s*(?:@(?P<guard>!?U?P(?:T|\d+))\s+)?"
    r"(?P<op>[A-Z][A-Z0-9_]*(?:\.[A-Za-z0-9_.]+)?)(?P<rest>[^}]*?)(?P<close>\})?\s*$")
TARGET = re.compile(r"`\(([\w.$]+)\)|\b0x([0-9a-f]+)\s*;?\s*$")


class Instruction:
    """One instruction: `op` with its modifiers, `slot` False for the second of a pair that issues at once."""

    def __init__(self, at, guard, op, target, slot):
        self.at, self.guard, self.op, self.target, self.slot = at, guard, op, target, slot

    def base(self):
        return self.op.split(".")[0]


class Kernel:
    def __init__(self, name):
        self.name = name
        self.instructions = []
        self.registers = self.shared = self.stack = self.local = 0
        self.threads = 0  # .maxntid or .reqntid; 0: not said


def parse_text(text):
    """nvdisasm -c or cuobjdump -sass: {name: [Instruction]}. A pair is `{ first ;` and `second }`."""
    kernels, name, labels, pending = {}, None, {}, []
    paired = False
    for line in text.splitlines():
        section = re.match(r"\s*\.section\s+\.text\.([^,]+),|\s*Function : (\S+)", line)
        if section:
            name = section.group(1) or section.group(2)
            labels, pending = {}, []
            kernels[name] = []
            paired = False
            continue
        if name is None:
            continue
        label = re.match(r"([A-Za-z_.$][\w.$]*):\s*$", line)
        if label:
            pending.append(label.group(1))
            continue
        line = re.sub(r"/\* 0x[0-9a-f]{16} \*/\s*$", "", line)
        m = INSTRUCTION.match(line)
        if not m:
            continue
        at = int(m.group("at"), 16)
        for p in pending:
            labels[p] = at
        pending = []
        target = None
        if m.group("op").split(".")[0] in ("BRA", "SSY", "BSSY", "PBK", "PCNT", "JMP"):
            t = TARGET.search(m.group("rest"))
            if t:
                target = t.group(1) or int(t.group(2), 16)
        kernels[name].append(Instruction(at, m.group("guard"), m.group("op"), target, not paired))
        paired = bool(m.group("open")) or (paired and not m.group("close"))
        kernels[name][-1].labels = labels
    for instructions in kernels.values():
        places = {i.at for i in instructions}
        for i in instructions:
            if isinstance(i.target, str):
                i.target = i.labels.get(i.target)
            elif i.target is not None and i.target not in places and i.target + 8 in places:
                i.target += 8  # to the control word that stands before some instructions up to 6.2
            del i.labels
    return kernels


def successors(code):
    """Which instructions follow which, by index. A SYNC or BRK goes on where the nearest SSY or PBK ahead
    of it points to; calls come back."""
    index = {c.at: i for i, c in enumerate(code)}
    meeting = sorted({index[c.target] for c in code
                      if c.base() in ("SSY", "BSSY", "PBK", "PCNT") and c.target in index})
    result = []
    for i, c in enumerate(code):
        after = []
        always = c.guard in (None, "PT", "UPT")
        op = c.base()
        if op in ("BRA", "JMP") and c.target in index:
            after.append(index[c.target])
            # BRA.DIV and BRA.CONV look at more than the guard
            if always and not c.op.startswith(("BRA.DIV", "BRA.CONV")):
                result.append(after)
                continue
        elif op in ("EXIT", "RET", "BRX", "JMX", "KIL") and always:
            result.append(after)
            continue
        elif op in ("SYNC", "BSYNC", "BRK", "CONT") or c.op.endswith(".S"):
            ahead = [m for m in meeting if m > i]
            if ahead:
                after.append(ahead[0])
            if op in ("SYNC", "BRK", "CONT") and always and ahead:
                result.append(after)
                continue
        if i + 1 < len(code):
            after.append(i + 1)
        result.append(after)
    return result


def loops(code):
    """Natural loops as sets of indices: what can reach a backward branch without passing its target."""
    follow = successors(code)
    before = [[] for _ in code]
    for i, after in enumerate(follow):
        for j in after:
            before[j].append(i)
    found = {}
    for end, after in enumerate(follow):
        for head in after:
            if head > end:
                continue
            body, work = {head, end}, [end] if end != head else []
            while work:
                for j in before[work.pop()]:
                    if j not in body and j >= head:
                        body.add(j)
                        work.append(j)
            found.setdefault(head, set()).update(body)
    return list(found.values())


def hottest(code, is_wanted):
    """The innermost loop with most wanted instructions, in order; loops without any do not count as inner
    ones. All of the code when no loop has one; empty when it has none either."""
    wanted = {i for i, c in enumerate(code) if is_wanted(c)}
    counted = [(len(l & wanted), l) for l in loops(code)]
    counted = [(n, l) for n, l in counted if n]
    inner = [(n, -len(l), l) for n, l in counted
             if not any(other < l for _, other in counted)]
    if not inner:
        return code if wanted else []
    best = max(inner, key=lambda x: x[:2])[2]
    return [code[i] for i in sorted(best)]


def sections(data):
    """(name, link info, bytes) of the sections of a 64-bit ELF file."""
    at, = struct.unpack_from("<Q", data, 40)
    size, count, names = struct.unpack_from("<HHH", data, 58)
    heads = [struct.unpack_from("<IIQQQQIIQQ", data, at + i * size) for i in range(count)]
    strings = heads[names][4]
    for h in heads:
        end = data.index(b"\0", strings + h[0])
        yield data[strings + h[0]:end].decode(), h[7], data[h[4]:h[4] + h[5]] if h[1] != 8 else b""


def threads_of(info):
    """The block's threads in a .nv.info section (attributes 5, .maxntid, and 16, .reqntid); 0: none."""
    at = 0
    while at + 4 <= len(info):
        form, attribute, value = struct.unpack_from("<BBH", info, at)
        at += 4
        if form != 4:
            continue
        if attribute in (5, 16) and value == 12:
            x, y, z = struct.unpack_from("<III", info, at)
            return x * y * z
        at += value
    return 0


def read_cubin(path, target):
    """The kernels of a cubin, by the nvdisasm and cuobjdump first on PATH. For Kepler the one takes eight times
    as long as the other, for later targets a quarter."""
    def run(*command):
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout
    kernels = {}
    text = run("cuobjdump", "-sass", path) if target < 50 else run("nvdisasm", "-c", path)
    for name, code in parse_text(text).items():
        kernels[name] = Kernel(name)
        kernels[name].instructions = code
    usage = run("cuobjdump", "-res-usage", path)
    for name, text in re.findall(r"Function (\S+):\s*\n\s*(.*)", usage):
        k = kernels.get(name)
        if not k:
            continue
        values = dict(re.findall(r"(REG|STACK|SHARED|LOCAL):(\d+)", text))
        k.registers, k.shared = int(values["REG"]), int(values["SHARED"])
        k.stack, k.local = int(values["STACK"]), int(values["LOCAL"])
    with open(path, "rb") as f:
        for name, _, data in sections(f.read()):
            if name.startswith(".nv.info.") and name[9:] in kernels:
                kernels[name[9:]].threads = threads_of(data)
    return kernels

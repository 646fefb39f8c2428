"""Small files for scripts/case: ELF and PE with GPU code, fat binaries, cubins, PTX, the loader's list.

Every file holds exactly the images it is asked for and no working code. An image is written as in
tests/data/load-matrix.tsv, with more attributes: see tests/doctor/README.md.
"""
import re
import struct

MACHINES = {"x86_64": 62, "aarch64": 183}

# PTX ISA that each toolkit writes (NVIDIA's release notes; cuda_toolkit rows of src/data).
ISA = {"6.5": "4.1", "7.0": "4.2", "7.5": "4.3", "8.0": "5.0", "9.0": "6.0", "9.1": "6.1", "9.2": "6.2",
       "10.0": "6.3", "10.1": "6.4", "10.2": "6.5", "11.0": "7.0", "11.1": "7.1", "11.2": "7.2",
       "11.3": "7.3", "11.4": "7.4", "11.5": "7.5", "11.6": "7.6", "11.7": "7.7", "11.8": "7.8",
       "12.0": "8.0", "12.1": "8.1", "12.2": "8.2", "12.3": "8.3", "12.4": "8.4", "12.5": "8.5",
       "12.6": "8.5", "12.8": "8.7", "12.9": "8.8", "13.0": "9.0", "13.1": "9.1", "13.2": "9.2"}

IMAGE = re.compile(r"(sm|compute)_(\d+)([af]?)((?:@[a-z]+[\d.]*)*)$")
ATTRIBUTE = re.compile(r"(tk|isa)(\d+\.\d+)$|(zstd|lz4|text|rdc)$")


def pad(data, to=8):
    return data + bytes(-len(data) % to)


def parse_image(text, toolkit):
    """{'kind', 'arch', 'suffix', 'tk', 'isa', 'packed', 'text', 'rdc'} of "sm_86@tk11.1@zstd"."""
    match = IMAGE.match(text)
    if not match:
        raise ValueError(f"image '{text}' is not sm_ or compute_ with a number")
    image = {"kind": match[1], "arch": int(match[2]), "suffix": match[3], "tk": toolkit, "isa": None,
             "packed": None, "text": False, "rdc": False}
    for word in filter(None, match[4].split("@")):
        attribute = ATTRIBUTE.match(word)
        if not attribute:
            raise ValueError(f"attribute '@{word}' of '{text}' is not known")
        if attribute[1]:
            image[attribute[1]] = attribute[2]
        elif word in ("text", "rdc"):
            image[word] = True
        else:
            image["packed"] = word
    if image["tk"] not in ISA:
        raise ValueError(f"toolkit '{image['tk']}' of '{text}' is not known")
    image["isa"] = image["isa"] or ISA[image["tk"]]
    return image


def number(version):
    major, minor = version.split(".")
    return int(major) * 10 + int(minor)


# ---- PTX and cubins -------------------------------------------------------------------------------

def ptx(image, kernels):
    """PTX text, with the NUL that ends it in a container."""
    entries = "".join(f".visible .entry {k}()\n{{\n    ret;\n}}\n" for k in kernels)
    target = f"sm_{image['arch']}{image['suffix']}"
    note = f"//\n// Cuda compilation tools, release {image['tk']}\n//\n"
    return f"{note}.version {image['isa']}\n.target {target}\n.address_size 64\n{entries}\0".encode()


def note(owner, kind, body):
    name = owner.encode() + b"\0"
    return struct.pack("<III", len(name), len(body), kind) + pad(name, 4) + pad(body, 4)


def new_abi(image):
    """12.8 and 12.9 write ABI 8 for sm_100 and later, 13.0 for all."""
    tk = number(image["tk"])
    return tk >= 130 or tk >= 128 and image["arch"] >= 100


def cubin_head(image):
    """(OSABI, ABI version, e_version, e_flags)."""
    arch, tk = image["arch"], number(image["tk"])
    if new_abi(image):
        suffix = 0x8 if image["suffix"] == "a" and tk < 130 else 0
        return 0x41, 8, 1, 0x06000002 | suffix | arch << 8 | (0x04 if arch < 100 else 0)
    suffix = 0x800 if image["suffix"] == "a" else 0
    return 0x33, 7, tk, arch << 16 | 0x500 | suffix | arch


def cubin_notes(image):
    if not new_abi(image):
        return b""
    tk, arch = number(image["tk"]), image["arch"]
    line = f"Cuda compilation tools, release {image['tk']}\0-arch sm_{arch}{image['suffix']} \0"
    text = note("NVIDIA Corp", 2000, struct.pack("<I", 2) + line.encode())
    info = struct.pack("<HHHH", 2, arch, tk, 0) if tk >= 129 else struct.pack("<HH", 1, arch)
    return text + note("NVIDIA Corp", 1000, info)


def sections_of(sections, header_size, at=0):
    """Lays out (name, type, flags, data, link, info, entsize, align): (bytes behind the header, table,
    offset of the table from the file's start, index of the names)."""
    names, offsets = b"\0", []
    for name, *_ in sections:
        offsets.append(len(names))
        names += name.encode() + b"\0"
    sections = sections + [(".shstrtab", 3, 0, names + b".shstrtab\0", 0, 0, 0, 1)]
    offsets.append(len(names))
    body, table = b"", bytes(64)
    for (name, kind, flags, data, link, info, entsize, align), offset in zip(sections, offsets):
        body = body + bytes(-(header_size + len(body)) % max(align, 1))
        where = header_size + len(body)
        table += struct.pack("<IIQQQQIIQQ", offset, kind, flags, at + where if flags & 2 else 0, where,
                             len(data), link, info, align, entsize)
        body += data
    body = pad(body)
    return body, table, header_size + len(body), len(sections)


def cubin(image, kernels):
    """A cubin with empty kernels of these names."""
    strings, symbols, sections = b"\0", bytes(24), []
    for i, name in enumerate(kernels):
        symbols += struct.pack("<IBBHQQ", len(strings), 0x12, 0x10, 4 + i, 0, 16)
        strings += name.encode() + b"\0"
    sections.append((".strtab", 3, 0, strings, 0, 0, 0, 1))
    sections.append((".symtab", 2, 0, symbols, 1, 1, 24, 8))
    sections.append((".note.nv.info", 7, 0, cubin_notes(image), 0, 0, 0, 4))
    for i, name in enumerate(kernels):
        sections.append((".text." + name, 1, 6, bytes(16), 2, 1 + i, 0, 16))
    osabi, abi, version, flags = cubin_head(image)
    body, table, where, names = sections_of(sections, 64)
    ident = b"\x7fELF\2\1\1" + bytes([osabi, abi]) + bytes(7)
    head = struct.pack("<HHIQQQIHHHHHH", 1 if image["rdc"] else 2, 190, version, 0, 0, where, flags, 64,
                       56, 0, 64, names + 1, names)
    return ident + head + body + table


# ---- containers -----------------------------------------------------------------------------------

def lz4(data):
    """A raw LZ4 block: one run of literals."""
    out, rest = bytes([min(len(data), 15) << 4]), len(data) - 15
    while rest >= 0:
        out += bytes([min(rest, 255)])
        rest -= 255
    return out + data


def zstd(data):
    """A zstd frame of stored blocks, with the content size in its header."""
    out = struct.pack("<IBI", 0xFD2FB528, 0xA0, len(data))
    for start in range(0, len(data), 1 << 17):
        block = data[start:start + (1 << 17)]
        last = start + (1 << 17) >= len(data)
        out += struct.pack("<I", len(block) << 3 | last)[:3] + block
    return out


def entry(image, kernels, host):
    """One entry of a container. PTX has an empty pair of options behind the fixed part, as nvcc writes it."""
    elf = image["kind"] == "sm"
    payload = cubin(image, kernels) if elf else ptx(image, kernels)
    flags = host | {None: 0, "lz4": 0x2000, "zstd": 0x8000}[image["packed"]]
    flags |= {"": 0, "a": 0x100000, "f": 0x200000}[image["suffix"]]
    packed = unpacked = 0
    if image["packed"]:
        unpacked = len(payload)
        payload = (lz4 if image["packed"] == "lz4" else zstd)(payload)
        packed = len(payload)
    stored, tail = pad(payload), b"" if elf else struct.pack("<IIQ", 72, 0, 0)
    major, minor = (1, 8 if new_abi(image) else 7) if elf else map(int, image["isa"].split("."))
    return struct.pack("<HHIQIIHHIIIQQQ", 2 if elf else 1, 0x0101, 64 + len(tail), len(stored), packed,
                       64 if tail else 0, minor, major, image["arch"], 0, 0, flags, 0, unpacked) + tail + stored


def container(images, kernels, host=0x11):
    entries = b"".join(entry(i, kernels, host) for i in images)
    return struct.pack("<IHHQ", 0xBA55ED50, 1, 16, len(entries)) + entries


def wrappers(offsets, base):
    """Wrapper structures that point to the containers at these offsets from `base`."""
    return b"".join(struct.pack("<IIQQ", 0x466243B1, 1, base + o, 0) for o in offsets)


def join(containers):
    """(bytes, offset of each container)."""
    data, offsets = b"", []
    for one in containers:
        offsets.append(len(data))
        data += pad(one)
    return data, offsets


# ---- host files -----------------------------------------------------------------------------------

def dynamic(soname, needed, runpath, exports, undefined):
    """(.dynstr, .dynsym, function that makes .dynamic from their addresses)."""
    strings, tags = b"\0", []

    def add(text):
        nonlocal strings
        strings += text.encode() + b"\0"
        return len(strings) - len(text) - 1

    for name in needed:
        tags.append((1, add(name)))
    if soname:
        tags.append((14, add(soname)))
    if runpath:
        tags.append((29, add(":".join(runpath))))
    symbols = bytes(24)
    for name in exports:
        symbols += struct.pack("<IBBHQQ", add(name), 0x12, 0, 1, 0, 0)
    for name in undefined:
        symbols += struct.pack("<IBBHQQ", add(name), 0x12, 0, 0, 0, 0)

    def make(strtab, symtab, hash_at):
        rows = tags + [(4, hash_at), (5, strtab), (6, symtab), (10, len(strings)), (11, 24), (0, 0)]
        return b"".join(struct.pack("<QQ", *row) for row in rows)
    return strings, symbols, make


def symbol_hash(count):
    """A SysV hash table of one bucket: readers count symbols by it."""
    chain = list(range(2, count)) + [0] if count > 1 else []
    words = [1, count, 1 if count > 1 else 0, 0] + chain
    return struct.pack(f"<{len(words)}I", *words)


def elf_object(containers, soname=None, needed=(), runpath=(), exports=(), undefined=(), text=b"",
               machine="x86_64"):
    """A shared object whose one segment is the file: addresses are offsets."""
    fat, offsets = join(containers)
    strings, symbols, make = dynamic(soname, needed, runpath, exports, undefined)
    hashes = symbol_hash(len(symbols) // 24)
    heads = 64 + 2 * 56
    size = len(make(0, 0, 0))

    def sections(strtab, symtab, hash_at, fat_at):
        rows = [(".dynstr", 3, 2, strings, 0, 0, 0, 1), (".dynsym", 11, 2, symbols, 1, 1, 24, 8),
                (".hash", 5, 2, hashes, 2, 0, 4, 8),
                (".dynamic", 6, 3, make(strtab, symtab, hash_at), 1, 0, 16, 8)]
        if text:
            rows.append((".rodata", 1, 2, text, 0, 0, 0, 8))
        if fat:
            rows.append((".nv_fatbin", 1, 2, fat, 0, 0, 0, 8))
            rows.append((".nvFatBinSegment", 1, 3, wrappers(offsets, fat_at), 0, 0, 0, 8))
        return rows

    at, found = heads, {}
    for name, _, _, data, _, _, _, align in sections(0, 0, 0, 0):
        at += -at % align
        found[name] = at
        at += len(data)
    rows = sections(found[".dynstr"], found[".dynsym"], found[".hash"], found.get(".nv_fatbin", 0))
    body, table, where, names = sections_of(rows, heads)
    total = where + len(table)
    head = b"\x7fELF\2\1\1" + bytes(9) + struct.pack(
        "<HHIQQQIHHHHHH", 3, MACHINES[machine], 1, 0, 64, where, 0, 64, 56, 2, 64, names + 1, names)
    load = struct.pack("<IIQQQQQQ", 1, 6, 0, 0, 0, total, total, 0x1000)
    dyn = struct.pack("<IIQQQQQQ", 2, 6, *[found[".dynamic"]] * 3, size, size, 8)
    return head + load + dyn + body + table


def pe_image(containers, text=b"", dll=True):
    """A PE32+ file with the sections .rdata, .nv_fatb and .nvFatBi."""
    fat, offsets = join(containers)
    base, align, file_align = 0x180000000, 0x1000, 0x200
    parts = [(b".rdata", text or b"\0", 0x40000040)]
    if fat:
        parts.append((b".nv_fatb", fat, 0x40000040))
        parts.append((b".nvFatBi", b"", 0xC0000040))
    table, body, address = b"", b"", align
    start = 0x400
    for name, data, flags in parts:
        if name == b".nvFatBi":
            data = wrappers(offsets, base + fat_at)
        elif name == b".nv_fatb":
            fat_at = address
        stored = data + bytes(-len(data) % file_align)
        table += struct.pack("<8sIIIIIIHHI", name, len(data), address, len(stored), start + len(body), 0, 0,
                             0, 0, flags)
        body += stored
        address += len(data) + -len(data) % align
    optional = struct.pack("<HBBIIIIIQIIHHHHHHIIIIHHQQQQII", 0x20B, 14, 0, 0, len(body), 0, 0, align, base,
                           align, file_align, 6, 0, 0, 0, 6, 0, 0, address, start, 0, 2, 0x160, 0x100000,
                           0x1000, 0x100000, 0x1000, 0, 16) + bytes(16 * 8)
    coff = struct.pack("<HHIIIHH", 0x8664, len(parts), 0, 0, 0, len(optional),
                       0x2022 if dll else 0x0022)
    dos = b"MZ" + bytes(58) + struct.pack("<I", 64)
    head = dos + b"PE\0\0" + coff + optional + table
    return head + bytes(start - len(head)) + body


def loader_cache(libraries):
    """etc/ld.so.cache in glibc's new format."""
    rows = sorted(libraries.items(), reverse=True)
    head = 48 + 24 * len(rows)
    strings, entries = b"", b""
    for name, path in rows:
        entries += struct.pack("<iIIIQ", 0x303, head + len(strings), head + len(strings) + len(name) + 1, 0, 0)
        strings += name.encode() + b"\0" + path.encode() + b"\0"
    return b"glibc-ld.so.cache1.1" + struct.pack("<II", len(rows), len(strings)) + bytes(20) + entries + strings

"""Builders for scripts/specimens: formats that no tool at hand writes."""
import struct

MAGIC = 0xBA55ED50
PTX, ELF, TEXT, NVVM = 1, 2, 4, 8


def pad(data, to=8):
    return data + bytes(-len(data) % to)


def header(entries, size=None):
    return struct.pack("<IHHQ", MAGIC, 1, 16, len(entries) if size is None else size) + entries


def entry(kind, arch, payload, flags, major=0, minor=0, version=0x0101, packed=0, unpacked=0,
          tail=b"", odd=0):
    """One entry; `tail` is the identifier. Version 0x0100 has neither padding nor a field for the
    unpacked size."""
    fixed = 56 if version == 0x0100 else 64
    name = tail if version == 0x0100 else pad(tail)
    stored = payload if version == 0x0100 else pad(payload)
    head = struct.pack("<HHIQIIHHIIIQQ", kind, version, fixed + len(name), len(stored), packed, 0,
                       minor, major, arch, fixed if tail else 0, len(tail), flags, odd)
    if version != 0x0100:
        head += struct.pack("<Q", unpacked)
    return head + name + stored


def lz4_literals(data):
    """A raw LZ4 block of one run of literals."""
    token, rest = min(len(data), 15) << 4, len(data) - 15
    out = bytes([token])
    while rest >= 0:
        out += bytes([min(rest, 255)])
        rest -= 255
    return out + data


def ptx(isa, arch):
    return (f".version {isa}\n.target sm_{arch}\n.address_size 64\n"
            ".visible .entry empty()\n{\n    ret;\n}\n\0").encode()


def fatbins(cubin):
    """(file, bytes, containers, images, problem) for each file that is written by hand."""
    elf = cubin_word = "sm_35/none/abi7/tk11.8"
    whole = ["fatbin/unknown"]
    host = 0x11  # 64 bit, Linux

    old = header(entry(ELF, 35, cubin, host | 4, 1, 7, 0x0100, tail=b"odd.cu\0") +
                 entry(PTX, 20, ptx("2.3", 20), host | 4, 2, 3, 0x0100, tail=b"odd.cu\0"))
    yield ("entry-0100.fatbin", old, whole,
           ["sm_35/none/abi7/tk11.8/id=odd.cu", "compute_20/none/isa2.3/id=odd.cu"], "-")

    text = header(entry(TEXT, 13, b"architecture {sm_13}\nabiversion {1}\n\0", host | 4, 1, 4,
                        0x0100) + entry(ELF, 35, cubin, host, 1, 7))
    yield ("cubin-text.fatbin", text, whole, ["cubin-text:sm_13/none", elf], "-")

    strange = header(entry(0x10, 99, b"??", host) + entry(0x40, 130, b"", host | 0x4000000) +
                     entry(ELF, 35, cubin, host, 1, 7))
    yield ("unknown-kinds.fatbin", strange, whole,
           ["arch_99/none/raw16", "arch_130/none/raw64/flags=0x4000000", elf], "-")

    packed = lz4_literals(ptx("6.4", 50))
    mixed = header(
        entry(PTX, 50, packed, host | 0x2000, 6, 4, packed=len(packed), unpacked=len(ptx("6.4", 50)),
              tail=b"a rather long name of a source file, as build systems give them/" * 2 + b"k.cu") +
        entry(NVVM, 80, bytes(range(64)), host | 0x12000, 1, 65, packed=61, unpacked=400, odd=77))
    name = ("a rather long name of a source file, as build systems give them/" * 2)[:127]
    yield ("lz4-and-obfuscated.fatbin", mixed, whole,
           [f"compute_50/lz4/isa6.4/id={name.replace(' ', '_')}", "lto_80/lz4/obf"], "-")

    unnamed = header(entry(ELF, 35, cubin, host | 0x1000, 1, 7, packed=len(cubin), unpacked=9999) +
                     entry(ELF, 35, cubin, host, 1, 7))
    yield ("unknown-compression.fatbin", unnamed, whole,
           ["sm_35/unknown/abi7/flags=0x1000", cubin_word],
           "compression of flags 0x1011 is not known")

    lies = header(entry(ELF, 37, cubin, host, 1, 7) + entry(PTX, 35, ptx("3.1", 35), host, 3, 1))
    yield ("header-lies.fatbin", lies, whole,
           ["sm_37/none/abi7/tk11.8", "compute_35/none/isa3.1"],
           "header states sm_37, but the image is for sm_35")

    empty = header(b"") + header(entry(ELF, 35, cubin, host, 1, 7)) + bytes(568) + header(b"")
    yield ("empty-containers.fatbin", empty, whole * 3, [elf], "-")

    false = (struct.pack("<IHHQ", MAGIC, 2, 16, 64) + bytes(64) +
             struct.pack("<IHHQ", MAGIC, 1, 24, 64) + bytes(64) + struct.pack("<I", MAGIC) * 9)
    yield ("false-magic.bin", bytes(100) + false, [], [], "-")

    yield ("cuda3.fatbin", struct.pack("<IIQ", 0x1EE55A01, 4, 0) + bytes(80), [], [],
           "fat binary of CUDA 3 or before (magic 0x1ee55a01) is not decoded")

    # At an odd offset, as in an archive that is not opened, and behind something that begins alike.
    yield ("odd-offset.bin", b"xyz" + struct.pack("<I", MAGIC) + b"!" +
           header(entry(ELF, 35, cubin, host, 1, 7)) + b"end", whole, [elf], "-")


# ---- Mach-O ----------------------------------------------------------------------------------------


def macho(parts, cpu=0x01000007):
    """A dynamic library of one segment, __NV_CUDA, whose section __nv_fatbin holds the containers."""
    body = b"".join(pad(p) for p in parts)
    start = 32 + 72 + 80
    section = struct.pack("<16s16sQQIIIIIIII", b"__nv_fatbin", b"__NV_CUDA", start, len(body), start,
                          3, 0, 0, 0, 0, 0, 0)
    segment = struct.pack("<II16sQQQQiiII", 0x19, 72 + 80, b"__NV_CUDA", 0, start + len(body), 0,
                          start + len(body), 3, 1, 1, 0)
    head = struct.pack("<IiiIIIII", 0xFEEDFACF, cpu, 3, 6, 1, 72 + 80, 0, 0)
    return head + segment + section + body


def macho_universal(*slices):
    """Several of them in one file, whose own header is big-endian."""
    files = [macho(s, cpu) for s, cpu in zip(slices, (0x01000007, 0x0100000C))]
    head, at = struct.pack(">II", 0xCAFEBABE, len(files)), 4096
    body = b""
    for cpu, data in zip((0x01000007, 0x0100000C), files):
        head += struct.pack(">IIIII", cpu, 3, at, len(data), 12)
        body += pad(data, 4096)
        at += len(pad(data, 4096))
    return head.ljust(4096, b"\0") + body

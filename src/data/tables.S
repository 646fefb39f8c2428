/* The TSV files as bytes in .rodata: data_<name>_start ... data_<name>_end.
 * A list of its own beside data.h's, since the assembler sees no C; the linker reports any that differ. */
    .section .rodata
    .macro table name
    .global data_\name\()_start, data_\name\()_end
data_\name\()_start:
    .incbin "src/data/\name\().tsv"
data_\name\()_end:
    .byte 0
    .endm

    table archs
    table beliefs
    table builds
    table cards
    table causes
    table codes
    table drivers
    table errors
    table floors
    table install
    table nets
    table offers
    table overheads
    table pci
    table releases
    table repro
    table roles
    table text
    table toolkits

    .section .note.GNU-stack, "", @progbits

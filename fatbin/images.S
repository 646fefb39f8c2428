/* Embeds the containers and the tables that images.h declares. images.inc is written by the Makefile:
 * one line "image <family>, <container>, <file>" a container, and the texts of images.h. */

    .macro image family, container, file
    .section .nv_fatbin, "a", @progbits
    .balign 16
.Ldata_\family\()_\container\():
    .incbin "\file"
.Lend_\family\()_\container\():
    .byte 0
    .section .rodata.str, "aMS", @progbits, 1
.Lfamily_\family\()_\container\():
    .asciz "\family"
.Lcontainer_\family\()_\container\():
    .asciz "\container"
    .section .data.rel.ro, "aw", @progbits
    .quad .Lfamily_\family\()_\container
    .quad .Lcontainer_\family\()_\container
    .quad .Ldata_\family\()_\container
    .quad .Lend_\family\()_\container - .Ldata_\family\()_\container
    .endm

    .macro text name, file
    .section .rodata
    .global \name
\name\():
    .incbin "\file"
.Lend_\name\():
    .byte 0
    .endm

    .section .data.rel.ro, "aw", @progbits
    .balign 8
    .global embedded_images, embedded_image_count, embedded_manifest_size
embedded_images:
    .include "images.inc"
    .section .data.rel.ro, "aw", @progbits
.Lembedded_images_end:
    .section .rodata
    .balign 8
embedded_image_count:
    .quad (.Lembedded_images_end - embedded_images) / 32
embedded_manifest_size:
    .quad .Lend_embedded_manifest - embedded_manifest

    .section .note.GNU-stack, "", @progbits

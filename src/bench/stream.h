/* The file that results are written to as they come, so that nothing is lost to a kill or a crash:
 * one JSON object a line. The first line says what is run and on what, each further one is a row
 * (bench/row.h). A line counts when its newline is there; it is on the disk before the next is
 * begun. */
#ifndef BENCH_STREAM_H
#define BENCH_STREAM_H

#include <jansson.h>

#include "bench/row.h"

#define STREAM_VERSION 1 /* of rows, here and in documents */

struct stream {
    int fd; /* -1: none; rows are not kept */
    const char *path;
};

/* A new file; one that has something in it is not overwritten (ERR_USAGE). What is no file but a
 * pipe or a device is written to as it is. */
int stream_create(struct stream *stream, const char *path, const json_t *header, struct err *err);

/* An earlier file, to go on with: its header (a new reference) and its rows. A last line without
 * its newline is cut off; was that the first one, the header is NULL and stream_begin writes
 * another. ERR_FORMAT: it is no such file, of another version, or broken elsewhere. ERR_USAGE: another run has it. */
int stream_resume(struct stream *stream, const char *path, json_t **header, struct row_list *rows,
                  struct err *err);

/* The first line of a file that was killed before it had one. */
int stream_begin(const struct stream *stream, const json_t *header, struct err *err);

/* The same without writing: for comparison. A file without a header is none (ERR_FORMAT). */
int stream_read(const char *path, json_t **header, struct row_list *rows, struct err *err);

/* Of a file's first line or a document. ERR_FORMAT: its "version" is another than STREAM_VERSION. */
int stream_check_version(const json_t *json, struct err *err);

/* Writes the row and waits until it is on the disk. */
int stream_add(const struct stream *stream, const struct row *row, struct err *err);
void stream_close(struct stream *stream);

#endif

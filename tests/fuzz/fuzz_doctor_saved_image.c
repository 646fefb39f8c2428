/* Any bytes as an image of "docker save": refused with a reason, or laid out in a folder that is gone
 * afterwards. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/str.h"
#include "doctor/saved_image.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct saved_image image;
    struct stat st;
    struct err err;
    char path[64], folder[OS_FOLDER_SIZE];
    int fd = memfd_create("image", 0);
    if (fd < 0 || write(fd, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    err_clear(&err);
    if (saved_image_open(path, 0, &image, &err) && (err.code == ERR_NONE || !err.msg[0]))
        abort();
    str_copy(folder, sizeof folder, image.folder);
    saved_image_close(&image);
    if (*folder && stat(folder, &st) == 0)
        abort();
    close(fd);
    return 0;
}

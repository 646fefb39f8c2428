/* The network that `smfit size` is asked about: built in, a layer file or an ONNX model. */
#include <stdlib.h>
#include <string.h>

#include "cli/size_view.h"
#include "core/os.h"
#include "size/net_text.h"
#include "size/nets.h"
#include "size/onnx.h"

static bool is_path(const char *name)
{
    return strchr(name, '/') || strchr(name, '.');
}

static int read_path(struct net *net, const char *path, struct net_image image, struct err *err)
{
    struct str text = STR_INIT;
    if (os_read_file(path, ONNX_SIZE_MAX, &text, err))
        return -1;
    int bad = onnx_likely(text.p, text.len) ? onnx_read(net, text.p, text.len, image, err)
                                            : net_text_read(net, text.p, text.len, image, err);
    str_free(&text);
    if (bad)
        return err_wrap(err, "'%s'", path);
    if (!net->name[0]) {
        const char *base = strrchr(path, '/');
        str_copy(net->name, sizeof net->name, base ? base + 1 : path);
    }
    return 0;
}

static struct net_image image_of(const struct net *net)
{
    const struct dims *d = &net->layers[0].out;
    if (d->count != 3 || d->size[1] >= 1 << 20 || d->size[2] >= 1 << 20)
        return (struct net_image){ 0 };
    return (struct net_image){ (int)d->size[1], (int)d->size[2] };
}

int size_net_open(struct size_net *n, const struct size_request *request, struct err *err)
{
    const char *name = request->options->net;
    *n = (struct size_net){ .built_in = !is_path(name) };
    if (n->built_in ? nets_find(&n->net, name, request->image, err)
                    : read_path(&n->net, name, request->image, err))
        return -1;
    n->image = image_of(&n->net);
    for (int training = 0; training < 2; training++)
        if (kept_init(&n->kept[training], &n->net, training, err)) {
            size_net_close(n);
            return -1;
        }
    return 0;
}

void size_net_close(struct size_net *n)
{
    kept_free(&n->kept[0]);
    kept_free(&n->kept[1]);
    net_free(&n->net);
}

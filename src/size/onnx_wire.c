#include "size/onnx_wire.h"

struct wire {
    struct bytes bytes;
    unsigned depth;
    uint64_t memory;
    struct err *err;
};

static uint64_t varint(struct bytes *b)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
        uint8_t byte = bytes_u8(b);
        if (shift < 64)
            value |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return value;
    }
    b->failed = true;
    return 0;
}

static int message(struct wire *w, const ProtobufCMessageDescriptor *type, size_t end);

static int length_delimited(struct wire *w, const ProtobufCFieldDescriptor *field)
{
    uint64_t size = varint(&w->bytes);
    size_t at = w->bytes.pos;
    if (w->bytes.failed || size > bytes_left(&w->bytes))
        return err_format(w->err, at, "no ONNX model: a field is cut off");
    w->memory += field && field->label == PROTOBUF_C_LABEL_REPEATED ? 16 : 0;
    if (field && field->type == PROTOBUF_C_TYPE_MESSAGE)
        return message(w, field->descriptor, at + (size_t)size);
    bytes_skip(&w->bytes, size);
    return 0;
}

static int one_field(struct wire *w, const ProtobufCMessageDescriptor *type)
{
    size_t at = w->bytes.pos;
    uint64_t tag = varint(&w->bytes);
    if (w->bytes.failed || tag >> 3 == 0 || tag >> 3 > 0x1fffffff)
        return err_format(w->err, at, "no ONNX model");
    switch (tag & 7) {
    case 0:
        varint(&w->bytes);
        break;
    case 1:
        bytes_skip(&w->bytes, 8);
        break;
    case 2:
        return length_delimited(
            w, protobuf_c_message_descriptor_get_field(type, (unsigned)(tag >> 3)));
    case 5:
        bytes_skip(&w->bytes, 4);
        break;
    default:
        return err_format(w->err, at, "no ONNX model");
    }
    return w->bytes.failed ? err_format(w->err, at, "no ONNX model: a field is cut off") : 0;
}

static int message(struct wire *w, const ProtobufCMessageDescriptor *type, size_t end)
{
    if (++w->depth > WIRE_DEPTH_MAX)
        return err_set(w->err, ERR_LIMIT, "messages are nested deeper than %u", WIRE_DEPTH_MAX);
    w->memory += type->sizeof_message;
    if (w->memory > WIRE_MEMORY_MAX)
        return err_set(w->err, ERR_LIMIT, "would take more than 1 GiB to read");
    while (w->bytes.pos < end)
        if (one_field(w, type))
            return -1;
    if (w->bytes.pos != end)
        return err_format(w->err, end, "no ONNX model: a field is longer than its message");
    w->depth--;
    return 0;
}

int wire_check(const ProtobufCMessageDescriptor *type, const void *data, size_t size,
               struct err *err)
{
    struct wire w = { .bytes = bytes_of(data, size), .err = err };
    return message(&w, type, size);
}

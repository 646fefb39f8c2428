/* A look at protobuf bytes before they are unpacked: how deep messages are nested and how much memory they will
 * take, since the unpacking itself has no bound for either. */
#ifndef SIZE_ONNX_WIRE_H
#define SIZE_ONNX_WIRE_H

#include <protobuf-c/protobuf-c.h>

#include "core/bytes.h"
#include "core/err.h"

#define WIRE_DEPTH_MAX  48u
#define WIRE_MEMORY_MAX (UINT64_C(1) << 30) /* of messages, without the bytes of their fields */

int wire_check(const ProtobufCMessageDescriptor *type, const void *data, size_t size,
               struct err *err);

#endif

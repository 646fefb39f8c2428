#!/usr/bin/env python3
"""ONNX files that are wrong in one way each, and two that are odd but right, for tests/unit/test_size_onnx.c.

    python3 broken.py DIR       (needs onnx)
"""
import os
import sys

from onnx import TensorProto, helper


def tensor(name, *dims):
    t = TensorProto(name=name, data_type=TensorProto.FLOAT, dims=dims)
    t.data_location = TensorProto.EXTERNAL
    t.external_data.add(key="location", value="none")
    return t


def image(name="x", dims=(1, 3, 8, 8)):
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, dims)


def model(nodes, weights=(), inputs=None):
    graph = helper.make_graph(nodes, "test", inputs or [image()], [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)], weights)
    return helper.make_model(graph).SerializeToString()


def node(op, inputs, outputs, **attributes):
    return helper.make_node(op, inputs, outputs, name=op.lower() + "_" + outputs[0], **attributes)


def conv(**attributes):
    return node("Conv", ["x", "w"], ["y"], **attributes)


def nested(depth):
    graph = helper.make_graph([node("Relu", ["x"], ["y"])], "inner", [image()], [])
    for _ in range(depth):
        graph = helper.make_graph([node("If", ["x"], ["y"], then_branch=graph)], "outer", [image()], [])
    return helper.make_model(graph).SerializeToString()


W = tensor("w", 4, 3, 3, 3)
FILES = {
    "cycle": model([node("Add", ["x", "b"], ["a"]), node("Relu", ["a"], ["b"]), node("Relu", ["b"], ["y"])]),
    "waits": model([node("Relu", ["nowhere"], ["y"])]),
    "twice": model([node("Relu", ["x"], ["y"]), node("Tanh", ["x"], ["y"])]),
    "backwards": model([node("Relu", ["a"], ["y"]), node("Conv", ["x", "w"], ["a"])], [W]),
    "mismatch": model([conv()], [tensor("w", 4, 5, 3, 3)]),
    "too-small": model([conv()], [tensor("w", 4, 3, 9, 9)]),
    "absurd-stride": model([conv(strides=[-1, 0])], [W]),
    "absurd-groups": model([conv(group=0)], [W]),
    "absurd-weights": model([conv()], [tensor("w", 2**40, 2**40, 3, 3)]),
    "absurd-image": model([conv()], [W], [image(dims=(1, 3, 2**40, 8))]),
    "no-graph": helper.make_model(helper.make_graph([], "", [], [])).SerializeToString()[:2],
    "no-nodes": model([]),
    "open-size": model([conv()], [W], [image(dims=(1, 3, "h", "w"))]),
    "nested": nested(20),
    "reshape": model([node("Reshape", ["x", "s"], ["y"])], [helper.make_tensor("s", TensorProto.INT64, [2], [7, -1])]),
    "unknown": model([node("Conv", ["x", "w"], ["a"]), node("FancyThing", ["a"], ["b"]), node("Relu", ["b"], ["y"])], [W]),
    "batch-of-four": model([node("Conv", ["x", "w"], ["a"]), node("Flatten", ["a"], ["b"]), node("Gemm", ["b", "f"], ["y"])],
                           [W, tensor("f", 144, 10)], [image(dims=(4, 3, 8, 8))]),
}

for name, data in FILES.items():
    with open(os.path.join(sys.argv[1], name + ".onnx"), "wb") as f:
        f.write(data)

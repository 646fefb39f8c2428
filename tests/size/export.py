#!/usr/bin/env python3
"""ONNX models for the tests, and what an independent counter says of them.

    python3 export.py DIR >onnx.tsv      (needs torch, torchvision, onnx)
    python3 export.py DIR MODEL.onnx...  the same for models from elsewhere

Exports torchvision's networks (training form, so that batch normalisation stays), strips the weights' bytes, which
nobody needs to count, and writes DIR/NAME.onnx. One row a model: parameters and multiply-adds, counted with onnx's
own shape inference, not with smfit's. Parameters: elements of initializers of a floating-point or 8-bit type with at
least one dimension, but for running mean and variance. Multiply-adds: convolutions and matrix products, for one image.
"""
import io
import math
import os
import sys

import onnx
from onnx import TensorProto, helper, numpy_helper, shape_inference

WEIGHTS = {TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.BFLOAT16, TensorProto.DOUBLE, TensorProto.INT8, TensorProto.UINT8}


def dims_of(model):
    shapes = {t.name: list(t.dims) for t in model.graph.initializer}
    for v in list(model.graph.input) + list(model.graph.value_info) + list(model.graph.output):
        shapes[v.name] = [d.dim_value for d in v.type.tensor_type.shape.dim]
    return shapes


def parameters(model):
    running = {n.input[i] for n in model.graph.node if n.op_type == "BatchNormalization" for i in (3, 4)}
    return sum(math.prod(t.dims) for t in model.graph.initializer
               if t.data_type in WEIGHTS and t.dims and t.name not in running)


def multiply_adds(model):
    shapes = dims_of(model)
    batch = next(shapes[v.name][0] for v in model.graph.input if v.name not in {t.name for t in model.graph.initializer})
    total = 0
    for n in model.graph.node:
        if n.op_type in ("Conv", "ConvInteger", "QLinearConv"):
            w = shapes[n.input[3 if n.op_type == "QLinearConv" else 1]]
            total += math.prod(shapes[n.output[0]]) * math.prod(w[1:])
        elif n.op_type == "ConvTranspose":
            total += math.prod(shapes[n.input[0]]) * math.prod(shapes[n.input[1]][1:])
        elif n.op_type == "Gemm":
            trans = next((a.i for a in n.attribute if a.name == "transA"), 0)
            total += math.prod(shapes[n.output[0]]) * shapes[n.input[0]][0 if trans else 1]
        elif n.op_type in ("MatMul", "MatMulInteger", "QLinearMatMul"):
            total += math.prod(shapes[n.output[0]]) * shapes[n.input[0]][-1]
    return total // batch


def strip(model):
    """Large tensors become external data of no file; small ones stay, since shapes are computed from them."""
    for t in model.graph.initializer:
        if math.prod(t.dims) > 64:
            t.ClearField("raw_data")
            t.ClearField("float_data")
            t.data_location = TensorProto.EXTERNAL
            del t.external_data[:]
            t.external_data.add(key="location", value="none")
    for n in model.graph.node:
        n.doc_string = ""
    return model


def fixed_batch(model):
    for v in model.graph.input:
        d = v.type.tensor_type.shape.dim
        if d and not d[0].dim_value:
            d[0].dim_value = 1
    return model


def report(name, model):
    known = shape_inference.infer_shapes(fixed_batch(model), data_prop=True)
    print(name, parameters(known), multiply_adds(known), sum(len(n.output) > 0 for n in model.graph.node),
          sep="\t", flush=True)


def export(folder):
    import torch
    import torchvision

    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    import measure

    more = ["densenet121", "googlenet", "mnasnet0_5", "regnet_y_400mf", "convnext_tiny", "vit_b_16", "inception_v3", "resnext50_32x4d"]
    for name in list(measure.NETS) + more:
        if name in measure.OWN or name in measure.NETS:
            net = measure.make(name)
        elif name in ("googlenet", "inception_v3"):
            net = getattr(torchvision.models, name)(weights=None, init_weights=False, aux_logits=False)
        else:
            net = getattr(torchvision.models, name)(weights=None)
        with torch.no_grad():  # the exporter merges tensors that are equal, as fresh biases are
            for t in list(net.parameters()) + list(net.buffers()):
                if t.is_floating_point():
                    t.uniform_(0.1, 1)
        size = 299 if name == "inception_v3" else 224
        x = measure.make_input(name, 1) if name in measure.OWN else torch.rand(1, 3, size, size)
        out = io.BytesIO()
        torch.onnx.export(net.eval(), x, out, opset_version=13, training=torch.onnx.TrainingMode.PRESERVE,
                          do_constant_folding=False, input_names=["input"], output_names=["output"])
        model = onnx.load_from_string(out.getvalue())
        params = sum(p.numel() for p in net.parameters())
        counted = parameters(model)
        if params != counted:
            print(f"# {name}: {params} parameters in PyTorch, {counted} in the file", flush=True)
        report(name, model)
        onnx.save(strip(model), os.path.join(folder, name + ".onnx"))


if __name__ == "__main__":
    print("# counted by tests/size/export.py with onnx " + onnx.__version__)
    print("model\tparams\tmacs\tnodes")
    if len(sys.argv) > 2:
        for path in sys.argv[2:]:
            report(os.path.basename(path)[:-5], onnx.load(path, load_external_data=False))
    else:
        export(sys.argv[1])

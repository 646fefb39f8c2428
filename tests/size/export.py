#!/usr/bin/env python3
"""ONNX models for the tests, and what an independent counter says of them.

    python3 export.py DIR [NET,NET...] >onnx.tsv     (needs torch, torchvision, onnx)
    python3 export.py DIR MODEL.onnx...              the same for models from elsewhere

Exports torchvision's networks (training form, so that batch normalisation stays), strips the weights' bytes, which
nobody needs to count, and writes DIR/NAME.onnx. One row a model: parameters and multiply-adds, counted with onnx's
own shape inference, for exports also with PyTorch's counter (torch.utils.flop_counter), not with smfit's.
Parameters: elements of tensors of a floating-point or 8-bit type with at least one dimension, initializers and (with
more than one element) Constant nodes, but for running mean and variance. Multiply-adds: convolutions and matrix
products, for one image.
"""
import copy
import io
import math
import os
import sys

import onnx
from onnx import TensorProto, helper, numpy_helper, shape_inference

SUMMED = ("Conv", "ConvInteger", "QLinearConv", "ConvTranspose", "Gemm", "MatMul", "MatMulInteger", "QLinearMatMul")
WEIGHTS = {TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.BFLOAT16, TensorProto.DOUBLE, TensorProto.INT8, TensorProto.UINT8}


def dims_of(model):
    shapes = {t.name: list(t.dims) for t in model.graph.initializer}
    for v in list(model.graph.input) + list(model.graph.value_info) + list(model.graph.output):
        shapes[v.name] = [d.dim_value for d in v.type.tensor_type.shape.dim]
    return shapes


def parameters(model):
    running = {n.input[i] for n in model.graph.node if n.op_type == "BatchNormalization" for i in (3, 4)}
    constants = [(n.output[0], a.t) for n in model.graph.node if n.op_type == "Constant" for a in n.attribute
                 if a.name == "value" and math.prod(a.t.dims) > 1]
    return sum(math.prod(t.dims) for name, t in [(t.name, t) for t in model.graph.initializer] + constants
               if t.data_type in WEIGHTS and t.dims and name not in running)


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
    constants = [a.t for n in model.graph.node if n.op_type == "Constant" for a in n.attribute if a.name == "value"]
    for t in list(model.graph.initializer) + constants:
        if math.prod(t.dims) > (64 if t.data_type in (TensorProto.INT64, TensorProto.INT32) else 8):
            t.ClearField("raw_data")
            t.ClearField("float_data")
            t.data_location = TensorProto.EXTERNAL
            del t.external_data[:]
            t.external_data.add(key="location", value="none")
    for n in model.graph.node:
        n.doc_string = ""
    return model


def fixed_sizes(model, image):
    for v in model.graph.input:
        for i, d in enumerate(v.type.tensor_type.shape.dim):
            if not d.dim_value:
                d.dim_value = 1 if i == 0 else image
    return model


def report(name, model, image, torch_macs=None):
    """Where onnx finds no shape there is "?"."""
    known = shape_inference.infer_shapes(fixed_sizes(model, image), data_prop=True)
    try:
        macs = multiply_adds(known)
        shapes = dims_of(known)
        if not all(shapes.get(o) and all(shapes[o]) for n in known.graph.node if n.op_type in SUMMED for o in n.output):
            macs = "?"
    except (IndexError, KeyError):
        macs = "?"
    print(name, image or "-", parameters(known), macs, torch_macs or "-", sep="\t", flush=True)


def save(model, path):
    with open(path + ".onnx", "wb") as f:
        f.write(model.SerializeToString())


def export(folder):
    import torch
    import torchvision
    from torch.utils.flop_counter import FlopCounterMode

    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    import measure

    more = ["densenet121", "googlenet", "mnasnet0_5", "regnet_y_400mf", "convnext_tiny", "vit_b_16", "inception_v3", "resnext50_32x4d"]
    for name in sys.argv[2].split(",") if len(sys.argv) > 2 else list(measure.NETS) + more:
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
        net.train(name.startswith("vit"))  # whose inference runs in one fused operation that nothing counts
        with torch.no_grad(), FlopCounterMode(display=False) as counter:
            net(x)
        out = io.BytesIO()
        torch.onnx.export(net.eval(), x, out, opset_version=14, training=torch.onnx.TrainingMode.PRESERVE,
                          do_constant_folding=True, input_names=["input"], output_names=["output"])
        model = onnx.load_from_string(out.getvalue())
        params = sum(p.numel() for p in net.parameters())
        counted = parameters(model)
        if params != counted:
            print(f"# {name}: {params} parameters in PyTorch, {counted} in the file", flush=True)
        report(name, model, 0, counter.get_total_flops() // 2)
        save(strip(model), os.path.join(folder, name))


if __name__ == "__main__":
    print("# counted by tests/size/export.py with onnx " + onnx.__version__)
    print("model\timage\tparams\tmacs_onnx\tmacs_torch")
    if len(sys.argv) > 2 and sys.argv[2].endswith(".onnx"):
        for path in sys.argv[2:]:
            name, model = os.path.basename(path)[:-5], onnx.load(path, load_external_data=False)
            dims = [d.dim_value for v in model.graph.input for d in v.type.tensor_type.shape.dim[1:]]
            stripped = strip(copy.deepcopy(model))
            report(name, model, 0 if all(dims) else 320)
            save(stripped, os.path.join(sys.argv[1], name))
    else:
        export(sys.argv[1])

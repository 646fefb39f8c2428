#!/usr/bin/env python3
"""What PyTorch really holds for a network, on the CPU: the figures that smfit's memory bill is held against.

    python3 measure.py [NET...] >memory.tsv (needs torch and torchvision; any release that imports without a card)

One row a network, mode and batch, in bytes and fp32:

    params              number of trained numbers
    state_bytes         parameters and buffers
    gradient_bytes      of the parameters after one backward pass
    momentum_bytes      SGD with momentum: the optimizer's tensors after one step
    adam_bytes          the same for Adam
    saved_bytes         tensors that autograd keeps between forward and backward pass
    peak_bytes          infer: most bytes of activations alive at once, the input not counted

Convention of saved_bytes: every tensor that goes through torch.autograd.graph.saved_tensors_hooks, counted
once a storage with the storage's whole size, parameters and buffers left out, the network's input counted.
mode "infer" runs without gradients in eval mode. On the CPU dropout keeps its mask as fp32; on a GPU it is
one byte a number.
"""
import sys
import weakref

import torch
import torchvision
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten

BATCHES = (1, 2, 4, 8)


class LeNet5(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 6, 5), nn.Conv2d(6, 16, 5)
        self.fc1, self.fc2, self.fc3 = nn.Linear(400, 120), nn.Linear(120, 84), nn.Linear(84, 10)

    def forward(self, x):
        x = torch.max_pool2d(torch.relu(self.conv1(x)), 2)
        x = torch.max_pool2d(torch.relu(self.conv2(x)), 2)
        x = torch.flatten(x, 1)
        return self.fc3(torch.relu(self.fc2(torch.relu(self.fc1(x)))))


class MobileNetV1(nn.Module):
    PLAN = [(64, 1), (128, 2), (128, 1), (256, 2), (256, 1), (512, 2)] + [(512, 1)] * 5 + [(1024, 2), (1024, 1)]

    def __init__(self):
        super().__init__()

        def step(c, k, kernel, stride, groups):
            conv = nn.Conv2d(c, k, kernel, stride, kernel // 2, groups=groups, bias=False)
            return nn.Sequential(conv, nn.BatchNorm2d(k), nn.ReLU(True))

        parts, c = [step(3, 32, 3, 2, 1)], 32
        for k, stride in self.PLAN:
            parts.append(nn.Sequential(step(c, c, 3, stride, c), step(c, k, 1, 1, 1)))
            c = k
        self.features = nn.Sequential(*parts)
        self.pool, self.fc = nn.AdaptiveAvgPool2d(1), nn.Linear(c, 1000)

    def forward(self, x):
        return self.fc(torch.flatten(self.pool(self.features(x)), 1))


class EncoderLayer(nn.Module):
    def __init__(self, d, heads, ff):
        super().__init__()
        self.heads, self.scale = heads, (d // heads) ** -0.5
        self.qkv, self.proj = nn.Linear(d, 3 * d), nn.Linear(d, d)
        self.ff1, self.ff2 = nn.Linear(d, ff), nn.Linear(ff, d)
        self.norm1, self.norm2 = nn.LayerNorm(d), nn.LayerNorm(d)

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = (y.view(b, t, self.heads, d // self.heads).transpose(1, 2) for y in self.qkv(x).chunk(3, -1))
        weights = torch.softmax(torch.matmul(q, k.transpose(-2, -1)) * self.scale, -1)
        x = self.norm1(x + self.proj(torch.matmul(weights, v).transpose(1, 2).reshape(b, t, d)))
        return self.norm2(x + self.ff2(nn.functional.gelu(self.ff1(x))))


class TransformerEncoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding = nn.Embedding(30522, 256)
        self.layers = nn.Sequential(*(EncoderLayer(256, 4, 1024) for _ in range(4)))
        self.fc = nn.Linear(256, 2)

    def forward(self, tokens):
        return self.fc(self.layers(self.embedding(tokens)).mean(1))


OWN = {"lenet5": LeNet5, "mobilenet_v1": MobileNetV1, "transformer_encoder": TransformerEncoder}
NETS = ("lenet5 alexnet vgg11 resnet18 resnet34 resnet50 mobilenet_v1 mobilenet_v2 mobilenet_v3_small squeezenet1_1 "
        "shufflenet_v2_x1_0 efficientnet_b0 transformer_encoder").split()


def make(name):
    torch.manual_seed(1)
    return OWN[name]() if name in OWN else getattr(torchvision.models, name)(weights=None)


def make_input(name, batch):
    if name == "transformer_encoder":
        return torch.randint(0, 30522, (batch, 128))
    return torch.rand(batch, *((1, 32, 32) if name == "lenet5" else (3, 224, 224)))


def tensor_bytes(tensors):
    return sum(t.numel() * t.element_size() for t in tensors)


class Peak(TorchDispatchMode):
    """Bytes of the storages that operations made and that a tensor still uses."""

    def __init__(self, known):
        super().__init__()
        self.live = self.most = 0
        self.users = {key: 1 for key in known}
        self.size = {}

    def die(self, key):
        self.users[key] -= 1
        if not self.users[key]:
            self.live -= self.size.pop(key)
            del self.users[key]

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        out = func(*args, **(kwargs or {}))
        for t in tree_flatten(out)[0]:
            if isinstance(t, torch.Tensor):
                storage = t.untyped_storage()
                key = storage._cdata
                if key not in self.users:
                    self.users[key], self.size[key] = 0, storage.nbytes()
                    self.live += storage.nbytes()
                self.users[key] += 1
                weakref.finalize(t, self.die, key)
        self.most = max(self.most, self.live)
        return out


def storages(tensors):
    return {t.untyped_storage()._cdata for t in tensors}


def saved_bytes(model, x):
    own = storages(list(model.parameters()) + list(model.buffers()))
    kept = {}

    def pack(t):
        s = t.untyped_storage()
        if s._cdata not in own:
            kept[s._cdata] = (s, s.nbytes())
        return t

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t):
        out = model(x)
    return out, sum(size for _, size in kept.values())


def optimizer_bytes(model, optimizer):
    optimizer.step()
    return tensor_bytes(t for s in optimizer.state.values() for t in s.values() if isinstance(t, torch.Tensor))


def peak_bytes(model, x):
    known = storages(list(model.parameters()) + list(model.buffers()) + [x])
    with torch.no_grad(), Peak(known) as peak:
        model(x)
    return peak.most


def row(name, mode, batch):
    model, x = make(name), make_input(name, batch)
    model.train(mode == "train")
    state = tensor_bytes(list(model.parameters()) + list(model.buffers()))
    params = sum(p.numel() for p in model.parameters())
    if mode == "infer":
        return params, state, 0, 0, 0, 0, peak_bytes(model, x)
    out, saved = saved_bytes(model, x)
    out.float().sum().backward()
    gradients = tensor_bytes(p.grad for p in model.parameters())
    momentum = optimizer_bytes(model, torch.optim.SGD(model.parameters(), 0.01, momentum=0.9))
    adam = optimizer_bytes(model, torch.optim.Adam(model.parameters()))
    return params, state, gradients, momentum, adam, saved, 0


def main():
    torch.set_num_threads(2)
    print(f"# torch {torch.__version__}, torchvision {torchvision.__version__}, on the CPU; made by tests/size/measure.py")
    print("net mode batch params state_bytes gradient_bytes momentum_bytes adam_bytes saved_bytes peak_bytes".replace(" ", "\t"))
    for name in sys.argv[1:] or NETS:
        for mode in ("train", "infer"):
            for batch in BATCHES:
                print(name, mode, batch, *row(name, mode, batch), sep="\t", flush=True)


if __name__ == "__main__":
    sys.exit(main())

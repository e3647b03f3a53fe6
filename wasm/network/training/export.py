"""export.py --net at_N.pt --out FILE.bin [--bias bias.json] [--version TEXT] [--parcels]; format in README.md."""

import argparse
import hashlib
import json
import struct

import numpy as np
import torch

import labels as L
import parcels
from model import EPS, OUTPUTS, SLOPE, Net, ParcelNet

MAGIC = b"SULCUSNN"
# where each network's box lies, and its classes
DEEP = {"box": list(L.BOX), "origin": list(L.ORIGIN)}, L.CLASSES
PARCELS = {"box": list(parcels.BOX)}, [f"parcel {n}" for n in range(parcels.PARCELS)]
COLUMNS = 8     # the runner computes so many outputs at once
NEVER = -100    # bias of an output that never wins


def describe(net):
    """Layers in the order in which they run, with what they read, and their arrays."""
    layers, arrays = [], []
    inputs = {"e0": ["input"], "d1": ["e0"], "e1": ["d1"], "d2": ["e1"], "e2": ["d2"], "d3": ["e2"], "e3": ["d3"],
              "u2": ["e3"], "f2": ["e2", "u2"], "u1": ["f2"], "f1": ["e1", "u1"], "u0": ["f1"], "f0": ["e0", "u0"],
              "out": ["f0"]}
    for name, reads in inputs.items():
        module = getattr(net, name)
        plain = isinstance(module, torch.nn.Conv3d)
        conv = module if plain else module.conv
        named = {"weight": conv.weight}
        if plain:
            named["bias"] = conv.bias
        else:
            named.update(scale=module.norm.weight, shift=module.norm.bias)
        layer = {"name": name, "reads": reads, "inputs": conv.in_channels, "outputs": conv.out_channels,
                 "kernel": conv.kernel_size[0], "stride": conv.stride[0], "norm": not plain,
                 "upsample": name in ("u2", "u1", "u0"), "arrays": []}
        for key, values in named.items():
            flat = values.detach().numpy().astype("<f2")
            layer["arrays"].append({"name": key, "shape": list(flat.shape), "offset": sum(a.nbytes for a in arrays)})
            arrays.append(flat)
        layers.append(layer)
    return layers, arrays


def filled(net):
    """The network with outputs that never win, up to a multiple of COLUMNS."""
    out = net.out
    net.out = torch.nn.Conv3d(out.in_channels, -(-out.out_channels // COLUMNS) * COLUMNS, 1)
    with torch.no_grad():
        net.out.weight.zero_()
        net.out.bias.fill_(NEVER)
        net.out.weight[:out.out_channels], net.out.bias[:out.out_channels] = out.weight, out.bias
    return net


def write(net, path, version, kind):
    """`kind`: DEEP or PARCELS. Returns the file's SHA-256."""
    layers, arrays = describe(net)
    place, classes = kind
    header = {"version": version, "type": "f16", **place, "eps": EPS, "slope": SLOPE, "classes": classes, "layers": layers}
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-(len(MAGIC) + 4 + len(text)) % 16)
    with open(path, "wb") as file:
        file.write(MAGIC + struct.pack("<I", len(text)) + text)
        for array in arrays:
            file.write(np.ascontiguousarray(array).tobytes())
    return hashlib.sha256(open(path, "rb").read()).hexdigest()


def read(path):
    """The network of such a file, in f32."""
    data = open(path, "rb").read()
    if data[:8] != MAGIC:
        raise ValueError(f"{path}: not a network file")
    length = struct.unpack("<I", data[8:12])[0]
    header = json.loads(data[12:12 + length])
    body, net = data[12 + length:], Net()
    with torch.no_grad():
        for layer in header["layers"]:
            module = getattr(net, layer["name"])
            for a in layer["arrays"]:
                values = np.frombuffer(body, "<f2", int(np.prod(a["shape"])), a["offset"]).astype(np.float32)
                owner = {"weight": module.conv if layer["norm"] else module, "bias": module}.get(a["name"])
                if owner is None:
                    owner = module.norm
                key = {"scale": "weight", "shift": "bias"}.get(a["name"], a["name"])
                getattr(owner, key).copy_(torch.from_numpy(values.reshape(a["shape"])))
    return net.eval(), header


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--net", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--bias")
    parser.add_argument("--version", default="1")
    parser.add_argument("--parcels", action="store_true")
    options = parser.parse_args()
    net = ParcelNet() if options.parcels else Net()
    net.load_state_dict(torch.load(options.net, weights_only=True)["mean"])
    with torch.no_grad():
        if options.bias:
            net.out.bias += torch.tensor(json.load(open(options.bias)))
        if not options.parcels:
            net.out.bias[OUTPUTS - 1] = NEVER      # the spare output
    if options.parcels:
        print(write(filled(net).eval(), options.out, options.version, PARCELS))
    else:
        print(write(net.eval(), options.out, options.version, DEEP))

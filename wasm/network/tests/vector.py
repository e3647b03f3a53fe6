"""vector.py: writes the stored test vector of this crate, the posteriors of PyTorch for seeded weights and input.

    python3 vector.py        # in this folder; needs torch and numpy
"""
import json, struct, numpy as np, torch, torch.nn as nn, torch.nn.functional as F

WIDTHS, CLASSES, SHAPE, STEP = (8, 8, 16, 8), 8, (24, 16, 8), 37


class Block(nn.Module):
    def __init__(self, i, o, stride=1):
        super().__init__()
        self.c = nn.Conv3d(i, o, 3, stride, 1, bias=False)
        self.n = nn.InstanceNorm3d(o, affine=True)

    def forward(self, x):
        return F.leaky_relu(self.n(self.c(x)), 0.05)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        a, b, c, d = WIDTHS
        self.e0, self.d1, self.e1 = Block(1, a), Block(a, b, 2), Block(b, b)
        self.d2, self.e2, self.d3, self.e3 = Block(b, c, 2), Block(c, c), Block(c, d, 2), Block(d, d)
        self.u2, self.f2 = nn.Conv3d(d, c, 1), Block(c, c)
        self.u1, self.f1 = nn.Conv3d(c, b, 1), Block(b, b)
        self.u0, self.f0 = nn.Conv3d(b, a, 1), Block(a, a)
        self.out = nn.Conv3d(a, CLASSES, 1)

    def forward(self, x):
        up = lambda t: F.interpolate(t, scale_factor=2, mode="nearest")
        x0 = self.e0(x)
        x1 = self.e1(self.d1(x0))
        x2 = self.e2(self.d2(x1))
        y = self.f2(x2 + up(self.u2(self.e3(self.d3(x2)))))
        y = self.f1(x1 + up(self.u1(y)))
        return self.out(self.f0(x0 + up(self.u0(y))))


def noise(seed, count):
    state, out = (seed * 2654435761 & 0xFFFFFFFF) | 1, []
    for _ in range(count):
        state ^= state << 13 & 0xFFFFFFFF
        state ^= state >> 17
        state ^= state << 5 & 0xFFFFFFFF
        out.append((state >> 8) / (1 << 23) - 1)
    return np.array(out, np.float32)


torch.manual_seed(7)
net = Net().eval()
with torch.no_grad():
    for name, p in net.named_parameters():
        if ".n." in name:
            p.copy_(1 + .5 * torch.randn_like(p) if name.endswith("weight") else .3 * torch.randn_like(p))
        if name == "out.weight":
            p.mul_(6)
        p.copy_(p.half().float())
layers, data = [], b""
for name in ("e0", "d1", "e1", "d2", "e2", "d3", "e3", "u2", "f2", "u1", "f1", "u0", "f0", "out"):
    m = getattr(net, name)
    named = ({"weight": m.weight, "bias": m.bias} if isinstance(m, nn.Conv3d) else
             {"weight": m.c.weight, "scale": m.n.weight, "shift": m.n.bias})
    arrays = []
    for key, p in named.items():
        arrays.append({"name": key, "shape": list(p.shape), "offset": len(data)})
        data += p.detach().numpy().astype("<f2").tobytes()
    layers.append({"name": name, "arrays": arrays})
header = json.dumps({"version": "vector", "type": "f16", "layers": layers}).encode()
open("vector_weights.bin", "wb").write(b"SULCUSNN" + struct.pack("<I", len(header)) + header + data)

x = (60 + 50 * noise(5, int(np.prod(SHAPE)))).reshape(SHAPE[::-1]).transpose(2, 1, 0)  # x fastest in the file
t = torch.from_numpy(np.ascontiguousarray(x))
t = (t - t.mean()) / (t.std() + 1e-6)
with torch.no_grad():
    p = net(t[None, None])[0].softmax(0).numpy()                        # class, x, y, z
p = p.transpose(3, 2, 1, 0).reshape(-1, CLASSES)[::STEP]
open("vector_posteriors.bin", "wb").write(p.astype("<f4").tobytes())

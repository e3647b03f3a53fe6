"""The networks: small 3-D U-Nets over one half head, sides merged (one class a structure, or a parcel)."""

import torch
from torch import nn
from torch.nn import functional

import parcels

WIDTHS = (16, 32, 64, 64)
OUTPUTS = 16
SLOPE = 0.05
EPS = 1e-5


class Block(nn.Module):
    """3x3x3 convolution without bias, instance norm over the volume, leaky ReLU."""

    def __init__(self, inputs, outputs, stride=1):
        super().__init__()
        self.conv = nn.Conv3d(inputs, outputs, 3, stride, 1, bias=False)
        self.norm = nn.InstanceNorm3d(outputs, eps=EPS, affine=True)

    def forward(self, x):
        return functional.leaky_relu(self.norm(self.conv(x)), SLOPE)


class Net(nn.Module):
    def __init__(self, inputs=1, outputs=OUTPUTS, widths=WIDTHS):
        super().__init__()
        a, b, c, d = widths
        self.e0 = Block(inputs, a)
        self.d1, self.e1 = Block(a, b, 2), Block(b, b)
        self.d2, self.e2 = Block(b, c, 2), Block(c, c)
        self.d3, self.e3 = Block(c, d, 2), Block(d, d)
        self.u2, self.f2 = nn.Conv3d(d, c, 1), Block(c, c)
        self.u1, self.f1 = nn.Conv3d(c, b, 1), Block(b, b)
        self.u0, self.f0 = nn.Conv3d(b, a, 1), Block(a, a)
        self.out = nn.Conv3d(a, outputs, 1)

    def forward(self, x):
        x0 = self.e0(x)
        x1 = self.e1(self.d1(x0))
        x2 = self.e2(self.d2(x1))
        y = self.e3(self.d3(x2))
        y = self.f2(x2 + double(self.u2(y)))
        y = self.f1(x1 + double(self.u1(y)))
        y = self.f0(x0 + double(self.u0(y)))
        return self.out(y)


def double(x):
    return functional.interpolate(x, scale_factor=2, mode="nearest")


class ParcelNet(Net):
    """Parcels of a cerebral hemisphere on blocks of 2 mm (`parcels.channels`)."""

    def __init__(self):
        super().__init__(parcels.INPUTS, parcels.PARCELS, (24, 48, 64, 96))

"""Images of any contrast and resolution: what the T1-like painter of generator.py does not draw.

White matter is 1. A FLAIR's and a T2's ranges are widened class medians of real images (README.md); a third of the
images has contrasts that no scanner makes, so that borders are learned and not brightnesses.
"""

import numpy as np
import torch
from torch.nn import functional

import labels as L
import shapes

GREY = (L.CORTEX, L.THALAMUS, L.CAUDATE, L.PUTAMEN, L.PALLIDUM, L.HIPPOCAMPUS, L.AMYGDALA, L.ACCUMBENS, L.VENTRAL,
        L.BRAINSTEM, L.CEREBELLAR_WHITE, L.CEREBELLAR_CORTEX)
VENTRICLES = (L.LATERAL, L.HORN, L.THIRD, L.FOURTH)
# of an image's codes, per kind of contrast: range of the mean
FLAIR = {
    L.CORTEX: (1.05, 1.75), L.THALAMUS: (.9, 1.4), L.CAUDATE: (1, 1.7), L.PUTAMEN: (.9, 1.6), L.PALLIDUM: (.6, 1.2),
    L.HIPPOCAMPUS: (1.1, 1.9), L.AMYGDALA: (1.1, 1.9), L.ACCUMBENS: (1, 1.7), L.VENTRAL: (.75, 1.3),
    L.BRAINSTEM: (.8, 1.35), L.CEREBELLAR_WHITE: (.8, 1.2), L.CEREBELLAR_CORTEX: (1, 1.6), L.LESION: (1.2, 2.6),
}
T2 = {
    L.CORTEX: (1.05, 1.9), L.THALAMUS: (.85, 1.4), L.CAUDATE: (.95, 1.7), L.PUTAMEN: (.7, 1.5), L.PALLIDUM: (.4, 1),
    L.HIPPOCAMPUS: (1.1, 2), L.AMYGDALA: (1.1, 2), L.ACCUMBENS: (.95, 1.7), L.VENTRAL: (.7, 1.2),
    L.BRAINSTEM: (.8, 1.3), L.CEREBELLAR_WHITE: (.85, 1.2), L.CEREBELLAR_CORTEX: (1, 1.8), L.LESION: (1.2, 2.6),
}
SHARES = {"t1": .25, "flair": .4, "t2": .1, "any": .25}
# millimetres of a slice, and how often each axis (x to the side, y down, z forwards) is the one across the slices
SLICE_MM = (1.5, 6.5)
ACROSS = (.25, .6, .15)
THICK_SHARE = .7


def contrast(rng):
    """Mean and texture of every code of an image that is no T1."""
    kinds = [k for k in SHARES if k != "t1"]
    share = np.array([SHARES[k] for k in kinds])
    kind = kinds[int(rng.choice(len(kinds), p=share / share.sum()))]
    mean = np.zeros(L.CODES, np.float32)
    texture = rng.uniform(.01, .12, L.CODES).astype(np.float32)
    mean[L.WHITE] = 1
    if kind == "any":
        grey, fluid = rng.uniform(.3, 2.2), rng.uniform(0, 3)
        mean[list(GREY)] = grey + rng.uniform(0, .5) * rng.standard_normal(len(GREY))
        mean[L.LESION] = rng.uniform(.4, 2.5)
    else:
        # one draw places all grey matter inside of its ranges, a second each structure around it
        at = rng.uniform()
        for code, (low, high) in (FLAIR if kind == "flair" else T2).items():
            mean[code] = low + (high - low) * np.clip(at + rng.normal(0, .22), 0, 1)
        fluid = rng.uniform(.02, .7) if kind == "flair" else rng.uniform(1.6, 4)
    mean[list(VENTRICLES)] = fluid
    mean[L.HORN] += rng.uniform(-.05, .15)
    if kind == "flair" and rng.random() < .4:                  # inflow brightens the fluid where it moves
        mean[[L.THIRD, L.FOURTH]] += rng.uniform(0, .9)
    mean[L.FLUID] = fluid + rng.uniform(-.05, .3)
    mean[[L.PLEXUS, L.HORN_PLEXUS]] = rng.uniform(min(fluid, .4), 1.9)
    mean[L.VESSEL], mean[L.CHIASM] = rng.uniform(0, 1.8), rng.uniform(.6, 1.4)
    mean[L.EXTRACEREBRAL:] = rng.uniform(0, 2.2, L.EXTRACEREBRAL_KINDS)
    mean[L.EXTRACEREBRAL + 2] = rng.uniform(0, .3)
    texture[L.EXTRACEREBRAL:] = rng.uniform(.05, .35, L.EXTRACEREBRAL_KINDS)
    return np.clip(mean, 0, None), texture


def slices(image, rng):
    """The image as thick slices with noise of their own, brought back to 1 mm linearly, as the engine's conform does."""
    if rng.random() > THICK_SHARE:
        return image
    axis, mm = int(rng.choice(3, p=ACROSS)), rng.uniform(*SLICE_MM)
    sigmas, size = [rng.uniform(0, .5)] * 3, list(image.shape)
    sigmas[axis], size[axis] = rng.uniform(.3, .48) * mm, max(4, int(round(image.shape[axis] / mm)))
    thick = functional.interpolate(shapes.blur(image, sigmas)[None, None], size=size, mode="trilinear")
    thick = thick + rng.uniform(0, .06) * torch.from_numpy(rng.standard_normal(tuple(thick.shape), dtype=np.float32))
    return functional.interpolate(thick, size=tuple(image.shape), mode="trilinear")[0, 0]

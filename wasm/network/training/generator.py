"""T1-like images of deformed half heads, and the samples that the network is trained on."""

import numpy as np
import torch
from torch.nn import functional

import any_contrast
import labels as L
import shapes

# Grey matter between cortex (0) and white matter (1): range of the mean. From the class medians of four real
# T1 (see README.md), widened.
BETWEEN = {
    L.THALAMUS: (.2, 1.05), L.CAUDATE: (-.1, .6), L.PALLIDUM: (.45, 1.35), L.HIPPOCAMPUS: (-.2, .32),
    L.AMYGDALA: (-.2, .36), L.ACCUMBENS: (-.15, .5), L.VENTRAL: (.4, 1.2), L.CEREBELLAR_CORTEX: (-.2, .3),
}
PUTAMEN_ABOVE_CAUDATE = (-.05, .7)
# texture: standard deviation inside a structure, white matter = 1
TEXTURE = {
    L.WHITE: (.01, .055), L.CORTEX: (.02, .08), L.THALAMUS: (.02, .09), L.CAUDATE: (.02, .06), L.PUTAMEN: (.02, .09),
    L.PALLIDUM: (.01, .07), L.HIPPOCAMPUS: (.02, .08), L.AMYGDALA: (.02, .07), L.ACCUMBENS: (.02, .06),
    L.VENTRAL: (.02, .09), L.BRAINSTEM: (.02, .08), L.LATERAL: (0, .05), L.HORN: (0, .06), L.THIRD: (0, .06),
    L.FLUID: (.02, .12), L.PLEXUS: (.05, .15), L.HORN_PLEXUS: (.05, .15),
}


def contrast(rng, late):
    """Mean and texture of every code. `late`: the plexus of the horn is nearer to fluid than to cortex."""
    mean, texture = np.zeros(L.CODES, np.float32), np.full(L.CODES, .03, np.float32)
    cortex = rng.uniform(.42, .84)
    fluid = rng.uniform(0, min(.44, cortex - .2))
    mean[L.WHITE], mean[L.CORTEX] = 1, cortex
    mean[[L.LATERAL, L.THIRD, L.FOURTH]] = fluid
    mean[L.HORN] = fluid + rng.uniform(-.01, .08)
    mean[L.FLUID] = fluid + rng.uniform(-.04, .16)
    for code, span in BETWEEN.items():
        mean[code] = cortex + (1 - cortex) * rng.uniform(*span)
    putamen = mean[L.CAUDATE] + (1 - cortex) * rng.uniform(*PUTAMEN_ABOVE_CAUDATE)
    mean[L.PUTAMEN] = min(putamen, cortex + .97 * (1 - cortex))
    mean[L.BRAINSTEM], mean[L.CEREBELLAR_WHITE] = rng.uniform(.75, 1.08), rng.uniform(.85, 1.1)
    mean[L.VESSEL], mean[L.CHIASM] = rng.uniform(.1, 1.5), rng.uniform(.6, 1)
    mean[L.LESION] = rng.uniform(.55, 1)
    plexus = fluid if rng.random() < .3 else fluid + (cortex - fluid) * rng.uniform(.1, 1.2)
    mean[[L.PLEXUS, L.HORN_PLEXUS]] = plexus
    if late:
        mean[L.HORN_PLEXUS] = min(plexus, fluid + .55 * (cortex - fluid))
    mean[L.EXTRACEREBRAL:] = rng.uniform(0, 1.3, L.EXTRACEREBRAL_KINDS)
    mean[L.EXTRACEREBRAL + 2] = rng.uniform(0, .25)
    if rng.random() < .3:
        mean[L.EXTRACEREBRAL] = rng.uniform(1, 2.2)            # bright fat
    texture[L.EXTRACEREBRAL:] = rng.uniform(.05, .3, L.EXTRACEREBRAL_KINDS)
    for code, span in TEXTURE.items():
        texture[code] = rng.uniform(*span)
    return mean, texture


def noise_like(rng, shape):
    return torch.from_numpy(rng.standard_normal(tuple(shape), dtype=np.float32))


def paint(codes, where, rng, late=True, mixed=None, is_any=False):
    """Image and codes of the box. A voxel between two codes has the mixture of both (partial volume).

    `is_any`: of any contrast and resolution; otherwise like a T1.
    """
    is_t1 = not is_any or rng.random() < any_contrast.SHARES["t1"]
    mean, texture = contrast(rng, late) if is_t1 else any_contrast.contrast(rng)
    shape = L.BOX
    own = shapes.deform(codes, where)
    index = own.long()
    block = mean[codes]
    if mixed is not None:
        other, weight = mixed
        block += weight.reshape(block.shape) * (mean[other].reshape(block.shape) - block)
    block = torch.from_numpy(block)
    n = codes.shape
    at = torch.stack([where[k] * 2 / (n[k] - 1) - 1 for k in (2, 1, 0)], -1)[None]
    image = functional.grid_sample(block[None, None], at, align_corners=True, padding_mode="border")[0, 0]
    grain = .75 * shapes.smooth_noise(rng, shape, rng.uniform(4, 10)) + rng.uniform(.2, .9) * noise_like(rng, shape)
    image = image + torch.from_numpy(texture)[index] * grain
    for structure in (L.THALAMUS, L.PUTAMEN):                  # whiter on one side
        if rng.random() < .7:
            slopes = rng.uniform(-.008, .008, 3)
            slopes[0] = rng.uniform(-.003, .012) * (1 if structure == L.THALAMUS else -1)
            axes = [torch.arange(s).float() for s in shape]
            ramp = sum(float(slopes[k]) * (a - a.mean()).view([-1 if i == k else 1 for i in range(3)]) for k, a in enumerate(axes))
            inside = own == structure
            if inside.any():
                image = torch.where(inside, image + ramp - ramp[inside].mean(), image)
    if rng.random() < .5:                                      # structures with soft edges
        soft = (own == L.THALAMUS) | (own == L.PALLIDUM) | (own == L.VENTRAL)
        image = torch.where(soft, shapes.blur(image, [rng.uniform(.6, 1.8)] * 3), image)
    image = shapes.blur(image, [rng.uniform(.25, .85)] * 3)
    if is_any:
        image = any_contrast.slices(image, rng)
    elif rng.random() < .15:                                   # thick slices
        axis, factor = int(rng.integers(3)), rng.uniform(1.5, 3)
        sigmas, size = [0, 0, 0], list(shape)
        sigmas[axis], size[axis] = .42 * factor, int(round(shape[axis] / factor))
        image = functional.interpolate(shapes.blur(image, sigmas)[None, None], size=size, mode="trilinear")
        image = functional.interpolate(image, size=shape, mode="trilinear")[0, 0]
    if rng.random() < .5:                                      # skull-stripped, with more or less fluid left
        keep = (own != L.OUTSIDE) & (own < L.EXTRACEREBRAL)
        kind = rng.random()
        if kind < .3:
            keep &= own != L.FLUID
        elif kind < .65:
            keep &= (own != L.FLUID) | (shapes.smooth_noise(rng, shape, 12) > rng.uniform(-1.5, 1))
        image = image * keep
    image = image * torch.exp(rng.uniform(0, .25) * shapes.smooth_noise(rng, shape, rng.uniform(40, 80)))
    if rng.random() < .85:
        image = image + rng.uniform(.004, .07) * noise_like(rng, shape)
    image = image.clamp(min=0) ** float(np.exp(rng.normal(0, .14)))
    if is_t1 and rng.random() < .25:                           # white matter at the ceiling, as FreeSurfer's brain.mgz
        image = image.clamp(max=rng.uniform(.97, 1.1))
    if rng.random() < .5:                                      # 8 bits
        steps = rng.uniform(80, 200)
        image = (image * steps).round() / steps
    return image, own


def normalise(image):
    """Mean 0 and standard deviation 1 over the box."""
    return (image - image.mean()) / (image.std() + 1e-6)


def fraction_of(codes, where, chosen):
    """Fraction of these codes in every voxel of the box."""
    mask = torch.from_numpy(np.isin(codes, chosen).astype(np.float32))
    n = codes.shape
    at = torch.stack([where[k] * 2 / (n[k] - 1) - 1 for k in (2, 1, 0)], -1)[None]
    return functional.grid_sample(mask[None, None], at, align_corners=True, padding_mode="border")[0, 0]


def tissue_at_the_wall(half, codes, where, own, least, horn_share=.4):
    """Codes in which a voxel of a ventricle's wall is fluid only from the fraction `least` of fluid on.

    FreeSurfer leaves more of the wall to the tissue than half and half. For the horn, which is thin, `horn_share` of it
    is asked; the wall of the caudate stays.
    """
    fraction = fraction_of(codes, where, (L.LATERAL, L.HORN, L.PLEXUS, L.HORN_PLEXUS))
    horn = (own == L.HORN) | (own == L.HORN_PLEXUS)
    lateral = (own == L.LATERAL) | (own == L.PLEXUS)
    wall = (lateral & (fraction < least)) | (horn & (fraction < .5 + horn_share * (least - .5)))
    tissue = shapes.deform(half.nearest_solid.reshape(codes.shape), where)
    return torch.where(wall & (tissue != L.CAUDATE) & (tissue != L.ACCUMBENS), tissue, own)


def white_at_the_caudate(codes, where, own, most):
    """Codes in which a voxel of the caudate is white matter from the fraction `most` of white matter on."""
    return torch.where((own == L.CAUDATE) & (fraction_of(codes, where, (L.WHITE, L.LESION)) > most), L.WHITE, own)


def sample(halves, rng, stage=2):
    """One image [1, 1, x, y, z] and its classes [1, x, y, z]. Young and old maps are drawn equally often.

    Stage 1: as the maps are. Stage 2: with the walls of the ventricles and the plexus of the horn as FreeSurfer labels
    them. Stage 3: more of the wall for the tissue, white matter at the caudate, atrophy within voxels and by deformation.
    Stage 4: as stage 2, of any contrast and resolution.
    """
    groups = [g for g in halves if g]
    group = groups[int(rng.integers(len(groups)))]
    half = group[int(rng.integers(len(group)))]
    codes, mixed = shapes.vary(half, rng, stage == 3)
    where = shapes.warp(half, rng, third=stage == 3)
    image, own = paint(codes, where, rng, stage > 1, mixed, stage == 4)
    if stage in (2, 4):
        own = tissue_at_the_wall(half, codes, where, own, rng.uniform(.5, .75))
    if stage == 3:
        own = tissue_at_the_wall(half, codes, where, own, rng.uniform(.6, .9), .7)
        own = white_at_the_caudate(codes, where, own, rng.uniform(.3, .5))
    return normalise(image)[None, None], torch.from_numpy(L.CLASS_OF)[own.long()].long()[None]


def load(paths, young_below=11000):
    """Halves of the maps: [those of small lateral ventricles (mm3 a side, with plexus), the others]."""
    groups = [[], []]
    for path in paths:
        numbers = L.load_map(path)
        ventricles = np.isin(numbers, (4, 43, 136, 163)).sum() / 2
        groups[0 if ventricles < young_below else 1] += [shapes.Half(numbers, True), shapes.Half(numbers, False)]
    return groups

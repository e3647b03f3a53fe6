"""Other heads out of one: atrophy, growth, ventricles, horns and sulci of the whole adult range.

A `Half` holds one side of one label map with what the changes need precomputed. `vary` changes voxels
(atrophy, growth, horns, sulci, lesions); `warp` then deforms, and pushes the ventricles to a drawn volume.
"""

import numpy as np
import torch
from scipy import ndimage
from torch.nn import functional

import labels as L

DEEP = [L.THALAMUS, L.CAUDATE, L.PUTAMEN, L.PALLIDUM, L.HIPPOCAMPUS, L.AMYGDALA, L.ACCUMBENS, L.VENTRAL]
FLUIDS = [L.LATERAL, L.HORN, L.THIRD, L.FLUID, L.PLEXUS, L.HORN_PLEXUS]
# mm3 a side, from the 1st percentile at 20 years to the 99th at 90 (NOMIS norms, ICV 1523 mL); flat in the logarithm.
# The upper ends are lower than the norms', because the box does not hold the whole ventricle.
VENTRICLE_RANGE = {L.LATERAL: (2000, 45000), L.HORN: (90, 2600)}
PUSH_LIMIT_MM = 5.0
# volume over the map's own to which a nucleus is deformed in the third stage, flat in the logarithm
DEFORMED_RANGE = {L.HIPPOCAMPUS: (.5, 1.25), L.PUTAMEN: (.55, 1.25), L.CAUDATE: (.6, 1.25), L.THALAMUS: (.7, 1.15)}
STEP = 2          # voxels between the samples of a ventricle's distance field


class Half:
    def __init__(self, freesurfer, left):
        codes = L.cut(L.to_codes(freesurfer), L.centre_of(freesurfer), left, L.MARGIN)
        self.codes = codes
        fluid = np.isin(codes, FLUIDS)
        to_fluid, nearest = ndimage.distance_transform_edt(~fluid, return_indices=True)
        self.to_fluid = to_fluid.astype(np.float32).ravel()
        self.nearest_fluid = codes[tuple(nearest)].ravel()
        solid = ~fluid & (codes != L.VESSEL)
        from_solid, nearest = ndimage.distance_transform_edt(~solid, return_indices=True)
        self.from_solid = from_solid.astype(np.float32).ravel()
        self.nearest_solid = codes[tuple(nearest)].ravel()
        own = np.zeros(codes.shape, bool)
        own[L.MARGIN - L.ORIGIN[0]:] = True
        self.parts = {s: self._part((codes == s) & (own if s in (L.THALAMUS, L.CAUDATE, L.ACCUMBENS, L.VENTRAL) else True))
                      for s in DEEP}
        self.horn = self._part(np.isin(codes, (L.HORN, L.HORN_PLEXUS)))
        lateral = np.isin(codes, (L.LATERAL, L.PLEXUS))
        horn = np.isin(codes, (L.HORN, L.HORN_PLEXUS))
        self.to_ventricle = ndimage.distance_transform_edt(~(lateral | horn)).astype(np.float32).ravel()
        self.to_horn = ndimage.distance_transform_edt(~horn).astype(np.float32).ravel()
        self.push = {L.LATERAL: self._push(lateral, own), L.HORN: self._push(horn, own)}
        self.push |= {s: self._push((codes == s) & own, own) for s in DEFORMED_RANGE}

    @staticmethod
    def _part(mask):
        """Voxels, their depth; and those within 3 mm outside, with their distance."""
        if not mask.any():
            return None
        found = ndimage.find_objects(mask.astype(np.uint8))[0]
        near = tuple(slice(max(s.start - 4, 0), s.stop + 4) for s in found)
        numbers = np.arange(mask.size, dtype=np.int32).reshape(mask.shape)[near]
        mask = mask[near]
        depth, away = ndimage.distance_transform_edt(mask), ndimage.distance_transform_edt(~mask)
        around = (away > 0) & (away <= 3)
        return numbers[mask], depth[mask].astype(np.float32), numbers[around], away[around].astype(np.float32)

    @staticmethod
    def _push(mask, own):
        """Distance (negative inside) and outward direction, sampled; and the volume after a push of -6 … 6 mm."""
        if mask.sum() < 20:
            return None
        distance = (ndimage.distance_transform_edt(~mask) - ndimage.distance_transform_edt(mask)).astype(np.float32)
        distance += np.where(mask, .5, -.5)
        m = L.MARGIN
        box = distance[m:-m, m:-m, m:-m][own[m:-m, m:-m, m:-m]]
        pushes = np.arange(-6, 6.01, .25)
        volumes = np.array([(box < p).sum() for p in pushes])
        smooth = ndimage.gaussian_filter(distance, 1.2)[::STEP, ::STEP, ::STEP]
        direction = np.stack(np.gradient(smooth, STEP))
        direction /= np.maximum(np.sqrt((direction ** 2).sum(0)), .2)
        field = torch.tensor(np.concatenate([direction, smooth[None]]).astype(np.float32))[None]
        return field, pushes, volumes


def smooth_noise(rng, shape, step):
    """Noise of about unit variance that changes over `step` voxels."""
    grid = [max(2, int(np.ceil(n / step)) + 1) for n in shape]
    coarse = torch.from_numpy(rng.standard_normal([1, 1] + grid, dtype=np.float32))
    return 1.5 * functional.interpolate(coarse, size=tuple(shape), mode="trilinear", align_corners=True)[0, 0]


def blur(image, sigmas):
    """Gaussian along each axis, sigma in voxels; none below .15."""
    for axis, sigma in enumerate(sigmas):
        if sigma < .15:
            continue
        radius = max(1, int(np.ceil(2.5 * sigma)))
        kernel = torch.exp(-torch.arange(-radius, radius + 1).float() ** 2 / (2 * sigma ** 2))
        shape, pad = [1, 1, 1], [0] * 6
        shape[axis] = 2 * radius + 1
        pad[4 - 2 * axis] = pad[5 - 2 * axis] = radius
        padded = functional.pad(image[None, None], pad, mode="replicate")
        image = functional.conv3d(padded, (kernel / kernel.sum()).view(1, 1, *shape))[0, 0]
    return image


def filling(half, gone, structure, rng):
    """What takes the place of these voxels of a structure."""
    fill = half.nearest_fluid[gone].copy()
    fill[fill == L.PLEXUS] = L.LATERAL
    fill[fill == L.HORN_PLEXUS] = L.HORN
    if structure in (L.HIPPOCAMPUS, L.AMYGDALA):
        if rng.random() < .5:
            fill[fill == L.FLUID] = L.HORN
        if rng.random() < .15:
            fill[:] = L.WHITE
    elif structure in (L.PUTAMEN, L.PALLIDUM):
        if rng.random() < .85:
            fill[:] = L.WHITE
    else:
        fill[half.to_fluid[gone] > 3] = L.WHITE
    return fill


def shrink(flat, half, structure, fraction, rng, noise):
    """Frees this fraction of a structure, from its surface, sooner where fluid is near."""
    if half.parts[structure] is None or fraction <= 0:
        return
    inside, depth, _, _ = half.parts[structure]
    order = depth + rng.uniform(0, .8) * np.minimum(half.to_fluid[inside], 6) + rng.uniform(.2, 1) * noise[inside]
    gone = inside[order <= np.quantile(order, fraction)]
    flat[gone] = filling(half, gone, structure, rng)


def shrink_within_voxels(flat, mixed, half, structure, fraction, rng, noise):
    """`shrink` whose new surface passes through voxels, and which in half of the cases does not ask where fluid is.

    A voxel at the surface keeps the code of its larger part; `mixed` gets that of the other, and its fraction.
    """
    if half.parts[structure] is None or fraction <= 0:
        return
    inside, depth, _, _ = half.parts[structure]
    to_fluid = rng.uniform(.1, .8) if rng.random() < .5 else 0
    order = depth + to_fluid * np.minimum(half.to_fluid[inside], 6) + rng.uniform(.05, .8) * noise[inside]
    lost = np.clip(np.quantile(order, fraction) - order + .5, 0, 1).astype(np.float32)
    touched = lost > 0
    voxels, lost = inside[touched], lost[touched]
    fill, gone = filling(half, voxels, structure, rng), lost >= .5
    flat[voxels[gone]] = fill[gone]
    other, weight = mixed
    other[voxels] = np.where(gone, structure, fill)
    weight[voxels] = np.where(gone, 1 - lost, lost)


def grow(flat, half, structure, fraction, rng, noise):
    """Grows a structure by this fraction into white matter and the fluid at its side."""
    if half.parts[structure] is None or fraction <= 0:
        return
    inside, _, around, away = half.parts[structure]
    order = away + .6 * noise[around]
    order[~np.isin(half.codes.ravel()[around], (L.WHITE, L.LESION, L.HORN, L.HORN_PLEXUS, L.LATERAL, L.FLUID))] = np.inf
    take = np.argsort(order, kind="stable")[:int(fraction * len(inside))]
    take = take[np.isfinite(order[take])]
    flat[around[take]] = structure


def change(flat, mixed, half, structure, fraction, rng, noise):
    """`fraction` > 0 shrinks, < 0 grows."""
    if fraction > 0 and mixed is not None:
        shrink_within_voxels(flat, mixed, half, structure, fraction, rng, noise)
    elif fraction > 0:
        shrink(flat, half, structure, fraction, rng, noise)
    else:
        grow(flat, half, structure, -fraction, rng, noise)


def vary(half, rng, third=False):
    """Codes of this half with other sizes, and (codes, fractions) of what else is in a voxel (None before stage 3)."""
    codes = half.codes.copy()
    mixed = (codes.ravel().copy(), np.zeros(codes.size, np.float32)) if third else None
    flat = codes.reshape(-1)
    noise = smooth_noise(rng, codes.shape, rng.uniform(6, 14)).numpy().ravel()
    if rng.random() < .35:                                     # narrow sulci and cisterns
        near = (flat == L.FLUID) & (half.from_solid < rng.uniform(.5, 2.6) + .4 * noise)
        solid = half.nearest_solid
        near &= np.isin(solid, (L.CORTEX, L.HIPPOCAMPUS, L.AMYGDALA, L.WHITE, L.BRAINSTEM, L.VENTRAL))
        fill = np.where(np.isin(solid, (L.HIPPOCAMPUS, L.AMYGDALA, L.VENTRAL)), L.CORTEX, solid)
        flat[near] = fill[near]
    elif rng.random() < .4:                                    # wide sulci
        near = (flat == L.CORTEX) & (half.to_fluid + .5 * noise < rng.uniform(.4, 1.8))
        flat[near] = L.FLUID
    if rng.random() < .5 and half.horn is not None:            # a horn that collapses, in part or altogether
        inside, depth, _, _ = half.horn
        gone = inside[depth + rng.uniform(0, 1) * noise[inside] < rng.uniform(.8, 3.2)]
        flat[gone] = half.nearest_solid[gone]
    if rng.random() < .65:
        hippocampus = rng.uniform(-.2, .55)
        change(flat, mixed, half, L.HIPPOCAMPUS, hippocampus, rng, noise)
        change(flat, mixed, half, L.AMYGDALA, np.clip(hippocampus + rng.normal(-.03, .15), -.3, .5), rng, noise)
    elif rng.random() < .4:
        change(flat, mixed, half, L.AMYGDALA, rng.uniform(-.3, .45), rng, noise)
    for structure in (L.THALAMUS, L.CAUDATE, L.PUTAMEN, L.PALLIDUM, L.ACCUMBENS, L.VENTRAL):
        if rng.random() < (.5 if third and structure == L.PUTAMEN else .35):
            change(flat, mixed, half, structure, rng.uniform(-.15, .45 if structure == L.CAUDATE else .3), rng, noise)
    if rng.random() < .2:                                      # a wide horn
        flat[(half.to_horn + .5 * noise < rng.uniform(0, 2.2)) & (flat == L.WHITE)] = L.HORN
    if third and rng.random() < .2:                            # a wide ventricle that moves nothing
        grown = half.to_ventricle + .5 * noise < rng.uniform(0, 7)
        flat[grown & (half.to_horn > half.to_ventricle + 4) & (flat == L.WHITE)] = L.LATERAL
    if rng.random() < .3:                                      # dark caps and rims of white matter
        flat[(half.to_ventricle + 1.2 * noise < rng.uniform(-1, 5)) & (flat == L.WHITE)] = L.LESION
    if rng.random() < .3:                                      # none of the map's own lesions
        flat[flat == L.LESION] = L.WHITE
    return codes, mixed


def drawn_push(half, which, rng):
    """Millimetres by which this ventricle's wall moves outwards to reach a volume drawn flat in its logarithm."""
    _, pushes, volumes = half.push[which]
    if which in DEFORMED_RANGE:
        low, high = np.array(DEFORMED_RANGE[which]) * np.interp(0, pushes, volumes)
    else:
        low, high = VENTRICLE_RANGE[which]
    target = np.exp(rng.uniform(np.log(low), np.log(high)))
    return float(np.clip(np.interp(target, volumes, pushes), -PUSH_LIMIT_MM, PUSH_LIMIT_MM))


def warp(half, rng, jitter=6.0, third=False):
    """Where each voxel of a box is drawn from: indices into the half's block [3, x, y, z]."""
    shape = L.BOX
    coarse_shape = tuple(n // 2 for n in shape)                # deformed at 2 mm, then interpolated
    axes = [torch.arange(n) * (shape[k] - 1) / (n - 1) - (shape[k] - 1) / 2 for k, n in enumerate(coarse_shape)]
    turn = np.eye(3)
    for i, j in ((0, 1), (0, 2), (1, 2)):
        angle = np.radians(rng.uniform(-11, 11))
        one = np.eye(3)
        one[i, i] = one[j, j] = np.cos(angle)
        one[i, j], one[j, i] = -np.sin(angle), np.sin(angle)
        turn = turn @ one
    matrix = turn @ (np.diag(1 + rng.uniform(-.14, .14, 3)) + rng.uniform(-.05, .05, (3, 3)))
    move = rng.uniform(-jitter, jitter, 3)
    coarse, fine = rng.uniform(0, 3), rng.uniform(0, .9)
    grid = torch.meshgrid(*axes, indexing="ij")
    where = []
    for k in range(3):
        base = (shape[k] - 1) / 2 + L.MARGIN + move[k]
        at = base + sum(float(matrix[k, i]) * grid[i] for i in range(3))
        where.append(at + coarse * smooth_noise(rng, coarse_shape, 14) + fine * smooth_noise(rng, coarse_shape, 5.5))
    for which in (L.LATERAL, L.HORN, *(DEFORMED_RANGE if third else ())):
        if half.push[which] is None or rng.random() > (.35 if which in DEFORMED_RANGE else .75):
            continue
        amount, reach = drawn_push(half, which, rng), rng.uniform(3 if which in DEFORMED_RANGE else 5, 12)
        field = half.push[which][0]
        n = field.shape[2:]
        at = torch.stack([where[k] / STEP * 2 / (n[k] - 1) - 1 for k in (2, 1, 0)], -1)[None]
        drawn = functional.grid_sample(field, at, align_corners=True, padding_mode="border")[0]
        weight = amount * torch.exp(-drawn[3].clamp(min=0) / reach)
        if amount > 0:      # the inside stays, so that a thin horn does not fold over
            weight = weight * torch.sigmoid(2 * (drawn[3] + 1))
        where = [where[k] - weight * drawn[k] for k in range(3)]
    return functional.interpolate(torch.stack(where)[None], size=shape, mode="trilinear", align_corners=True)[0]


def deform(codes, where):
    """Codes at the nearest voxel."""
    index = [where[k].round().clamp(0, codes.shape[k] - 1).long() for k in range(3)]
    return torch.from_numpy(codes)[index[0], index[1], index[2]]

"""Cortical hemispheres with the parcels of their teachers: what the parcel network sees and learns.

A hemisphere is cut from a label map of the engine on its 1 mm grid, turned to L-I-A; the right one is mirrored, so that
the first index grows from the mid-plane to the side. The network sees tissue, not intensities: it divides a cortex that has
been found already, and folds have no contrast of their own.
"""

import glob
import os

import nibabel as nib
import numpy as np
import torch
from torch.nn import functional

import shapes

BOX = (80, 144, 192)
PARCELS = 34
FIRST = 37                      # engine label of the first parcel, left; odd labels are left
WHITE, DEEP, VENTRICLES = (1,), (*range(7, 15, 2), 19, 21, 23, 29), (15, 17)
OUTSIDE, CORTEX, WHITE_MATTER, DEEP_GREY, VENTRICLE, OTHER = range(6)
FINE, COARSE = (CORTEX, WHITE_MATTER), (DEEP_GREY, VENTRICLE, OTHER)    # tissues by voxels of 1 and of 2 mm
INPUTS = 8 * len(FINE) + len(COARSE) + 3
UNSURE = .5                     # weight of a voxel about which the teachers do not agree
# votes of a map without and with the second opinion, which overlaps more with FreeSurfer's parcels (ADR 0003)
VOTES = {"atlas": 1, "opinion": 4}
POINTS = 40_000                 # voxels of the cortex in a sample


def turned(image):
    """The image with axes L-I-A."""
    wanted = nib.orientations.axcodes2ornt(("L", "I", "A"))
    return image.as_reoriented(nib.orientations.ornt_transform(nib.io_orientation(image.affine), wanted))


def load(path):
    """Labels of the engine, axes L-I-A."""
    return np.asarray(turned(nib.load(path)).dataobj).astype(np.uint8)


def tissue_of(labels, side):
    """Tissue of every voxel for the hemisphere of `side` (0 left, 1 right)."""
    table = np.full(256, OTHER, np.uint8)
    table[[0, 27]] = OUTSIDE
    table[105:] = OUTSIDE
    table[FIRST + side:FIRST + 2 * PARCELS:2] = CORTEX
    for kind, lefts in ((WHITE_MATTER, WHITE), (DEEP_GREY, DEEP), (VENTRICLE, VENTRICLES)):
        table[[left + side for left in lefts]] = kind
    table[28] = WHITE_MATTER
    return table[labels]


class Place:
    """Where a hemisphere lies: its bounding box, and the box of the network around its middle."""

    def __init__(self, tissue, side):
        self.side = side
        own = np.isin(tissue, (CORTEX, WHITE_MATTER))
        if side:
            own = own[::-1]
        ends = [np.flatnonzero(own.any(tuple(a for a in range(3) if a != axis)))[[0, -1]] for axis in range(3)]
        self.ends = np.array(ends)
        self.first = (self.ends.sum(1) - np.array(BOX) + 1) // 2

    def cut(self, volume):
        if self.side:
            volume = volume[::-1]
        out = np.zeros(BOX, volume.dtype)
        low, high = np.maximum(self.first, 0), np.minimum(self.first + BOX, volume.shape)
        into = tuple(slice(a, b) for a, b in zip(low - self.first, high - self.first))
        out[into] = volume[tuple(slice(a, b) for a, b in zip(low, high))]
        return out


def parcel_votes(maps, place):
    """Parcels of each map in the hemisphere's box, 0 … 33; 255 where there is none."""
    table = np.full(256, 255, np.uint8)
    table[FIRST + place.side:FIRST + 2 * PARCELS:2] = np.arange(PARCELS)
    return np.stack([table[place.cut(labels)] for labels in maps])


class Hemisphere:
    """One hemisphere of one painted head and what its teachers say: [(kind, labels)]."""

    def __init__(self, labels, teachers, side):
        tissue = tissue_of(labels, side)
        place = Place(tissue, side)
        self.tissue = place.cut(tissue)
        self.votes = parcel_votes([labels for _, labels in teachers], place)
        self.weights = [VOTES[kind] for kind, _ in teachers]
        # a teacher whose registration has moved the cortex says nothing outside of its own
        self.votes[:, self.tissue != CORTEX] = 255


def read_heads(folder):
    """{map number: [Hemisphere]} of FOLDER/NAME/TEACHER/labels_1mm.nii.gz, NAME beginning with the map's number."""
    heads = {}
    for number in sorted({os.path.basename(p)[:2] for p in glob.glob(folder + "/*")}):
        teachers = {}
        for path in sorted(glob.glob(f"{folder}/{number}*/*/labels_1mm.nii.gz")):
            teachers.setdefault(path.split("/")[-3], []).append((path.split("/")[-2], load(path)))
        every = [teacher for of_image in teachers.values() for teacher in of_image]
        heads[number] = [Hemisphere(of_image[0][1], every, side) for of_image in teachers.values() for side in (0, 1)]
    return heads


def channels(tissue):
    """[1, INPUTS, x/2, y/2, z/2]: cortex and white matter of the eight voxels of every block of 2 mm, the fraction of the
    other tissues, and the place of the block: the fraction of the cerebrum's bounding box, -1 … 1 on each axis.
    """
    fine = [tissue == kind for kind in FINE]
    blocks = [kind[i::2, j::2, k::2].float() for kind in fine for i in (0, 1) for j in (0, 1) for k in (0, 1)]
    coarse = torch.stack([tissue == kind for kind in COARSE]).float()
    places = []
    for axis in range(3):
        used = torch.nonzero((fine[0] | fine[1]).any(dim=[a for a in range(3) if a != axis])).ravel()
        low, high = int(used[0]), int(used[-1])
        at = (torch.arange(.5, tissue.shape[axis], 2) - low) * 2 / max(high - low, 1) - 1
        places.append(at.view([-1 if a == axis else 1 for a in range(3)]).expand(blocks[0].shape))
    return torch.cat([torch.stack(blocks), functional.avg_pool3d(coarse, 2), torch.stack(places)])[None]


def at_points(scores, points):
    """Scores [1, PARCELS, …] of the 2 mm grid, drawn linearly at voxels of 1 mm: [n, PARCELS]."""
    sizes = torch.tensor(scores.shape[2:]).float()
    at = ((points.float() + .5) / sizes - 1).flip(1)[None, None, None]
    return functional.grid_sample(scores.float(), at, align_corners=False, padding_mode="border")[0, :, 0, 0].T


def noise(rng, step):
    """Smooth noise over the box, the same for every block of 2 mm; `step` in mm."""
    out = shapes.smooth_noise(rng, [n // 2 for n in BOX], step / 2)
    for axis in range(3):
        out = out.repeat_interleave(2, axis)
    return out


def deformed(rng):
    """Voxels from which a deformed hemisphere draws, as an index per voxel of the box."""
    centre = [(n - 1) / 2 for n in BOX]
    grid = torch.meshgrid(*[torch.arange(n).float() - c for n, c in zip(BOX, centre)], indexing="ij")
    turn = torch.eye(3)
    for a, b in ((0, 1), (0, 2), (1, 2)):
        angle = rng.normal(0, .06)
        step = torch.eye(3)
        step[a, a] = step[b, b] = float(np.cos(angle))
        step[a, b], step[b, a] = float(-np.sin(angle)), float(np.sin(angle))
        turn = turn @ step
    turn = turn * torch.from_numpy(np.exp(rng.normal(0, .06, 3)).astype(np.float32))
    coarse, fine = rng.uniform(0, 3.5), rng.uniform(0, 1.2)
    index = torch.zeros(BOX, dtype=torch.long)
    for axis in range(3):
        at = sum(turn[axis, k] * grid[k] for k in range(3)) + centre[axis]
        at += coarse * noise(rng, 32) + fine * noise(rng, 11)
        index = index * BOX[axis] + at.round_().clamp_(0, BOX[axis] - 1).long()
    return index


def thinned(tissue, rng):
    """A cortex that has lost, here and there, the voxels that touch what lies outside; or gained some of those."""
    uneven = noise(rng, rng.uniform(5, 15))
    if rng.random() < .5:
        near = functional.max_pool3d((tissue == OUTSIDE).float()[None, None], 3, 1, 1)[0, 0] > 0
        return torch.where((tissue == CORTEX) & near & (uneven > rng.uniform(.5, 3)), OUTSIDE, tissue)
    near = functional.max_pool3d((tissue == WHITE_MATTER).float()[None, None], 3, 1, 1)[0, 0] > 0
    return torch.where((tissue == CORTEX) & near & (uneven > rng.uniform(.8, 3)), WHITE_MATTER, tissue)


def sample(heads, rng, is_changed=True):
    """(channels, (points, soft parcels, weights)) of one hemisphere drawn from {map number: [Hemisphere]}."""
    of_map = heads[sorted(heads)[int(rng.integers(len(heads)))]]
    head = of_map[int(rng.integers(len(of_map)))]
    tissue, votes = torch.from_numpy(head.tissue), torch.from_numpy(head.votes)
    if is_changed:
        index = deformed(rng)
        tissue = tissue.ravel()[index]
        votes = votes.reshape(len(votes), -1)[:, index.ravel()].view(len(votes), *BOX)
        tissue = thinned(tissue, rng)
    ribbon = torch.nonzero((tissue == CORTEX) & (votes != 255).any(0))
    points = ribbon[torch.from_numpy(rng.integers(0, len(ribbon), POINTS))]
    said = votes[:, points[:, 0], points[:, 1], points[:, 2]]
    soft = torch.zeros(POINTS, PARCELS + 1)
    for vote, weight in zip(said, head.weights):
        soft[torch.arange(POINTS), torch.where(vote == 255, PARCELS, vote.long())] += weight
    soft = soft[:, :PARCELS] / soft[:, :PARCELS].sum(1, keepdim=True)
    weights = torch.where(soft.max(1).values == 1, 1.0, UNSURE)
    return channels(tissue), (points, soft, weights)

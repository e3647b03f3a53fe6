"""Structures made smaller, smoothly and by a wanted part, on a grid of half a millimetre."""

from typing import NamedTuple

import numpy as np
from scipy import ndimage

from halves import box_of, waves

WHITE, CORTEX, VENTRICLE, HORN = (2, 41), (3, 42), (4, 43), (5, 44)
CSF = 24
CHOROID, HORN_CHOROID = (136, 163), (137, 164)
# names as FreeSurfer's, with the codes of the left and the right side
STRUCTURES = {
    "Hippocampus": (17, 53),
    "Amygdala": (18, 54),
    "Caudate": (11, 50),
    "Putamen": (12, 51),
    "Thalamus": (10, 49),
    "Cerebral-Cortex": CORTEX,
}
STEP = 0.5  # mm
UNEVEN = 0.25  # mm, how far the new surface wanders from an even one
SMOOTH = 1.0  # mm, blur of distances: new surfaces have no staircase


class Change(NamedTuple):
    """One structure of one side (0 left, 1 right) smaller by `fraction` of its volume."""

    structure: str
    side: int
    fraction: float


def distance(mask: np.ndarray) -> np.ndarray:
    """mm to the mask, 0 inside."""
    if not mask.any():
        return np.full(mask.shape, 1e3, np.float32)
    return ndimage.distance_transform_edt(~mask, sampling=STEP).astype(np.float32)


def smooth_depth(mask: np.ndarray) -> np.ndarray:
    """Blurred distance below the surface of the mask, mm, negative outside."""
    return ndimage.gaussian_filter(distance(~mask) - distance(mask), SMOOTH / STEP, truncate=3)


def freed(inside: np.ndarray, order: np.ndarray, fraction: float) -> np.ndarray:
    """The part of `inside` where `order` is least."""
    if fraction <= 0:
        return np.zeros_like(inside)
    return inside & (order < np.quantile(order[inside], fraction))


def shrink(labels: np.ndarray, change: Change, rng: np.random.Generator) -> None:
    """Frees a part of a structure, in place.

    Hippocampus and amygdala recede on all sides, and the fluid of the inferior horn follows (that of the cisterns where
    it is nearer by 2 mm). Caudate and thalamus recede from the ventricle. The putamen recedes on all sides into white
    matter: no fluid lies beside it. The cortex recedes from its outer surface, also where two banks touch.
    """
    side, code = change.side, STRUCTURES[change.structure][change.side]
    box = box_of(labels == code, 14)
    part = labels[box]
    inside = part == code
    uneven = UNEVEN * waves(rng, part.shape, 16)
    ventricle = np.isin(part, [VENTRICLE[side], CHOROID[side], HORN[side], HORN_CHOROID[side], 14])
    if change.structure == "Cerebral-Cortex":
        order = -ndimage.gaussian_filter(distance(part == WHITE[side]), SMOOTH / STEP / 2, truncate=3)
        part[freed(inside, order + uneven / 2, change.fraction)] = CSF
    elif change.structure in ("Caudate", "Thalamus"):
        order = ndimage.gaussian_filter(distance(ventricle), SMOOTH / STEP, truncate=3)
        part[freed(inside, order + uneven, change.fraction)] = VENTRICLE[side]
    elif change.structure == "Putamen":
        part[freed(inside, smooth_depth(inside) + uneven, change.fraction)] = WHITE[side]
    else:
        gone = freed(inside, smooth_depth(inside) + uneven, change.fraction)
        horn = np.isin(part, [HORN[side], HORN_CHOROID[side]])
        to_cistern = distance(part == CSF) < distance(horn) - 2
        part[gone] = np.where(to_cistern[gone], CSF, HORN[side])


def resize_ventricle(labels: np.ndarray, side: int, factor: float) -> None:
    """Moves the wall of a lateral ventricle out into white matter or in, in place."""
    ventricle = np.isin(labels, [VENTRICLE[side], CHOROID[side]])
    box = box_of(ventricle, 24)
    part, ventricle = labels[box], ventricle[box]
    if factor < 1:
        gone = freed(ventricle, smooth_depth(ventricle), 1 - factor)
        _, near = ndimage.distance_transform_edt(ventricle | (part == CSF), return_indices=True)
        part[gone] = part[tuple(near)][gone]
    elif factor > 1:
        white = part == WHITE[side]
        out = -smooth_depth(ventricle)
        # white matter that the ventricle reaches without passing other tissue
        reach, wanted = 0.0, (factor - 1) * ventricle.sum()
        taken = np.zeros_like(white)
        while taken.sum() < wanted and reach < 9:
            reach += 0.1
            pieces, _ = ndimage.label(ventricle | (white & (out < reach)))
            taken = white & (pieces > 0) & np.isin(pieces, np.unique(pieces[ventricle]))
        part[taken] = VENTRICLE[side]

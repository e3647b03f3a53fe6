"""Label maps as half heads: codes, classes, the box, and the redrawing of the pallidum.

All arrays here are on a 1 mm grid with axes L-I-A: the first index grows to the left, the second
downwards, the third forwards. A half head of the right side is mirrored, so that the first index
always grows from the mid-plane to the side of the head.
"""

import nibabel as nib
import numpy as np
from scipy import ndimage

BOX = (56, 72, 96)
# first voxel of the box, from the centre voxel: 8 mm past the centre, 36 mm above it, 50 mm behind it
ORIGIN = (-8, -36, -50)
# further voxels on every side, from which a deformation may draw
MARGIN = 16

CLASSES = [
    "outside", "white matter", "cortex", "lateral ventricle", "inferior horn", "thalamus", "caudate", "putamen",
    "pallidum", "hippocampus", "amygdala", "accumbens", "ventral DC", "third ventricle", "hindbrain", "spare",
]
# classes whose volume and Dice are measured
MEASURED = {name: i for i, name in enumerate(CLASSES) if 3 <= i <= 12}

# Codes for painting. 0..14 are the classes; the others are what the painter must tell apart.
(OUTSIDE, WHITE, CORTEX, LATERAL, HORN, THALAMUS, CAUDATE, PUTAMEN, PALLIDUM, HIPPOCAMPUS, AMYGDALA, ACCUMBENS,
 VENTRAL, THIRD, BRAINSTEM, FLUID, CEREBELLAR_WHITE, CEREBELLAR_CORTEX, VESSEL, PLEXUS, HORN_PLEXUS, LESION, FOURTH,
 CHIASM, EXTRACEREBRAL) = range(25)
EXTRACEREBRAL_KINDS = 7
CODES = EXTRACEREBRAL + EXTRACEREBRAL_KINDS

FREESURFER = {
    WHITE: (2, 41, 78, 79, 81, 82, *range(251, 256)), CORTEX: (3, 42), LATERAL: (4, 43, 72), HORN: (5, 44),
    THALAMUS: (10, 49), CAUDATE: (11, 50), PUTAMEN: (12, 51), PALLIDUM: (13, 52), HIPPOCAMPUS: (17, 53),
    AMYGDALA: (18, 54), ACCUMBENS: (26, 58), VENTRAL: (28, 60), THIRD: (14,), BRAINSTEM: (16,), FLUID: (24,),
    CEREBELLAR_WHITE: (7, 46), CEREBELLAR_CORTEX: (8, 47), VESSEL: (30, 62), PLEXUS: (136, 163, 31, 63),
    HORN_PLEXUS: (137, 164), LESION: (25, 57, 77, 80), FOURTH: (15,), CHIASM: (85,),
    EXTRACEREBRAL: (507,), EXTRACEREBRAL + 1: (515,), EXTRACEREBRAL + 2: (511,), EXTRACEREBRAL + 3: (514,),
    EXTRACEREBRAL + 4: (516,), EXTRACEREBRAL + 5: (509,),
}
# code -> class: the plexus is ventricle; lesions are white matter; fluid, vessels and chiasm are outside
CLASS_OF = np.zeros(CODES, np.uint8)
CLASS_OF[:15] = np.arange(15)
CLASS_OF[[CEREBELLAR_WHITE, CEREBELLAR_CORTEX, FOURTH]] = BRAINSTEM
CLASS_OF[[PLEXUS, HORN_PLEXUS, LESION]] = [LATERAL, HORN, WHITE]

# the box is centred on the bounding box of these FreeSurfer codes: deep grey matter and ventral DC of both sides
CENTRED_ON = [10, 11, 12, 13, 17, 18, 26, 28, 49, 50, 51, 52, 53, 54, 58, 60]


def to_codes(freesurfer):
    """FreeSurfer numbers (aseg, aparc+aseg or the label maps') to painting codes."""
    table = np.full(16384, EXTRACEREBRAL + 6, np.uint8)
    table[0] = OUTSIDE
    table[1000:3000] = CORTEX
    for code, numbers in FREESURFER.items():
        table[list(numbers)] = code
    return table[np.clip(freesurfer, 0, 16383)]


def to_classes(freesurfer):
    return CLASS_OF[to_codes(freesurfer)]


def centre_of(freesurfer):
    """Centre voxel of the box: middle, rounded down, of the bounding box of the deep grey matter."""
    inside = np.isin(freesurfer, CENTRED_ON)
    ends = []
    for axis in range(3):
        used = np.flatnonzero(inside.any(tuple(a for a in range(3) if a != axis)))
        ends.append((used[0] + used[-1]) // 2)
    return np.array(ends)


def cut(volume, centre, left, margin=0):
    """The box (and a margin) of one side; what lies outside the volume is 0."""
    first = np.array(centre)
    if not left:
        volume = volume[::-1]
        first[0] = volume.shape[0] - 1 - first[0]
    first = first + ORIGIN - margin
    size = np.array(BOX) + 2 * margin
    out = np.zeros(size, volume.dtype)
    low, high = np.maximum(first, 0), np.minimum(first + size, volume.shape)
    into = tuple(slice(a, b) for a, b in zip(low - first, high - first))
    out[into] = volume[tuple(slice(a, b) for a, b in zip(low, high))]
    return out


def redraw_pallidum(freesurfer):
    """Pallida grown to the mean of FreeSurfer 6, NOMIS norms at 55 years for this head's intracranial volume.

    The label maps draw the pallidum at .56 to .97 (median .70) of that mean. Voxels join in the order of the
    pallidum's own smoothed mask (sigma 1.2 mm): white matter (capsule, laminae) first, putamen and ventral DC
    only where the mask is .12 higher.
    """
    out = freesurfer.copy()
    counts = np.bincount(freesurfer.ravel(), minlength=500)
    mean = 1963 + .743 * ((counts[1:500].sum() - counts[[30, 62, 85]].sum()) / 1000 - 1523)
    for pallidum, white, others in ((13, 2, (12, 28)), (52, 41, (51, 60))):
        mask = freesurfer == pallidum
        need = int(mean - mask.sum())
        if need <= 0:
            continue
        found = ndimage.find_objects(mask.astype(np.uint8))[0]
        box = tuple(slice(s.start - 8, s.stop + 8) for s in found)
        near, around = ndimage.gaussian_filter(mask[box].astype(np.float32), 1.2), freesurfer[box]
        near[np.isin(around, others)] -= .12
        may = np.flatnonzero((near > .01) & np.isin(around, (white, *others)))
        take = may[np.argsort(-near.ravel()[may], kind="stable")[:need]]
        out[box][np.unravel_index(take, around.shape)] = pallidum
    return out


def load_map(path):
    """FreeSurfer numbers of a label map with its pallida redrawn."""
    image = nib.load(path)
    if nib.aff2axcodes(image.affine) != ("L", "I", "A"):
        raise ValueError(f"{path}: axes are not L-I-A")
    return redraw_pallidum(np.asarray(image.dataobj).astype(np.int16))

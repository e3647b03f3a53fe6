"""Whole heads whose hippocampi are smaller by a known amount: the test erosion, which training has not seen.

In every coronal slice the hippocampus is scaled about its centre of mass, in ninths of a voxel; what it leaves is
fluid. Nothing here is shared with shapes.py or generator.py. Two kinds of heads:
  painted     a real T1; fluid of its own ventricles is mixed in by the fraction that each voxel lost
  synthetic   a label map, painted at half a voxel with the class means of a real scanner, then averaged
"""

import argparse
import json

import nibabel as nib
import numpy as np
from scipy import ndimage

import labels as L

SUB = 3


def lost_fraction(mask, loss):
    """Fraction of each voxel of `mask` that is left empty when its coronal sections lose the fraction `loss`."""
    lost = np.zeros(mask.shape, np.float32)
    scale = np.sqrt(1 - loss)
    steps = (np.arange(SUB) - (SUB - 1) / 2) / SUB
    for k in np.flatnonzero(mask.any((0, 1))):
        plane = mask[:, :, k]
        where = np.argwhere(plane)
        centre = where.mean(0)
        stays = np.zeros(len(where))
        for dx in steps:
            for dy in steps:
                source = np.rint(centre + (where + (dx, dy) - centre) / scale).astype(int)
                source = np.clip(source, 0, np.array(plane.shape) - 1)
                stays += plane[source[:, 0], source[:, 1]]
        lost[where[:, 0], where[:, 1], k] = 1 - stays / SUB ** 2
    return lost


def shrink(freesurfer, left, right):
    """(numbers afterwards, lost fraction of every voxel, {17: mm3, 53: mm3}); losses as fractions."""
    out, lost, volumes = freesurfer.copy(), np.zeros(freesurfer.shape, np.float32), {}
    for number, horn, loss in ((17, 5, left), (53, 44, right)):
        mask = freesurfer == number
        found = ndimage.find_objects(mask.astype(np.uint8))[0]
        box = tuple(slice(s.start - 12, s.stop + 12) for s in found)
        part = lost_fraction(mask[box], loss) if loss > 0 else np.zeros(mask[box].shape, np.float32)
        near = freesurfer[box]
        fluid = np.isin(near, (horn, 24, 137, 164))
        nearest = ndimage.distance_transform_edt(~fluid, return_distances=False, return_indices=True)
        fill = np.where(near[tuple(nearest)] == 24, 24, horn)
        gone = part > .5
        out[box][gone] = fill[gone]
        lost[box] += part
        volumes[number] = float(mask.sum() - part.sum())
    return out, lost, volumes


def painted(image, freesurfer, left, right, seed=3):
    """(image, numbers, volumes) of a real head."""
    after, lost, volumes = shrink(freesurfer, left, right)
    inside = ndimage.binary_erosion(np.isin(freesurfer, (4, 43)), iterations=2)
    mean, spread = image[inside].mean(), min(image[inside].std(), .05 * np.percentile(image, 99))
    weight = ndimage.gaussian_filter(lost, .4)
    noise = np.random.default_rng(seed).standard_normal(image.shape, dtype=np.float32)
    return np.clip(image * (1 - weight) + weight * (mean + spread * noise), 0, None), after, volumes


# medians of the eroded classes of three real T1 (A, B, C) and of real FLAIR (F: two of 1 mm, G: one of 3 mm), white
# matter = 1
SCANNERS = {
    "A": {"cortex": .67, "fluid": .20, "thalamus": .94, "caudate": .78, "putamen": .93, "pallidum": 1.0,
          "hippocampus": .71, "amygdala": .74, "accumbens": .77, "ventral": .96, "stem": .98, "plexus": .56},
    "B": {"cortex": .65, "fluid": .15, "thalamus": .86, "caudate": .73, "putamen": .84, "pallidum": .97,
          "hippocampus": .68, "amygdala": .70, "accumbens": .70, "ventral": .92, "stem": .95, "plexus": .55},
    "C": {"cortex": .46, "fluid": .02, "thalamus": .77, "caudate": .62, "putamen": .67, "pallidum": .87,
          "hippocampus": .51, "amygdala": .51, "accumbens": .55, "ventral": .87, "stem": .85, "plexus": .30},
    "F": {"cortex": 1.20, "fluid": .22, "thalamus": 1.08, "caudate": 1.16, "putamen": 1.06, "pallidum": .75,
          "hippocampus": 1.25, "amygdala": 1.22, "accumbens": 1.19, "ventral": 1.00, "stem": 1.09, "plexus": .70,
          "lesion": 1.5},
    "G": {"cortex": 1.24, "fluid": .13, "thalamus": .90, "caudate": 1.07, "putamen": 1.00, "pallidum": .80,
          "hippocampus": 1.10, "amygdala": 1.11, "accumbens": 1.12, "ventral": .89, "stem": .90, "plexus": .75,
          "lesion": 1.43},
}


def as_slices(volume, axis, mm):
    """The conformed volume as it would come from slices of `mm` across `axis`, brought back linearly."""
    blurred = ndimage.gaussian_filter1d(volume.astype(np.float32), .42 * mm, axis)
    at = np.rint(np.arange(mm / 2, volume.shape[axis] - mm / 2, mm)).astype(int)
    thick = np.moveaxis(blurred, axis, 0)[at]
    fine = np.interp(np.arange(volume.shape[axis]), at, np.arange(len(at)))
    low = np.minimum(fine.astype(int), len(at) - 2)
    weight = (fine - low)[:, None, None]
    return np.moveaxis((1 - weight) * thick[low] + weight * thick[low + 1], 0, axis).astype(np.float32)


def synthetic(freesurfer, scanner, left=0.0, right=0.0, seed=5):
    """(image, numbers, volumes) of a label map."""
    after, lost, volumes = shrink(freesurfer, left, right)
    look = SCANNERS[scanner]
    codes = L.to_codes(freesurfer)
    mean = np.full(L.CODES, look["fluid"], np.float32)
    for code, name in ((L.CORTEX, "cortex"), (L.THALAMUS, "thalamus"), (L.CAUDATE, "caudate"), (L.PUTAMEN, "putamen"),
                       (L.PALLIDUM, "pallidum"), (L.HIPPOCAMPUS, "hippocampus"), (L.AMYGDALA, "amygdala"),
                       (L.ACCUMBENS, "accumbens"), (L.VENTRAL, "ventral"), (L.BRAINSTEM, "stem"), (L.PLEXUS, "plexus"),
                       (L.HORN_PLEXUS, "plexus"), (L.CEREBELLAR_CORTEX, "cortex")):
        mean[code] = look[name]
    mean[[L.WHITE, L.CEREBELLAR_WHITE]], mean[L.LESION], mean[L.VESSEL], mean[L.CHIASM] = 1, look.get("lesion", .8), .6, .85
    mean[L.EXTRACEREBRAL:] = [.5, .12, .85, .35, .6, .08, .45]
    mean[L.OUTSIDE] = .02
    rng = np.random.default_rng(seed)
    rough = ndimage.zoom(rng.standard_normal([n // 8 for n in codes.shape]).astype(np.float32), 8, order=1)
    x = mean[codes] * (1 + .03 * rough)
    x = x * (1 - lost) + lost * look["fluid"]
    # half-voxel averaging: every voxel takes part of its neighbours, as a scanner's point spread does
    for axis in range(3):
        x = ndimage.convolve1d(x, [.125, .75, .125], axis=axis)
    x += .025 * rng.standard_normal(x.shape, dtype=np.float32)
    return np.clip(x * 110, 0, 255).round(), after, volumes


def main():
    """atrophy.py --image T1 --labels ASEG --left .4 --right .2 --out PREFIX: a painted head for the engine."""
    parser = argparse.ArgumentParser()
    for name in ("image", "labels", "out"):
        parser.add_argument("--" + name, required=True)
    for name in ("left", "right"):
        parser.add_argument("--" + name, type=float, default=0.0)
    o = parser.parse_args()
    scan, seg = nib.load(o.image), nib.load(o.labels)
    image, after, volumes = painted(np.asarray(scan.dataobj).astype(np.float32),
                                    np.asarray(seg.dataobj).astype(np.int32), o.left, o.right)
    nib.save(nib.Nifti1Image(image.round().astype(np.int16), seg.affine), o.out + ".nii.gz")
    nib.save(nib.Nifti1Image(after, seg.affine), o.out + "_labels.nii.gz")
    print(json.dumps(volumes))


if __name__ == "__main__":
    main()

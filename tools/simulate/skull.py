"""A whole head of an extracted brain: the brain in the painted skull of a label map. See README.md."""

import argparse
import pathlib
import zlib

import nibabel
import numpy as np
from nibabel.processing import resample_from_to
from scipy import ndimage

from paint import WHITE_LEVEL, intensities

# what a bounding box of the cerebrum is made of: white matter and cortex, parcels too
CEREBRUM = (2, 3, 41, 42)
ROOM = 1.04     # how much larger the skull is than one that fits


def cerebrum(codes: np.ndarray) -> np.ndarray:
    return np.isin(codes, CEREBRUM) | (codes >= 1000)


def ends_mm(mask: np.ndarray, affine: np.ndarray) -> np.ndarray:
    """Lowest and highest corner in mm: [2, 3]."""
    at = np.argwhere(mask) @ affine[:3, :3].T + affine[:3, 3]
    return np.percentile(at, (0.1, 99.9), axis=0)


def placed(skull: nibabel.Nifti1Image, codes: np.ndarray, brain: nibabel.MGHImage, labels: np.ndarray) -> np.ndarray:
    """The map's codes on the grid of the brain, stretched along each axis so that the cerebrum's bounding boxes agree."""
    own, other = ends_mm(cerebrum(labels), brain.affine), ends_mm(cerebrum(codes), skull.affine)
    scale = ROOM * (own[1] - own[0]) / (other[1] - other[0])
    move = np.diag([*scale, 1.0])
    move[:3, 3] = own.mean(0) - scale * other.mean(0)
    image = nibabel.Nifti1Image(codes.astype(np.int16), move @ skull.affine)
    return np.asarray(resample_from_to(image, (brain.shape, brain.affine), order=0).dataobj)


def whole_head(brain: np.ndarray, labels: np.ndarray, around: np.ndarray, seed: int) -> np.ndarray:
    """The brain as it is; beside it the painted skull, and fluid where the map has its own brain."""
    rng = np.random.default_rng(seed)
    mean, texture = intensities(rng)
    white = np.median(brain[np.isin(labels, (2, 41))])
    # brain tissue of the map that the extracted brain does not fill
    around = np.where((around > 0) & (around < 256), 24, around)
    smooth = ndimage.gaussian_filter(rng.standard_normal(around.shape, dtype=np.float32), 2)
    image = mean[around] + texture[around] * smooth / smooth.std()
    inside = brain > 0
    image = np.where(inside, brain / white, ndimage.gaussian_filter(image, 0.5))
    noise = [0.02 * rng.standard_normal(image.shape, dtype=np.float32) for _ in range(2)]
    return np.where(inside, image, np.hypot(image + noise[0], noise[1])) * WHITE_LEVEL


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--brain", type=pathlib.Path, required=True, help="folder with brain.mgz and aparc+aseg.mgz")
    parser.add_argument("--map", type=pathlib.Path, required=True, help="training_seg_NN.nii.gz")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="gets mri/T1.mgz and mri/aparc+aseg.mgz")
    options = parser.parse_args()
    brain, seg = (nibabel.load(options.brain / name) for name in ("brain.mgz", "aparc+aseg.mgz"))
    labels, skull = np.asarray(seg.dataobj).astype(np.int32), nibabel.load(options.map)
    around = placed(skull, np.asarray(skull.dataobj).astype(np.int16), brain, labels)
    image = whole_head(np.asarray(brain.dataobj).astype(np.float32), labels, around, zlib.crc32(options.out.name.encode()))
    mri = options.out / "mri"
    mri.mkdir(parents=True, exist_ok=True)
    nibabel.save(nibabel.MGHImage(image.round().clip(0, 255).astype(np.uint8), brain.affine), mri / "T1.mgz")
    nibabel.save(nibabel.MGHImage(labels, seg.affine), mri / "aparc+aseg.mgz")


if __name__ == "__main__":
    main()

"""Images of which one part is unlike the rest: what a lesion, a wide ventricle, metal or a short field of view does. See README.md."""

import argparse
import json
import pathlib
import zlib
from collections.abc import Callable

import nibabel
import numpy as np
from scipy import ndimage

from degrade import WHITE, levelled, rician

# FreeSurfer codes
LATERAL_VENTRICLES = (4, 43)
HIPPOCAMPUS = (17, 53)
PUTAMEN = (12, 51)
FLUID = 0.28 * WHITE
TUMOUR = 0.62 * WHITE

Pair = tuple[np.ndarray, np.ndarray]


def centre(labels: np.ndarray, codes: tuple[int, ...]) -> np.ndarray:
    return np.argwhere(np.isin(labels, codes)).mean(0)


def nearness(shape: tuple[int, ...], at: np.ndarray, radius: float, rng: np.random.Generator) -> np.ndarray:
    """Distance to `at` over an uneven radius in voxels of 1 mm: below 1 inside."""
    rough = ndimage.zoom(rng.normal(size=(6, 6, 6)), [n / 6 for n in shape], order=1)
    grid = np.ogrid[tuple(slice(0, n) for n in shape)]
    distance = np.sqrt(sum((axis - middle) ** 2 for axis, middle in zip(grid, at)))
    return distance / (radius * (1 + 0.15 * rough))


def replaced(image: np.ndarray, labels: np.ndarray, near: np.ndarray, level: float, rng: np.random.Generator) -> Pair:
    """The part inside the brain has one brightness, and is of no region."""
    part = (near < 1) & (labels > 0)
    share = ndimage.gaussian_filter(part.astype(np.float32), 0.6)
    filled = level + rng.normal(0, 0.02 * WHITE, image.shape)
    return image * (1 - share) + share * filled, np.where(part, 0, labels)


def cavity(image: np.ndarray, labels: np.ndarray, rng: np.random.Generator) -> Pair:
    """Fluid in place of a temporal lobe's middle, with half of the hippocampus, on one side."""
    at = centre(labels, HIPPOCAMPUS[rng.integers(2) :][:1])
    return replaced(image, labels, nearness(image.shape, at + rng.normal(0, 6, 3), 17, rng), FLUID, rng)


def tumour(image: np.ndarray, labels: np.ndarray, rng: np.random.Generator) -> Pair:
    """Dark tissue in place of a putamen and its surroundings, on one side, without displacement."""
    at = centre(labels, PUTAMEN[rng.integers(2) :][:1])
    return replaced(image, labels, nearness(image.shape, at + rng.normal(0, 4, 3), 14, rng), TUMOUR, rng)


def hydrocephalus(image: np.ndarray, labels: np.ndarray, rng: np.random.Generator) -> Pair:
    """Lateral ventricles wider by 9 mm on each side; what lies around is pushed and squeezed within 35 mm."""
    ventricle = np.isin(labels, LATERAL_VENTRICLES)
    inside, outside = ndimage.distance_transform_edt(ventricle), ndimage.distance_transform_edt(~ventricle)
    signed = ndimage.gaussian_filter((outside - inside).astype(np.float32), 2)
    slope = np.stack(np.gradient(signed))
    slope /= np.maximum(np.linalg.norm(slope, axis=0), 0.3)
    # the point that moved here came from nearer to the ventricle
    back = 9 * np.exp(-((np.maximum(signed - 9, 0) / 18) ** 2)) * np.clip((signed + 12) / 12, 0, 1)
    grid = np.stack(np.meshgrid(*(np.arange(n, dtype=np.float32) for n in image.shape), indexing="ij"))
    at = grid - slope * back * (labels > 0)
    moved = ndimage.map_coordinates(image, at, order=1, mode="nearest")
    return moved, ndimage.map_coordinates(labels, at, order=0, mode="nearest")


def dropout(image: np.ndarray, labels: np.ndarray, rng: np.random.Generator) -> Pair:
    """Signal lost around a temporal pole and the base of the frontal lobe, as beside metal."""
    side = 1000 if rng.integers(2) == 0 else 2000
    at = centre(labels, (side + 33, side + 12))
    loss = np.exp(-((nearness(image.shape, at, 24, rng)) ** 2))
    return rician((image * (1 - 0.9 * loss)).astype(np.float32), 0.02, rng), labels


def short_field(image: np.ndarray, labels: np.ndarray, affine: np.ndarray) -> Pair:
    """The lowest 25 mm of the brain were not scanned; they belong to the truth all the same."""
    up = affine[2, :3] / np.abs(affine[2, :3]).max()
    height = np.tensordot(np.indices(image.shape), up, axes=(0, 0))
    lowest = np.percentile(height[labels > 0], 0.05)
    return np.where(height < lowest + 25, 0, image), labels


VARIANTS: dict[str, Callable[[np.ndarray, np.ndarray, np.random.Generator], Pair]] = {
    "cavity": cavity,
    "tumour": tumour,
    "hydrocephalus": hydrocephalus,
    "dropout": dropout,
}


def box(labels: np.ndarray) -> tuple[slice, ...]:
    """The brain and 15 mm around it."""
    at = np.argwhere(labels > 0)
    ends = zip(at.min(0), at.max(0), labels.shape)
    return tuple(slice(max(low - 15, 0), min(high + 16, n)) for low, high, n in ends)


def changed(variant: str, image: np.ndarray, labels: np.ndarray, affine: np.ndarray, name: str) -> Pair:
    if variant == "short":
        return short_field(image, labels, affine)
    rng = np.random.default_rng(zlib.crc32(f"{name} {variant}".encode()))
    image, labels, part = image.copy(), labels.copy(), box(labels)
    image[part], labels[part] = VARIANTS[variant](image[part], labels[part], rng)
    return image, labels


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--heads", type=pathlib.Path, required=True, help="folder of heads in FreeSurfer's layout, 1 mm")
    parser.add_argument("--names", default="", help="heads, as a,b; all if absent")
    parser.add_argument("--variants", default=",".join([*VARIANTS, "short"]))
    parser.add_argument("--out", type=pathlib.Path, required=True)
    options = parser.parse_args()
    wanted = options.names.split(",") if options.names else None
    for file in sorted(options.heads.glob("**/aparc+aseg.*gz")):
        name = file.relative_to(options.heads).parts[0]
        if wanted is not None and name not in wanted:
            continue
        names = ("T1.mgz", "T1.nii.gz", "brain.mgz", "brain.nii.gz")
        source = nibabel.load(next(file.with_name(f) for f in names if file.with_name(f).exists()))
        labels = np.asarray(nibabel.load(file).dataobj).astype(np.int32)
        image = levelled(np.asarray(source.dataobj).astype(np.float32), labels)
        for variant in options.variants.split(","):
            degraded, truth = changed(variant, image, labels, source.affine, name)
            mri = options.out / f"{name}_{variant}" / "mri"
            mri.mkdir(parents=True, exist_ok=True)
            voxels = degraded.round().clip(0, 255).astype(np.uint8)
            nibabel.save(nibabel.MGHImage(voxels, source.affine), mri / "T1.mgz")
            nibabel.save(nibabel.MGHImage(truth.astype(np.int32), source.affine), mri / "aparc+aseg.mgz")
        print(name, flush=True)
    (options.out / "heads.json").write_text(json.dumps({"*": {"kind": "synthetic"}}))


if __name__ == "__main__":
    main()

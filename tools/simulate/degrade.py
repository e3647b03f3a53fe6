"""Images of known quality from good ones: what a scanner or a patient may do to a T1w image. See README.md."""

import argparse
import json
import pathlib
import zlib
from collections.abc import Callable

import nibabel
import numpy as np
from scipy import ndimage

MAX = 255
WHITE = 110
"""Brightness of white matter that the variants are written for."""


def levelled(image: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """The image with white matter at `WHITE`, whatever its scanner's scale: else a curve or noise would be another."""
    return image * np.float32(WHITE / np.median(image[np.isin(labels, (2, 41))]))


def rician(image: np.ndarray, level: float, rng: np.random.Generator) -> np.ndarray:
    """Noise of a magnitude image; `level` as a part of the brightness of white matter."""
    sd = WHITE * level
    real = image + rng.normal(0, sd, image.shape).astype(np.float32)
    return np.hypot(real, rng.normal(0, sd, image.shape).astype(np.float32))


def field(image: np.ndarray, amount: float, rng: np.random.Generator) -> np.ndarray:
    """A smooth field between 1 - amount and 1 + amount."""
    coarse = rng.normal(size=(4, 4, 4))
    smooth = ndimage.zoom(coarse, [n / 4 for n in image.shape], order=3)
    smooth -= smooth.min()
    return image * (1 - amount + 2 * amount * smooth / smooth.max()).astype(np.float32)


def thick(image: np.ndarray, factors: tuple[int, int, int]) -> np.ndarray:
    """Slices of several millimetres, brought back to the grid."""
    blurred = ndimage.gaussian_filter(image, [0.42 * f if f > 1 else 0 for f in factors])
    small = blurred[:: factors[0], :: factors[1], :: factors[2]]
    return ndimage.zoom(small, [n / m for n, m in zip(image.shape, small.shape)], order=1)


def motion(image: np.ndarray, parts: int, mm: float, rng: np.random.Generator) -> np.ndarray:
    """Parts of k-space measured with the head shifted and turned, one after the other along one phase direction."""
    spectrum = np.fft.fftn(image)
    out = spectrum.copy()
    n = image.shape[2]
    edges = np.sort(rng.choice(np.arange(n // 16, n - n // 16), 2 * parts, replace=False)).reshape(parts, 2)
    order = np.fft.fftshift(np.arange(n))
    for low, high in edges:
        moved = ndimage.shift(image, rng.normal(0, mm, 3), order=1)
        moved = ndimage.rotate(moved, rng.normal(0, mm), axes=(0, 2), reshape=False, order=1)
        rows = order[low:high]
        out[:, :, rows] = np.fft.fftn(moved)[:, :, rows]
    return np.abs(np.fft.ifftn(out)).astype(np.float32)


def seven_tesla(image: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Strong field of the coil, weak contrast between grey and white matter, bright vessels left out."""
    curve = np.interp(image / WHITE, [0, 0.3, 0.7, 1.0, 2.5], [0.1, 0.35, 0.85, 1.0, 2.2]) * WHITE
    return rician(field(curve.astype(np.float32), 0.6, rng), 0.06, rng)


VARIANTS: dict[str, Callable[[np.ndarray, np.random.Generator], np.ndarray]] = {
    "plain": lambda x, rng: x,
    "noise3": lambda x, rng: rician(x, 0.03, rng),
    "noise9": lambda x, rng: rician(x, 0.09, rng),
    "noise15": lambda x, rng: rician(x, 0.15, rng),
    "bias40": lambda x, rng: field(x, 0.4, rng),
    "slices2": lambda x, rng: thick(x, (2, 1, 1)),
    "voxels2": lambda x, rng: thick(x, (2, 2, 2)),
    "slices3": lambda x, rng: thick(x, (1, 1, 3)),
    "blur8": lambda x, rng: ndimage.gaussian_filter(x, 0.8),
    "half": lambda x, rng: ndimage.shift(x, 0.5, order=1),
    "motion1": lambda x, rng: motion(x, 3, 1.0, rng),
    "motion4": lambda x, rng: motion(x, 6, 4.0, rng),
    "seven": seven_tesla,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--heads", type=pathlib.Path, required=True, help="folder of heads in FreeSurfer's layout")
    parser.add_argument("--names", default="", help="heads, as a,b; all if absent")
    parser.add_argument("--variants", default=",".join(VARIANTS))
    parser.add_argument("--out", type=pathlib.Path, required=True)
    options = parser.parse_args()
    wanted = options.names.split(",") if options.names else None
    for labels in sorted(options.heads.glob("**/aparc+aseg.*gz")):
        name = labels.relative_to(options.heads).parts[0]
        if wanted is not None and name not in wanted:
            continue
        names = ("T1.mgz", "T1.nii.gz", "brain.mgz", "brain.nii.gz")
        found = [labels.with_name(f) for f in names if labels.with_name(f).exists()]
        source = nibabel.load(found[0])
        image = levelled(np.asarray(source.dataobj).astype(np.float32), np.asarray(nibabel.load(labels).dataobj))
        for variant in options.variants.split(","):
            rng = np.random.default_rng(zlib.crc32(f"{name} {variant}".encode()))
            mri = options.out / f"{name}_{variant}" / "mri"
            mri.mkdir(parents=True, exist_ok=True)
            changed = VARIANTS[variant](image, rng).round().clip(0, MAX).astype(np.uint8)
            nibabel.save(nibabel.MGHImage(changed, source.affine), mri / "T1.mgz")
            (mri / labels.name).unlink(missing_ok=True)
            (mri / labels.name).symlink_to(labels.resolve())
        print(name, flush=True)
    (options.out / "heads.json").write_text(json.dumps({"*": {"kind": "synthetic"}}))


if __name__ == "__main__":
    main()

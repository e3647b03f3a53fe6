"""Hippocampi of known loss in real heads: fluid in the place of their outer shell, or of the side of the horn. See README.md."""

import argparse
import json
import pathlib
import zlib

import nibabel
import numpy as np
from scipy import ndimage

# FreeSurfer codes: left and right
HIPPOCAMPI = (17, 53)
HORNS = (5, 44)
VENTRICLES = (4, 43)
# Loss of the left and of the right hippocampus.
LOSSES = {"10": (0.1, 0.2), "20": (0.2, 0.1)}
FINE = 3    # parts of a voxel along each axis


def up(mask: np.ndarray) -> np.ndarray:
    smooth = ndimage.gaussian_filter(mask.astype(np.float32), 0.5)
    return ndimage.zoom(smooth, FINE, order=1, mode="nearest", grid_mode=True) > 0.5


def lost(whole: np.ndarray, horn: np.ndarray | None, fraction: float, rng: np.random.Generator) -> np.ndarray:
    """The part that goes: nearest to the surface all round, or to the horn."""
    depth = ndimage.distance_transform_edt(whole) / FINE
    depth += 4.5 * ndimage.gaussian_filter(rng.normal(size=whole.shape), 6)    # an even shell would be no tissue's
    if horn is not None:
        depth = ndimage.distance_transform_edt(~horn) / FINE + 0.5 * depth
    return whole & (depth <= np.quantile(depth[whole], fraction))


def receded(image: np.ndarray, labels: np.ndarray, side: str, losses: tuple[float, float], rng: np.random.Generator):
    """The image with both hippocampi smaller, and their volumes before and after in mm³."""
    ventricle = ndimage.binary_erosion(np.isin(labels, VENTRICLES))
    fluid, noise = np.median(image[ventricle]), image[ventricle].std()
    out, volumes = image.copy(), []
    for code, horn_code, fraction in zip(HIPPOCAMPI, HORNS, losses):
        at = np.argwhere(labels == code)
        part = tuple(slice(low - 6, high + 7) for low, high in zip(at.min(0), at.max(0)))
        whole = up(labels[part] == code)
        horn = up(labels[part] == horn_code) if side == "horn" else None
        gone = lost(whole, horn, fraction, rng)
        share = ndimage.gaussian_filter(gone.astype(np.float32), 0.45 * FINE)
        n = [size // FINE for size in share.shape]
        share = share.reshape(n[0], FINE, n[1], FINE, n[2], FINE).mean((1, 3, 5)).clip(0, 1)
        out[part] = out[part] * (1 - share) + share * (fluid + rng.normal(0, 0.7 * noise, share.shape))
        volumes.append((whole.sum() / FINE**3, (whole & ~gone).sum() / FINE**3))
    return out, volumes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--heads", type=pathlib.Path, required=True, help="folder of heads in FreeSurfer's layout, 1 mm")
    parser.add_argument("--names", default="", help="heads, as a,b; all if absent")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    options = parser.parse_args()
    wanted = options.names.split(",") if options.names else None
    pairs = []
    for file in sorted(options.heads.glob("**/aparc+aseg.*gz")):
        name = file.relative_to(options.heads).parts[0]
        if wanted is not None and name not in wanted:
            continue
        names = ("T1.mgz", "T1.nii.gz", "brain.mgz", "brain.nii.gz")
        source = nibabel.load(next(file.with_name(f) for f in names if file.with_name(f).exists()))
        labels = np.asarray(nibabel.load(file).dataobj).astype(np.int32)
        image = np.asarray(source.dataobj).astype(np.float32)
        for side in ("horn", "shell"):
            for loss, losses in LOSSES.items():
                variant = f"{name}_{side}{loss}"
                rng = np.random.default_rng(zlib.crc32(variant.encode()))
                smaller, volumes = receded(image, labels, side, losses, rng)
                mri = options.out / variant / "mri"
                mri.mkdir(parents=True, exist_ok=True)
                voxels = smaller.round().clip(0, 255).astype(np.uint8)
                nibabel.save(nibabel.MGHImage(voxels, source.affine), mri / "T1.mgz")
                (mri / file.name).unlink(missing_ok=True)
                (mri / file.name).symlink_to(file.resolve())
                for structure, fraction, (before, after) in zip(("Left-Hippocampus", "Right-Hippocampus"), losses, volumes):
                    pairs.append({"name": variant, "base": name, "structure": structure, "fraction": fraction, "place": side,
                                  "before_mm3": round(before), "after_mm3": round(after)})    # fmt: skip
        print(name, flush=True)
    (options.out / "pairs.json").write_text(json.dumps(pairs, indent=1))
    (options.out / "heads.json").write_text(json.dumps({"*": {"kind": "synthetic"}}))


if __name__ == "__main__":
    main()

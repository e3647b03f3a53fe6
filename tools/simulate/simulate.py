"""Heads with structures of known smaller volume: T1w images and labels in FreeSurfer's layout. See README.md."""

import argparse
import json
import pathlib
import zlib

import nibabel
import numpy as np

from halves import box_of, majority, smooth_labels
from paint import SCANNERS, intensities, paint
from shrink import STRUCTURES, VENTRICLE, Change, resize_ventricle, shrink

FRACTIONS = (0.1, 0.2, 0.4, 0.0)
CORTEX_FRACTIONS = {"a": (0.1, 0.2), "b": (0.2, 0.1), "c": (0.0, 0.0), "d": (0.4, 0.4)}
VENTRICLE_FACTORS = {"a": 1.5, "b": 2.0, "c": 0.7, "d": 3.0}
SIDES = ("Left", "Right")
# codes that FreeSurfer's aparc+aseg does not have
EXPORTED = {136: 31, 163: 63, 137: 5, 164: 44, 25: 2, 57: 41}


def plan(variant: str) -> list[Change]:
    """Which structures a variant shrinks: over a, b and c each has three of the four fractions; d is cortex alone."""
    changes = []
    for index, structure in enumerate(STRUCTURES):
        for side in range(2):
            if structure == "Cerebral-Cortex":
                fraction = CORTEX_FRACTIONS[variant][side]
            else:
                fraction = 0.0 if variant == "d" else FRACTIONS[("abc".index(variant) + 2 * side + index) % 4]
            changes.append(Change(structure, side, fraction))
    return changes


def exported(codes: np.ndarray) -> np.ndarray:
    """Codes of aparc+aseg; what lies outside the brain is 0."""
    out = np.where(codes < 256, codes, 0).astype(np.int32)
    for code, other in EXPORTED.items():
        out[codes == code] = other
    return out


def volume(codes: np.ndarray, structure: str, side: int) -> int:
    """mm³ on the 1 mm grid, which the image's voxels are."""
    wanted = {**STRUCTURES, "Inf-Lat-Vent": (5, 44), "Lateral-Ventricle": (4, 43)}[structure][side]
    choroid = {4: [31], 43: [63]}.get(wanted, [])
    return int(np.isin(codes, [wanted, *choroid]).sum())


def write(folder: pathlib.Path, image: np.ndarray, codes: np.ndarray, affine: np.ndarray) -> None:
    mri = folder / "mri"
    mri.mkdir(parents=True, exist_ok=True)
    nibabel.save(nibabel.MGHImage(image.round().clip(0, 255).astype(np.uint8), affine), mri / "T1.mgz")
    nibabel.save(nibabel.MGHImage(codes, affine), mri / "aparc+aseg.mgz")


def head(path: pathlib.Path, out: pathlib.Path, variants: str, scanner: str, noise: float | None, bias: float | None) -> list[dict]:
    """The unchanged head and its variants on one scanner; returns the pairs."""
    kind = SCANNERS[scanner]
    noise, bias = kind.noise if noise is None else noise, kind.bias if bias is None else bias
    source = nibabel.load(path)
    codes = np.asarray(source.dataobj).astype(np.int16)
    name = path.name.split(".")[0].removeprefix("training_seg_")
    seed = zlib.crc32(name.encode())
    if scanner != "mprage3":
        name += f"_{scanner}"
        seed = zlib.crc32(name.encode())
    box = box_of(codes > 0, 2)
    fine = smooth_labels(codes[box])
    levels = intensities(np.random.default_rng(seed), kind)
    pairs, base = [], None
    for variant in ["base", *variants]:
        changed = fine.copy()
        if variant != "base":
            for side in range(2):
                resize_ventricle(changed, side, VENTRICLE_FACTORS[variant])
            for n, change in enumerate(plan(variant)):
                shrink(changed, change, np.random.default_rng(seed + n))
        at_1mm = np.zeros_like(codes)
        at_1mm[box] = majority(changed)
        rng = np.random.default_rng(seed + 100 + sum(variant.encode()))
        image = np.full(codes.shape, 2.0, np.float32)
        image[box] = paint(changed, levels, rng, noise, bias, kind.blur)
        truth = exported(at_1mm)
        write(out / f"{name}_{variant}", image, truth, source.affine)
        if base is None:
            base = truth
            continue
        wanted = {(c.structure, c.side): c.fraction for c in plan(variant)}
        for structure in [*STRUCTURES, "Inf-Lat-Vent", "Lateral-Ventricle"]:
            for side in range(2):
                before, after = volume(base, structure, side), volume(truth, structure, side)
                pairs.append({
                    "name": f"{name}_{variant}", "base": f"{name}_base",
                    "structure": f"{SIDES[side]}-{structure}",
                    "fraction": wanted.get((structure, side)),
                    "before_mm3": before, "after_mm3": after,
                })  # fmt: skip
    return pairs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--maps", type=pathlib.Path, required=True, help="folder of training_seg_NN.nii.gz")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--heads", default="", help="numbers, as 02,08; every map if absent")
    parser.add_argument("--variants", default="abc", help="of a, b, c and d")
    parser.add_argument("--scanners", default="mprage3", help=f"of {', '.join(SCANNERS)}, as a,b")
    parser.add_argument("--noise", type=float, help="for all scanners")
    parser.add_argument("--bias", type=float, help="for all scanners")
    options = parser.parse_args()
    wanted = options.heads.split(",") if options.heads else None
    pairs = []
    for path in sorted(options.maps.glob("training_seg_*.nii.gz")):
        if wanted is None or path.name.split("_")[2][:2] in wanted:
            for scanner in options.scanners.split(","):
                pairs += head(path, options.out, options.variants, scanner, options.noise, options.bias)
            print(path.name, flush=True)
    facts = {
        f"{path.name.split('.')[0].removeprefix('training_seg_')}{suffix}": scanner
        for path in options.maps.glob("training_seg_*.nii.gz")
        for scanner in SCANNERS
        for suffix in ["" if scanner == "mprage3" else f"_{scanner}"]
    }
    (options.out / "heads.json").write_text(json.dumps({
        folder.name: {"kind": "synthetic", "scanner": facts[folder.name.rsplit("_", 1)[0]]}
        for folder in sorted(options.out.iterdir()) if folder.name.rsplit("_", 1)[0] in facts
    }, indent=1))  # fmt: skip
    (options.out / "pairs.json").write_text(json.dumps(pairs, indent=1))


if __name__ == "__main__":
    main()

"""A T1-weighted image of a label map of half a millimetre."""

from typing import NamedTuple

import numpy as np
from scipy import ndimage

from halves import halved, waves

# Means relative to white matter, as 3 T heads have them after bias correction (FreeSurfer codes, left side).
MEANS = {
    2: 1.0, 3: 0.73, 4: 0.30, 5: 0.30, 7: 0.98, 8: 0.77, 10: 0.91, 11: 0.79, 12: 0.875, 13: 0.98, 14: 0.30, 15: 0.30,
    16: 0.95, 17: 0.755, 18: 0.745, 24: 0.28, 25: 0.80, 26: 0.79, 28: 0.94, 30: 0.55, 85: 0.85, 136: 0.45, 137: 0.42,
}  # fmt: skip
RIGHT = {
    41: 2, 42: 3, 43: 4, 44: 5, 46: 7, 47: 8, 49: 10, 50: 11, 51: 12, 52: 13, 53: 17, 54: 18, 57: 25, 58: 26, 60: 28,
    62: 30, 163: 136, 164: 137,
}  # fmt: skip
# Outside the brain: soft tissue, skull, fat and muscle by their place in the maps, dura and sinuses, air, marrow.
OUTSIDE = {0: 0.015, 502: 0.45, 506: 0.45, 507: 0.50, 508: 0.45, 509: 0.08, 511: 0.85, 512: 0.45, 514: 0.35, 515: 0.12,
           516: 0.60, 530: 0.45}  # fmt: skip
WHITE_LEVEL = 110
GREY = (3, 8, 11, 12, 17, 18, 26)


class Scanner(NamedTuple):
    """What differs between scanners and sequences: shifts of the means, noise and field as `paint` takes them."""

    grey: float = 0.0
    fluid: float = 0.0
    # putamen and pallidum darken with field strength and inversion time; the thalamus lies between grey and white
    putamen: float = 0.0
    pallidum: float = 0.0
    thalamus: float = 0.0
    noise: float = 0.025
    bias: float = 0.08
    blur: float = 0.4


# Ordinary 1 mm protocols; the first is the one that MEANS was measured on.
SCANNERS = {
    "mprage3": Scanner(),
    "spgr15": Scanner(grey=-0.03, fluid=-0.06, putamen=0.02, pallidum=-0.02, noise=0.035, bias=0.10, blur=0.5),
    "tfe3": Scanner(grey=0.03, fluid=0.05, putamen=0.03, pallidum=0.02, thalamus=0.02, noise=0.02, bias=0.14),
    "mp2rage": Scanner(grey=-0.10, fluid=-0.12, putamen=-0.06, thalamus=-0.04, noise=0.03, bias=0.02, blur=0.3),
    "fast15": Scanner(grey=0.05, fluid=0.08, putamen=-0.02, pallidum=-0.04, thalamus=0.01, noise=0.03, bias=0.06,
                      blur=0.55),
}  # fmt: skip


def intensities(rng: np.random.Generator, scanner: Scanner = SCANNERS["mprage3"]) -> tuple[np.ndarray, np.ndarray]:
    """Mean and texture by code, for one head on a scanner: grey, deep grey and fluid move a little."""
    mean, texture = np.full(1024, 0.45, np.float32), np.zeros(1024, np.float32)
    grey, fluid = rng.normal(0, 0.012) + scanner.grey, rng.normal(0, 0.02) + scanner.fluid
    own = {12: scanner.putamen, 13: scanner.pallidum, 10: scanner.thalamus}
    for code, level in MEANS.items():
        level += own.get(code, 0.0)
        moved = level + rng.normal(0, 0.008) + (grey if code in GREY else 0) + (fluid if level < 0.5 else 0)
        mean[code], texture[code] = moved, 0.012 if level < 0.5 else 0.022
    mean[2] = 1.0
    for code, left in RIGHT.items():
        mean[code], texture[code] = mean[left], texture[left]
    for code, level in OUTSIDE.items():
        mean[code], texture[code] = level, 0.0 if code == 0 else 0.08
    return mean, texture


def paint(labels: np.ndarray, levels: tuple[np.ndarray, np.ndarray], rng: np.random.Generator, noise: float,
          bias: float, blur: float = 0.4) -> np.ndarray:  # fmt: skip
    """Image at 1 mm: partial volume by averaging, the blur of a scanner, receive field and Rician noise.

    noise is the standard deviation relative to white matter, bias that of the field's logarithm,
    blur the sigma of the point spread in mm.
    """
    mean, texture = levels
    fine = mean[labels]
    fine += texture[labels] * waves(rng, labels.shape, 7)
    image = ndimage.gaussian_filter(halved(fine), blur, truncate=4)
    image *= np.exp(bias * waves(rng, image.shape, 70))
    real, other = (noise * rng.standard_normal(image.shape, dtype=np.float32) for _ in range(2))
    return np.hypot(image + real, other) * WHITE_LEVEL

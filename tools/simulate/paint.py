"""A T1-weighted image of a label map of half a millimetre."""

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


def intensities(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Mean and texture by code, for one scanner: grey, deep grey and fluid move a little."""
    mean, texture = np.full(1024, 0.45, np.float32), np.zeros(1024, np.float32)
    grey, fluid = rng.normal(0, 0.012), rng.normal(0, 0.02)
    for code, level in MEANS.items():
        moved = level + rng.normal(0, 0.008) + (grey if code in GREY else 0) + (fluid if level < 0.5 else 0)
        mean[code], texture[code] = moved, 0.012 if level < 0.5 else 0.022
    mean[2] = 1.0
    for code, left in RIGHT.items():
        mean[code], texture[code] = mean[left], texture[left]
    for code, level in OUTSIDE.items():
        mean[code], texture[code] = level, 0.0 if code == 0 else 0.08
    return mean, texture


def paint(labels: np.ndarray, levels: tuple[np.ndarray, np.ndarray], rng: np.random.Generator, noise: float,
          bias: float) -> np.ndarray:  # fmt: skip
    """Image at 1 mm: partial volume by averaging, the blur of a scanner, receive field and Rician noise.

    noise is the standard deviation relative to white matter, bias that of the field's logarithm.
    """
    mean, texture = levels
    fine = mean[labels]
    fine += texture[labels] * waves(rng, labels.shape, 7)
    image = ndimage.gaussian_filter(halved(fine), 0.4, truncate=4)
    image *= np.exp(bias * waves(rng, image.shape, 70))
    real, other = (noise * rng.standard_normal(image.shape, dtype=np.float32) for _ in range(2))
    return np.hypot(image + real, other) * WHITE_LEVEL

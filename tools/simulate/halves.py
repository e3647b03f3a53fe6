"""Between the 1 mm grid of a label map and one of half the step, where surfaces lie between voxels."""

import numpy as np
from scipy import ndimage


def doubled(values: np.ndarray) -> np.ndarray:
    """Linear interpolation at the centres of the eight halves of every voxel; the edge repeats."""
    for axis in range(values.ndim):
        lower = np.concatenate([values.take([0], axis), np.delete(values, -1, axis)], axis)
        upper = np.concatenate([np.delete(values, 0, axis), values.take([-1], axis)], axis)
        both = np.stack([0.75 * values + 0.25 * lower, 0.75 * values + 0.25 * upper], axis + 1)
        shape = list(values.shape)
        shape[axis] *= 2
        values = both.reshape(shape)
    return values


def halved(values: np.ndarray) -> np.ndarray:
    """Mean of the eight halves of every voxel."""
    nx, ny, nz = (n // 2 for n in values.shape)
    return values.reshape(nx, 2, ny, 2, nz, 2).mean((1, 3, 5), dtype=np.float32)


def box_of(mask: np.ndarray, margin: int) -> tuple[slice, ...]:
    """Smallest box around the mask, wider by a margin, inside the volume."""
    return tuple(
        slice(max(0, s.start - margin), min(n, s.stop + margin))
        for s, n in zip(ndimage.find_objects(mask.astype(np.uint8))[0], mask.shape)
    )


def smooth_labels(labels: np.ndarray, sigma: float = 0.7) -> np.ndarray:
    """A label map at half the step with smooth surfaces: the label whose blurred indicator is largest.

    sigma is in voxels. Labels are not created and staircases go; thin sheets lose a little.
    """
    out = np.zeros([2 * n for n in labels.shape], labels.dtype)
    best = np.zeros(out.shape, np.float32)
    for label in np.unique(labels):
        box = box_of(labels == label, 3)
        share = doubled(ndimage.gaussian_filter((labels[box] == label).astype(np.float32), sigma, truncate=3))
        there = tuple(slice(2 * s.start, 2 * s.stop) for s in box)
        wins = share > best[there]
        out[there][wins] = label
        best[there][wins] = share[wins]
    return out


def majority(labels: np.ndarray) -> np.ndarray:
    """The label at 1 mm: that of most of the eight halves of a voxel; the first of equals in their order."""
    nx, ny, nz = (n // 2 for n in labels.shape)
    eight = labels.reshape(nx, 2, ny, 2, nz, 2).transpose(0, 2, 4, 1, 3, 5).reshape(nx, ny, nz, 8)
    out, most = eight[..., 0].copy(), np.zeros(eight.shape[:3], np.int8)
    for n in range(8):
        votes = (eight == eight[..., n : n + 1]).sum(-1, dtype=np.int8)
        more = votes > most
        out[more], most[more] = eight[..., n][more], votes[more]
    return out


def waves(rng: np.random.Generator, shape: tuple[int, ...], step: float) -> np.ndarray:
    """Smooth noise of standard deviation about 1 whose hills are `step` voxels apart."""
    coarse = rng.standard_normal([int(np.ceil(n / step)) + 4 for n in shape]).astype(np.float32)
    at = np.ix_(*[np.arange(n, dtype=np.float32) / step + 1.5 for n in shape])
    # a cubic spline in one axis after another: much faster than in all at once
    for axis in range(3):
        grid = ndimage.spline_filter1d(coarse, 3, axis, output=np.float32)
        where = at[axis].ravel()
        first = np.floor(where).astype(int)
        f = (where - first)[tuple(slice(None) if a == axis else None for a in range(3))]
        piece = lambda d: grid.take(np.clip(first + d, 0, grid.shape[axis] - 1), axis)  # noqa: E731
        coarse = (
            (1 - f) ** 3 * piece(-1)
            + (3 * f**3 - 6 * f**2 + 4) * piece(0)
            + (-3 * f**3 + 3 * f**2 + 3 * f + 1) * piece(1)
            + f**3 * piece(2)
        ) / 6
    return coarse / coarse.std()

"""evaluate_any.py --net FILE[,FILE…] [--heads heads.json --regions regions.csv] [--maps DIR --hold 02,08,17] [--json OUT]

Dice and volumes of the deep structures on real images of any contrast and resolution, and on label maps painted like a
FLAIR (looks F and G of atrophy.py) with losses of the hippocampi, at 1 mm and as slices of 4 mm.
heads.json: [{"name", "image", "labels", "engine" (true: the labels are the engine's, else FreeSurfer's),
"labels_from_image" (16 numbers column by column, RAS mm; identity when absent), "slices" ([["axis" 0 side, 1 down,
2 forwards, millimetres], …]: the image is also read as such slices)}].
"""

import argparse
import json

import nibabel as nib
import numpy as np
import torch
from nibabel.processing import resample_from_to

import atrophy
import evaluate
import generator
import labels as L

SIDE = 256


def conformed_grid(image):
    """The engine's grid: 256³, 1 mm, axes L-I-A, the image's centre at n/2."""
    centre = image.affine @ [*(np.array(image.shape[:3]) / 2), 1]
    turn = np.array([[-1, 0, 0], [0, 0, 1], [0, -1, 0]], float)
    affine = np.eye(4)
    affine[:3, :3] = turn
    affine[:3, 3] = centre[:3] - turn @ np.full(3, SIDE / 2)
    return (SIDE,) * 3, affine


def numbers_of(head, regions):
    """Label image with FreeSurfer numbers, in the image's frame."""
    seg = nib.load(head["labels"])
    values = np.asarray(seg.dataobj).astype(np.int32)
    if head.get("engine"):
        values = evaluate.freesurfer_numbers(values, regions)
    image_from_labels = np.eye(4)
    if head.get("labels_from_image"):
        image_from_labels = np.linalg.inv(np.array(head["labels_from_image"]).reshape(4, 4).T)
    return nib.Nifti1Image(values.astype(np.int32), image_from_labels @ seg.affine)


def found(net, volume, centre):
    """Classes and posteriors of both boxes, the own side alone."""
    sides = []
    for left in (True, False):
        p = torch.softmax(evaluate.scores(net, L.cut(volume, centre, left)), 0).numpy()
        p[:, :-L.ORIGIN[0]] = 0
        sides.append(p)
    return sides


def entropy_of(sides):
    """Mean entropy where a measured structure is the likeliest, as a part of the entropy of knowing nothing."""
    values = []
    for p in sides:
        inside = np.isin(p.argmax(0), list(L.MEASURED.values())) & (p.sum(0) > 0)
        q = p[:, inside]
        values.append(-(q * np.log(np.maximum(q, 1e-9))).sum(0) / np.log(len(p) - 1))
    return float(np.concatenate(values).mean())


def row_of(head, slices, net, sides, truth):
    """What one network reads of one image, a line for each structure and side."""
    classes, entropy = [p.argmax(0) for p in sides], entropy_of(sides)
    compared = evaluate.compare(classes, truth)
    return compared, entropy, [
        {"head": head, "slices": slices, "net": net, "structure": structure, "side": side, "dice": compared[structure][side][0],
         "true_mm3": int((truth[side] == c).sum()), "mm3": int((classes[side] == c).sum()), "entropy": entropy}
        for structure, c in L.MEASURED.items() for side in (0, 1)]


def real(nets, options, rows):
    for head in json.load(open(options.heads)):
        image = nib.load(head["image"])
        image = nib.Nifti1Image(np.asarray(image.dataobj).astype(np.float32), image.affine)
        grid = conformed_grid(image)
        volume = np.asarray(resample_from_to(image, grid, order=1).dataobj)
        numbers = np.asarray(resample_from_to(numbers_of(head, options.regions), grid, order=0).dataobj).astype(np.int32)
        centre = L.centre_of(numbers)
        truth = evaluate.reference(numbers, centre)
        for axis, mm in [(None, 0), *head.get("slices", [])]:
            seen = volume if axis is None else atrophy.as_slices(volume, axis, mm)
            results, entropies = {}, {}
            for name, net in nets.items():
                compared, entropies[name], lines = row_of(head["name"], [axis, mm], name, found(net, seen, centre), truth)
                results[name] = [compared]
                rows += lines
            title = head["name"] + ("" if axis is None else f", slices of {mm} mm across {['side', 'down', 'forwards'][axis]}")
            evaluate.table(title, results)
            print("entropy", {k: round(v, 3) for k, v in entropies.items()}, flush=True)


def painted(nets, options, rows):
    for mm in (0, 4):
        results, pairs = {m: [] for m in nets}, {m: [] for m in nets}
        for at, path in enumerate(evaluate.pick(options)):
            numbers, centre = evaluate.around_the_box(path)
            for look in "FG":
                for losses in evaluate.LOSSES:
                    image, after, volumes = atrophy.synthetic(numbers, look, *losses)
                    truth = evaluate.reference(after, centre)
                    seen = atrophy.as_slices(image, 1, mm) if mm else image
                    for name, net in nets.items():
                        sides = found(net, seen, centre)
                        compared, _, lines = row_of(f"map {path[-9:-7]} {look} {losses}", [1, mm], name, sides, truth)
                        results[name].append(compared)
                        rows += lines
                        for side, number in enumerate((17, 53)):
                            group = 2 * (2 * at + "FG".index(look)) + side
                            pairs[name].append((group, volumes[number], (sides[side].argmax(0) == L.HIPPOCAMPUS).sum()))
        title = "held-out maps painted like a FLAIR, " + (f"slices of {mm} mm" if mm else "1 mm")
        evaluate.table(title, results)
        evaluate.recovery(title, pairs)


def spread(rows):
    """Root mean square of ln(volume / truth) of both sides together, real images and painted maps each: what the product's
    intervals are made of (model/norms/any_contrast_error.ts)."""
    totals = {}
    for row in rows:
        key = row["net"], row["head"].startswith("map "), row["structure"], row["head"], str(row["slices"])
        found, true = totals.get(key, (0, 0))
        totals[key] = found + row["mm3"], true + row["true_mm3"]
    for net in {row["net"] for row in rows}:
        print(f"\n{net}: spread of ln(volume / truth) of both sides, real images | painted maps")
        for structure in L.MEASURED:
            parts = []
            for is_map in (False, True):
                logs = np.array([np.log((a + 1) / (b + 1)) for (n, m, s, *_), (a, b) in totals.items()
                                 if (n, m, s) == (net, is_map, structure)])
                parts.append(f"{np.sqrt((logs ** 2).mean()):.3f} (mean {logs.mean():+.3f}, n {len(logs)})" if len(logs) else "-")
            print(f"{structure:18s} {' | '.join(parts)}")


def main(options):
    nets, rows = {path.split("/")[-1]: evaluate.network(path) for path in options.net.split(",")}, []
    if options.heads:
        real(nets, options, rows)
    if options.maps:
        painted(nets, options, rows)
    spread(rows)
    if options.json:
        json.dump(rows, open(options.json, "w"))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--net", required=True)
    parser.add_argument("--heads")
    parser.add_argument("--regions")
    parser.add_argument("--maps")
    parser.add_argument("--hold", default="02,08,17")
    parser.add_argument("--json")
    torch.set_num_threads(1)
    main(parser.parse_args())

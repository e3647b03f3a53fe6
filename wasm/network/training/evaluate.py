"""evaluate.py --net FILE[,FILE…] --heads heads.json [--maps DIR --hold 02,08,17] [--json OUT]
evaluate.py --net FILE --bias OUT.json --maps DIR --hold 03,10,13,16,19,20 [--scanners FG --slices 4]

FILE: a checkpoint (.pt), an exported network (.bin) or the trial's weights (trial_weights.pt).
heads.json: [{"name", "image", "labels" (FreeSurfer), "engine" (labels_1mm.nii.gz, optional)}].
Prints Dice and volume ratios against the labels, and how much of a known hippocampal loss is found.
--bias: what is to be added to the score of each nucleus so that its mean volume is right on these maps, plainly painted
(maps of the training; no real head and no held-out map is looked at).
"""

import argparse
import csv
import glob
import json
import os

import nibabel as nib
import numpy as np
import torch
from nibabel.processing import resample_from_to

import atrophy
import export
import generator
import labels as L
from model import OUTPUTS, Net

LOSSES = ((0, 0), (.1, .2), (.2, .1), (.3, .4), (.4, .3), (.5, 0), (0, .5))


def network(path):
    if path.endswith(".bin"):
        return export.read(path)[0]
    state = torch.load(path, weights_only=True)
    weights = state.get("mean") or {
        k.replace(".c.", ".conv.").replace(".n.", ".norm."): v for k, v in state["ema"].items()}
    net = Net()
    net.load_state_dict(weights)
    return net.eval()


def scores(net, box):
    with torch.no_grad():
        return net(generator.normalise(torch.from_numpy(np.ascontiguousarray(box, np.float32)))[None, None])[0]


def own_side(classes):
    """Without what lies past the middle of the box's centre column."""
    classes = classes.copy()
    classes[:-L.ORIGIN[0]] = 0
    return classes


def predict(net, image, centre):
    """Classes of the left and of the right box."""
    return [own_side(scores(net, L.cut(image, centre, left)).argmax(0).numpy()) for left in (True, False)]


def reference(freesurfer, centre):
    classes = L.to_classes(freesurfer)
    return [own_side(L.cut(classes, centre, left)) for left in (True, False)]


def compare(found, truth):
    """{structure: [(Dice, volume ratio), …]} over sides."""
    rows = {}
    for name, c in L.MEASURED.items():
        rows[name] = [(2 * ((f == c) & (t == c)).sum() / max((f == c).sum() + (t == c).sum(), 1),
                       (f == c).sum() / max((t == c).sum(), 1)) for f, t in zip(found, truth)]
    return rows


def freesurfer_numbers(labels, regions):
    """The engine's labels as FreeSurfer numbers; `regions`: regions.csv."""
    table = np.zeros(512, np.int32)
    for row in csv.DictReader(open(regions)):
        if row["freesurfer_id"]:
            table[int(row["label"])] = int(row["freesurfer_id"])
    return table[labels]


def engine_labels(path, regions, like):
    """The engine's labels as FreeSurfer numbers on the grid of `like`."""
    image = nib.load(path)
    image = nib.Nifti1Image(freesurfer_numbers(np.asarray(image.dataobj).astype(int), regions), image.affine)
    return np.asarray(resample_from_to(image, (like.shape[:3], like.affine), order=0).dataobj).astype(np.int32)


def table(title, results):
    """results: {method: [compare(), …]}"""
    print(f"\n{title}: Dice, volume ratio ± sd over sides and heads")
    print(f"{'':18s}" + "".join(f"{m[:20]:>22s}" for m in results))
    means = {m: [] for m in results}
    for name in L.MEASURED:
        line = f"{name:18s}"
        for method, rows in results.items():
            values = np.array([v for row in rows for v in row[name]])
            line += f"{values[:, 0].mean():11.3f} {values[:, 1].mean():5.2f}±{values[:, 1].std():.2f}"
            means[method].append(values[:, 0].mean())
        print(line)
    print(f"{'mean':18s}" + "".join(f"{np.mean(v):11.3f}{'':11s}" for v in means.values()), flush=True)


def recovery(title, pairs):
    """pairs: {method: [(group, true mm3, found mm3)]}; a group is one side of one head."""
    print(f"\n{title}: hippocampus, true against found")
    for method, rows in pairs.items():
        group, x, y = np.array([r[0] for r in rows]), np.array([r[1] for r in rows]), np.array([r[2] for r in rows])
        slope, offset = np.polyfit(x, y, 1)
        r2 = np.corrcoef(x, y)[0, 1] ** 2
        dx, dy = x.copy(), y.copy()
        for g in set(group):
            w = group == g
            dx[w] = 100 * (x[w] / x[w].max() - 1)
            dy[w] = 100 * (y[w] / y[w][np.argmax(x[w])] - 1)
        inner = (dx * dy).sum() / (dx * dx).sum()
        print(f"  {method[:24]:24s} n={len(rows)} volumes: slope {slope:.2f} R2 {r2:.3f} bias {np.mean(y - x) / 1000:+.2f} mL "
              f"mean |error| {np.abs(y - x).mean() / 1000:.2f} mL; loss found / true {inner:.2f}, "
              f"R2 {np.corrcoef(dx, dy)[0, 1] ** 2:.3f}", flush=True)


def bias_of(net, paths, scanners="ABC", slices=0.0):
    """Added scores that make each nucleus's mean volume right on plainly painted maps; others 0.

    Not for the ventricles, which real heads have high already (six of the trial, two here), nor for the hippocampus,
    whose volume is what atrophy is read from. `scanners`: looks of `atrophy.SCANNERS`, one a map in turn; `slices`: every
    second look is read as slices of so many mm, across the axis that goes down.
    """
    kept, true = [], torch.zeros(OUTPUTS).double()
    for i, path in enumerate(paths):
        numbers, centre = around_the_box(path)
        image, after, _ = atrophy.synthetic(numbers, scanners[i % len(scanners)], seed=11 + i)
        if slices and i % 2:
            image = atrophy.as_slices(image, 1, slices)
        for left in (True, False):
            kept.append(scores(net, L.cut(image, centre, left))[:, -L.ORIGIN[0]:])
        for side in reference(after, centre):
            true += torch.from_numpy(np.bincount(side[-L.ORIGIN[0]:].ravel(), minlength=OUTPUTS)).double()
    bias, chosen = torch.zeros(OUTPUTS), [c for c in range(L.THALAMUS, L.VENTRAL + 1) if c != L.HIPPOCAMPUS]
    for _ in range(12):
        found = sum(torch.bincount((z + bias.view(-1, 1, 1, 1)).argmax(0).ravel(), minlength=OUTPUTS) for z in kept)
        bias[chosen] += 1.2 * torch.log((true + 1) / (found + 1)).float()[chosen]
    return bias.tolist(), (found / true.clamp(min=1)).tolist()


def around_the_box(path):
    """A map's numbers near its box, and the centre there."""
    numbers = L.load_map(path)
    near = L.centre_of(numbers) + [[-64, -52, -64], [64, 52, 64]]
    numbers = numbers[tuple(slice(max(a, 0), b) for a, b in near.T)]
    return numbers, L.centre_of(numbers)


def pick(options):
    return [p for p in sorted(glob.glob(options.maps + "/training_seg_*.nii.gz")) if p[-9:-7] in options.hold.split(",")]


def main(options):
    nets = {os.path.basename(os.path.dirname(os.path.abspath(p))) + "/" + os.path.basename(p): network(p) for p in options.net.split(",")}
    if options.bias:
        bias, ratio = bias_of(next(iter(nets.values())), pick(options), options.scanners, options.slices)
        print({n: (round(bias[c], 2), round(ratio[c], 2)) for n, c in L.MEASURED.items()})
        json.dump(bias, open(options.bias, "w"))
        return
    everything = {m: [] for m in [*nets, "engine"]}
    for head in json.load(open(options.heads)) if options.heads else []:
        scan, seg = nib.load(head["image"]), nib.load(head["labels"])
        image, numbers = np.asarray(scan.dataobj).astype(np.float32), np.asarray(seg.dataobj).astype(np.int32)
        engine = engine_labels(head["engine"], options.regions, seg) if head.get("engine") else None
        centre = L.centre_of(numbers if engine is None else engine)
        truth = reference(numbers, centre)
        results = {m: [compare(predict(n, image, centre), truth)] for m, n in nets.items()}
        if engine is not None:
            results["engine"] = [compare(reference(engine, centre), truth)]
        table(head["name"], results)
        for m, rows in results.items():
            everything[m] += rows
        if options.losses:
            pairs = {m: [] for m in nets}
            for losses in LOSSES:
                smaller, _, volumes = atrophy.painted(image, numbers, *losses)
                for m, n in nets.items():
                    for side, (number, found) in enumerate(zip((17, 53), predict(n, smaller, centre))):
                        pairs[m].append((side, volumes[number], (found == L.HIPPOCAMPUS).sum()))
            recovery(f"{head['name']}, painted", pairs)
    if any(everything.values()):
        table("labelled heads together", {m: r for m, r in everything.items() if r})
    if options.maps:
        results, pairs = {m: [] for m in nets}, {m: [] for m in nets}
        for head, path in enumerate(pick(options)):
            numbers, centre = around_the_box(path)
            scanner = "ABC"[head % 3]
            for losses in LOSSES if options.losses else LOSSES[:1]:
                image, after, volumes = atrophy.synthetic(numbers, scanner, *losses)
                truth = reference(after, centre)
                for m, n in nets.items():
                    found = predict(n, image, centre)
                    results[m].append(compare(found, truth))
                    for side, number in enumerate((17, 53)):
                        pairs[m].append((2 * head + side, volumes[number], (found[side] == L.HIPPOCAMPUS).sum()))
        table("held-out maps, other painter", results)
        recovery("held-out maps", pairs)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--net", required=True)
    parser.add_argument("--heads")
    parser.add_argument("--regions")
    parser.add_argument("--maps")
    parser.add_argument("--hold", default="02,08,17")
    parser.add_argument("--bias")
    parser.add_argument("--scanners", default="ABC")
    parser.add_argument("--slices", type=float, default=0)
    parser.add_argument("--losses", action="store_true")
    torch.set_num_threads(1)
    main(parser.parse_args())

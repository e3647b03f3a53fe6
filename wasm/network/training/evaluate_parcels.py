"""evaluate_parcels.py --net FILE[,FILE…] --heads heads.json --regions regions.csv

heads.json: [{"name", "labels" (FreeSurfer's aparc+aseg), "atlas" (labels_1mm.nii.gz without second opinion), "opinion"
(the same with it, optional)}]. Dice and volumes of the 68 parcels against the labels, for the engine's parcels, those of
the second opinion and each network's, all in the engine's cortex; and for FreeSurfer's own parcels in that cortex, the best
that any of them can reach.
"""

import argparse
import csv
import json

import nibabel as nib
import numpy as np
import torch
from nibabel.processing import resample_from_to

import parcels
from model import ParcelNet


def network(path):
    net = ParcelNet()
    net.load_state_dict(torch.load(path, weights_only=True)["mean"])
    return net.eval()


def divided(net, labels):
    """`labels` (L-I-A) with the parcels of the network."""
    out = labels.copy()
    for side in (0, 1):
        tissue = parcels.tissue_of(labels, side)
        place = parcels.Place(tissue, side)
        box = torch.from_numpy(place.cut(tissue))
        points = torch.nonzero(box == parcels.CORTEX)
        with torch.no_grad():
            found = parcels.at_points(net(parcels.channels(box)), points).argmax(1)
        at = points.numpy() + place.first
        if side:
            at[:, 0] = labels.shape[0] - 1 - at[:, 0]
        out[tuple(at.T)] = parcels.FIRST + side + 2 * found.numpy()
    return out


def truth_on(path, like, regions):
    """FreeSurfer's parcels as engine labels on the grid of the image `like`, L-I-A; all else 0."""
    seg = nib.load(path)
    table = np.zeros(16384, np.uint8)
    for row in csv.DictReader(open(regions)):
        if int(row["label"]) in range(parcels.FIRST, parcels.FIRST + 2 * parcels.PARCELS):
            table[int(row["freesurfer_id"])] = int(row["label"])
    numbers = np.asarray(seg.dataobj).astype(np.int32)
    image = nib.Nifti1Image(table[np.clip(numbers, 0, 16383)], seg.affine)
    image = resample_from_to(image, (like.shape[:3], like.affine), order=0)
    return np.asarray(parcels.turned(image).dataobj).astype(np.uint8)


def figures(found, truth):
    """(mean Dice, median volume error in percent, sd of ln(ours / truth)) of the 68 parcels."""
    bins = range(parcels.FIRST, parcels.FIRST + 2 * parcels.PARCELS)
    both = np.bincount(truth[found == truth], minlength=256)[list(bins)]
    a, b = (np.bincount(x.ravel(), minlength=256)[list(bins)] for x in (found, truth))
    ratio = np.log((a + 1) / (b + 1))
    return (2 * both / np.maximum(a + b, 1)).mean(), 100 * np.median(np.abs(a - b) / np.maximum(b, 1)), ratio.std()


def main(options):
    nets = {path: network(path) for path in options.net.split(",")}
    for head in json.load(open(options.heads)):
        atlas = parcels.load(head["atlas"])
        truth = truth_on(head["labels"], nib.load(head["atlas"]), options.regions)
        ribbon = (atlas >= parcels.FIRST) & (atlas < parcels.FIRST + 2 * parcels.PARCELS)
        methods = {"atlas": atlas, "cortex with true parcels": np.where(ribbon, truth, 0)}
        if head.get("opinion"):
            methods["opinion"] = parcels.load(head["opinion"])
        for path, net in nets.items():
            methods[path] = divided(net, atlas)
        print(f"\n{head['name']}: Dice, median volume error %, sd of ln")
        for name, labels in methods.items():
            print(f"  {name[-40:]:40s} {'{:.3f} {:5.1f} {:.3f}'.format(*figures(labels, truth))}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    for name in ("net", "heads", "regions"):
        parser.add_argument("--" + name, required=True)
    main(parser.parse_args())

"""train_parcels.py --heads DIR --out DIR --steps N --decay M [--hold 02,08,17] [--seed 1] [--rate .003]

Trains the parcel network on hemispheres whose parcels the engine and its second opinion have drawn (`parcels.py`); the
course is that of `train.py`. Voxels on which the teachers do not agree count little.
"""

import os
import pickle

import numpy as np
import torch
from torch.nn import functional

import course
import parcels
from model import ParcelNet


def arguments():
    parser = course.parser()
    parser.add_argument("--heads", required=True)
    parser.add_argument("--hold", default="02,08,17")
    return parser.parse_args()


def heads_of(options):
    """(heads to train on, held-out heads), kept in OUT/heads.pickle."""
    kept = f"{options.out}/heads.pickle"
    if not os.path.exists(kept):
        heads, held = parcels.read_heads(options.heads), options.hold.split(",")
        with open(kept + ".part", "wb") as file:
            pickle.dump([{k: v for k, v in heads.items() if (k in held) == is_held and v} for is_held in (False, True)], file, 4)
        os.rename(kept + ".part", kept)
    with open(kept, "rb") as file:
        return pickle.load(file)


def loss_of(scores, truth):
    """Cross-entropy, and 1 - mean soft Dice of the parcels."""
    points, soft, weights = truth
    log = functional.log_softmax(parcels.at_points(scores, points), 1)
    entropy = -(weights * (soft * log).sum(1)).sum() / weights.sum()
    found, true = weights[:, None] * log.exp(), weights[:, None] * soft
    dice = (2 * (found * soft).sum(0) + 5) / (found.sum(0) + true.sum(0) + 5)
    return entropy + 1 - dice.mean()


def agreement(net, samples):
    """Fraction of the voxels that the teachers agree on which the network labels as they do; and of all, their majority."""
    sure, every = [], []
    for inputs, (points, soft, weights) in samples:
        with torch.no_grad():
            right = parcels.at_points(net(inputs), points).argmax(1) == soft.argmax(1)
        sure.append(float(right[weights == 1].float().mean()))
        every.append(float(right.float().mean()))
    return [round(float(np.mean(sure)), 4), round(float(np.mean(every)), 4)]


def task_of(options):
    heads, held = heads_of(options)

    def measure(net):
        return agreement(net, [parcels.sample(held, np.random.default_rng([99, i]), False) for i in range(8)])

    return course.Task(ParcelNet, lambda rng, _: parcels.sample(heads, rng), loss_of, measure,
                       "held_out_agreement_sure_all")


if __name__ == "__main__":
    course.start(arguments(), task_of)

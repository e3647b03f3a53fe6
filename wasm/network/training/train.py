"""train.py --maps DIR --out DIR --steps N --decay M [--hold 02,08,17] [--seed 1] [--after NETWORK --stage 3|4 --rate .001]

The learning rate is constant up to step M and then falls to nothing at step N, so that a run can be made longer or
shorter until step M without another beginning.

`--after` goes on from another network, the mean weights of a run (.pt) or a shipped file (.bin), in `--stage` 3 or 4 of the
generator; without it, stages 1 and 2 are shown.
"""

import glob
import os
import pickle

import numpy as np
import torch
from torch.nn import functional

import course
import export
import generator
import labels as L
from model import OUTPUTS, Net


def arguments():
    parser = course.parser()
    parser.add_argument("--maps", required=True)
    parser.add_argument("--hold", default="02,08,17")
    parser.add_argument("--after", help="checkpoint at_N.pt of another run, or an exported network")
    parser.add_argument("--stage", type=int, default=3, choices=(3, 4), help="of the generator, after another network")
    return parser.parse_args()


def halves(options):
    """(training groups, held-out groups), kept in OUT/halves.pickle."""
    kept = f"{options.out}/halves.pickle"
    if not os.path.exists(kept):
        paths = sorted(glob.glob(options.maps + "/training_seg_*.nii.gz"))
        held = [p for p in paths if p[-9:-7] in options.hold.split(",")]
        made = generator.load([p for p in paths if p not in held]), generator.load(held)
        with open(kept + ".part", "wb") as file:
            pickle.dump(made, file, 4)
        os.rename(kept + ".part", kept)
    with open(kept, "rb") as file:
        return pickle.load(file)


def beginning(path):
    """Weights of another network. Its spare output, which a shipped file never lets win, begins as usual."""
    if path.endswith(".bin"):
        net = export.read(path)[0]
        with torch.no_grad():
            net.out.bias[OUTPUTS - 1] = 0
        return net.state_dict()
    return torch.load(path, weights_only=True)["mean"]


def loss_of(scores, truth):
    """Cross-entropy and 1 - mean soft Dice of the classes that are there."""
    log = functional.log_softmax(scores.float(), 1)
    right = log.gather(1, truth[:, None])[:, 0]
    both = torch.zeros(OUTPUTS).index_add(0, truth.ravel(), right.exp().ravel())
    predicted = log.exp().sum((0, 2, 3, 4))
    true = torch.bincount(truth.ravel(), minlength=OUTPUTS)
    dice = (2 * both + 20) / (predicted + true + 20)
    there = true > 0
    there[0] = False
    return 1 - right.mean() - dice[there].mean()


def dice_of(net, samples):
    """Mean Dice of each measured class."""
    rows = []
    for image, truth in samples:
        with torch.no_grad():
            found = net(image).argmax(1)
        rows.append([2 * int(((found == c) & (truth == c)).sum()) / max(int((found == c).sum() + (truth == c).sum()), 1)
                     if (truth == c).sum() > 20 else np.nan for c in L.MEASURED.values()])
    return np.nanmean(rows, 0).round(3).tolist()


def task_of(options):
    groups, held = halves(options)

    def sample(rng, step):
        return generator.sample(groups, rng, options.stage if options.after else 2 if step >= options.decay else 1)

    def measure(net):
        shown = 4 if options.after and options.stage == 4 else 2
        return dice_of(net, [generator.sample(held, np.random.default_rng([99, i]), shown) for i in range(10)])

    return course.Task(Net, sample, loss_of, measure, "held_out_synthetic_dice",
                       beginning(options.after) if options.after else None)


if __name__ == "__main__":
    course.start(arguments(), task_of)

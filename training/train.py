"""train.py --maps DIR --out DIR --steps N --decay M [--hold 02,08,17] [--seed 1] [--after NETWORK --stage 3|4 --rate .001]

The learning rate is constant up to step M and then falls to nothing at step N, so that a run can be made longer or
shorter until step M without another beginning.

A step is two samples and the mean of their gradients: one for each of two processes of one thread, or, with
`--processes 1`, one after the other. Everything random comes from (seed, step, sample), so that an interrupted run that is
started again, with the same command, goes on as if nothing had happened.

`--after` goes on from another network, the mean weights of a run (.pt) or a shipped file (.bin), in `--stage` 3 or 4 of the
generator; without it, stages 1 and 2 are shown.
"""

import argparse
import glob
import json
import math
import os
import pickle
import time

import numpy as np
import torch
import torch.distributed as dist
from torch.nn import functional

import export
import generator
import labels as L
from model import OUTPUTS, Net

SAMPLES = 2         # in a step
WARM_UP = 50


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--maps", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--steps", type=int, required=True)
    parser.add_argument("--decay", type=int, required=True)
    parser.add_argument("--stop", type=int, help="end at this step, of the longer course that --steps names")
    parser.add_argument("--hold", default="02,08,17")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rate", type=float, default=3e-3)
    parser.add_argument("--after", help="checkpoint at_N.pt of another run, or an exported network")
    parser.add_argument("--stage", type=int, default=3, choices=(3, 4), help="of the generator, after another network")
    parser.add_argument("--every", type=int, default=250, help="steps between checkpoints")
    parser.add_argument("--processes", type=int, default=SAMPLES, choices=(1, 2))
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


def rate_at(step, options):
    """Learning rate: warm-up, constant, and half a cosine from --decay to --steps."""
    rate = options.rate * min(1, (step + 1) / WARM_UP)
    if step > options.decay:
        rate *= .5 + .5 * math.cos(math.pi * (step - options.decay) / (options.steps - options.decay))
    return max(rate, 1e-5)


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


def run(process, options):
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{options.out}/meet", rank=process,
                            world_size=options.processes)
    groups, held = halves(options)
    torch.manual_seed(options.seed)
    net, mean = Net(), Net()
    if options.after:
        net.load_state_dict(beginning(options.after))
    mean.load_state_dict(net.state_dict())
    optimiser = torch.optim.Adam(net.parameters(), lr=options.rate, betas=(.9, .99))
    step, smooth, spent = 0, None, 0.0
    last = f"{options.out}/last.pt"
    if os.path.exists(last):
        state = torch.load(last, weights_only=True)
        net.load_state_dict(state["net"])
        mean.load_state_dict(state["mean"])
        optimiser.load_state_dict(state["optimiser"])
        step, smooth, spent = state["step"], state["loss"], state["seconds"]
    if process == 0:
        print(sum(p.numel() for p in net.parameters()), "weights; from step", step, "of", options.steps, flush=True)
        shown = 4 if options.after and options.stage == 4 else 2
        check = [generator.sample(held, np.random.default_rng([99, i]), shown) for i in range(10)]
        if options.after and not os.path.exists(last):
            print("before:", dice_of(net, check), flush=True)
    started = time.time()
    while step < min(options.steps, options.stop or options.steps):
        rate = rate_at(step, options)
        for group in optimiser.param_groups:
            group["lr"] = rate
        stage = options.stage if options.after else 2 if step >= options.decay else 1
        optimiser.zero_grad()
        for number in range(process, SAMPLES, options.processes):
            image, truth = generator.sample(groups, np.random.default_rng([options.seed, step, number]), stage)
            with torch.autocast("cpu", dtype=torch.bfloat16):
                scores = net(image)
            loss = loss_of(scores, truth)
            (loss / SAMPLES).backward()
        flat = torch.cat([p.grad.ravel() for p in net.parameters()])
        dist.all_reduce(flat)
        flat *= min(1, 1 / (float(flat.norm()) + 1e-6))
        at = 0
        for p in net.parameters():
            p.grad.copy_(flat[at:at + p.numel()].view_as(p))
            at += p.numel()
        optimiser.step()
        step += 1
        keep = min(.995, step / (step + 20))
        with torch.no_grad():
            for a, b in zip(mean.parameters(), net.parameters()):
                a.lerp_(b, 1 - keep)
        smooth = float(loss.detach()) if smooth is None else .98 * smooth + .02 * float(loss.detach())
        if process == 0 and (step % options.every == 0 or step == options.steps or step in (20, 100)):
            seconds = spent + time.time() - started
            row = {"step": step, "seconds": round(seconds), "loss": round(smooth, 4), "rate": round(rate, 6)}
            if step % options.every == 0 or step == options.steps:
                row["held_out_synthetic_dice"] = dice_of(mean, check)
                state = {"net": net.state_dict(), "mean": mean.state_dict(), "optimiser": optimiser.state_dict(),
                         "step": step, "loss": smooth, "seconds": seconds}
                torch.save({"mean": mean.state_dict(), "step": step}, f"{options.out}/at_{step}.pt")
                torch.save(state, last + ".part")
                os.rename(last + ".part", last)
            with open(f"{options.out}/log.jsonl", "a") as log:
                log.write(json.dumps(row) + "\n")
            print(row, flush=True)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    options = arguments()
    options.out = os.path.abspath(options.out)
    os.makedirs(options.out, exist_ok=True)
    if os.path.exists(options.out + "/meet"):
        os.remove(options.out + "/meet")
    halves(options)
    torch.multiprocessing.spawn(run, (options,), options.processes)

"""The course of a training: steps of two samples, the moving average of the weights, checkpoints, the log.

A step is two samples and the mean of their gradients: one for each of two processes of one thread, or, with
`--processes 1`, one after the other. Everything random comes from (seed, step, sample), so that an interrupted run that is
started again, with the same command, goes on as if nothing had happened.
"""

import argparse
import json
import math
import os
import time
from dataclasses import dataclass
from typing import Callable

import numpy as np
import torch
import torch.distributed as dist

SAMPLES = 2         # in a step
WARM_UP = 50


@dataclass
class Task:
    """What is trained on what."""

    make_net: Callable
    sample: Callable    # (rng, step) -> what goes in, and the truth that `loss_of` takes
    loss_of: Callable   # (scores, truth) -> loss
    measure: Callable   # (net) -> figures of held-out samples, for the log
    measured: str       # their name in the log
    after: dict | None = None   # weights to begin with


def parser():
    """Arguments that every training has."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", required=True)
    parser.add_argument("--steps", type=int, required=True)
    parser.add_argument("--decay", type=int, required=True)
    parser.add_argument("--stop", type=int, help="end at this step, of the longer course that --steps names")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rate", type=float, default=3e-3)
    parser.add_argument("--every", type=int, default=250, help="steps between checkpoints")
    parser.add_argument("--processes", type=int, default=SAMPLES, choices=(1, 2))
    return parser


def rate_at(step, options):
    """Learning rate: warm-up, constant, and half a cosine from --decay to --steps."""
    rate = options.rate * min(1, (step + 1) / WARM_UP)
    if step > options.decay:
        rate *= .5 + .5 * math.cos(math.pi * (step - options.decay) / (options.steps - options.decay))
    return max(rate, 1e-5)


def run(process, options, task_of):
    """One process of the training. `task_of(options)` makes its Task."""
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{options.out}/meet", rank=process,
                            world_size=options.processes)
    task = task_of(options)
    torch.manual_seed(options.seed)
    net, mean = task.make_net(), task.make_net()
    if task.after:
        net.load_state_dict(task.after)
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
        if task.after and not os.path.exists(last):
            print("before:", task.measure(net), flush=True)
    started = time.time()
    while step < min(options.steps, options.stop or options.steps):
        rate = rate_at(step, options)
        for group in optimiser.param_groups:
            group["lr"] = rate
        optimiser.zero_grad()
        for number in range(process, SAMPLES, options.processes):
            image, truth = task.sample(np.random.default_rng([options.seed, step, number]), step)
            with torch.autocast("cpu", dtype=torch.bfloat16):
                scores = net(image)
            loss = task.loss_of(scores, truth)
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
                row[task.measured] = task.measure(mean)
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


def start(options, task_of):
    """Trains in `options.processes` processes; the first call of `task_of` is here, so that it may keep files for them."""
    options.out = os.path.abspath(options.out)
    os.makedirs(options.out, exist_ok=True)
    if os.path.exists(options.out + "/meet"):
        os.remove(options.out + "/meet")
    task_of(options)
    torch.multiprocessing.spawn(run, (options, task_of), options.processes)

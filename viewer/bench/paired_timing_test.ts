import assert from "node:assert/strict";
import { Random } from "@/model/random.ts";
import { compareTimes, medianInterval, pairedTimes, tickMs } from "@/viewer/bench/paired_timing.ts";

/** A clock that advances only by the timed work, in ticks, and calls that take some ms. */
function machine(tick: number) {
  let ms = 0, rounds = 0;
  const clock = () => {
    // reading the clock takes time too
    ms += tick / 7;
    rounds++;
    return Math.floor(ms / tick) * tick;
  };
  return {
    clock,
    work: (timeMs: () => number) => () => void (ms += timeMs()),
    now: () => ms,
    reads: () => rounds,
  };
}

Deno.test("pairedTimes() finds the ratio on a machine that becomes three times slower", () => {
  const { clock, work, now } = machine(0.005), random = new Random(1);
  const slowdown = () => 1 + 2 * Math.min(now() / 1000, 1);
  const noise = () => 0.97 + 0.06 * random.uniform();
  const times = pairedTimes(
    work(() => 0.2 * slowdown() * noise()),
    work(() => 0.5 * slowdown() * noise()),
    clock,
  );
  assert.ok(Math.abs(times.ratio - 0.4) < 0.01, `${times.ratio}`);
  assert.ok(times.interval[0] <= 0.4 && times.interval[1] >= 0.4);
  assert.equal(times.isNoisy, false);
  assert.ok(times.kernelMs > 0.2 && times.plainMs > 0.5);
});

Deno.test("pairedTimes() says that a machine is too noisy, after measuring longer", () => {
  const { clock, work } = machine(0.005), random = new Random(2);
  // another program slows down a round as a whole
  let slow = 1, calls = 0;
  const noise = () => {
    if (calls++ % 13 === 0) slow = 1 + 9 * random.uniform() ** 2;
    return slow;
  };
  const times = pairedTimes(work(() => 0.2 * noise()), work(() => 0.2 * noise()), clock);
  assert.equal(times.isNoisy, true);
  assert.equal(times.pairs.length, 75);
});

Deno.test("pairedTimes() fills rounds of 100 ticks, and no time is zero, however coarse the clock", () => {
  for (const tick of [0.005, 0.1, 1]) {
    const { clock, work } = machine(tick);
    let calls = 0;
    const times = pairedTimes(
      work(() => (calls++, 0.001)),
      work(() => 0.002),
      clock,
    );
    // warm-up and calibration come before the rounds, each of which lasts 100 ticks or 4 ms
    assert.ok(calls * 0.001 > times.pairs.length * Math.max(100 * tick, 4) * 0.9);
    assert.ok(times.pairs.every(([kernel, plain]) => kernel > 0 && plain > 0));
    assert.ok(Math.abs(times.ratio - 0.5) < 0.02, `${tick} ${times.ratio}`);
  }
});

Deno.test("tickMs() is the step of the clock", () => {
  for (const tick of [0.005, 0.1, 1]) {
    assert.ok(Math.abs(tickMs(machine(tick).clock) - tick) < 1e-6);
  }
});

Deno.test("medianInterval() holds the median in 95 of 100 samples at least", () => {
  assert.deepEqual(medianInterval(Array.from({ length: 25 }, (_, n) => n + 1)), [8, 18]);
  const random = new Random(3);
  let held = 0;
  for (let sample = 0; sample < 2000; sample++) {
    // a skewed distribution, like that of times: the median of an exponential distribution is ln 2
    const values = Array.from({ length: 25 }, () => -Math.log(1 - random.uniform()))
      .sort((a, b) => a - b);
    const [low, high] = medianInterval(values);
    if (low <= Math.LN2 && Math.LN2 <= high) held++;
  }
  assert.ok(held / 2000 >= 0.94 && held / 2000 <= 0.98, `${held}`);
});

Deno.test("compareTimes() contains 1 for the same machine in 95 of 100 runs, and finds a tenth", () => {
  const random = new Random(4), runs = 1000;
  const sample = (scale: number) =>
    Array.from({ length: 25 }, () => scale * (1 + 0.1 * random.normal() ** 2));
  let same = 0, slower = 0;
  for (let run = 0; run < runs; run++) {
    const [low, high] = compareTimes(sample(2), sample(2)).interval;
    if (low <= 1 && high >= 1) same++;
    if (compareTimes(sample(2), sample(2.4)).interval[0] > 1) slower++;
  }
  assert.ok(same / runs > 0.93 && same / runs < 0.97, `${same}`);
  assert.ok(slower / runs > 0.95, `${slower}`);
});

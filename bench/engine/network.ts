import { DEEP_STRUCTURES } from "@/server/core/engine/deep_structures.ts";
import { readNetworkWeights } from "@/server/core/engine/network_weights.ts";
import {
  BareNetwork,
  initSync,
  multiply_and_add,
  operations_of_a_round,
} from "@/wasm/pkg/tests/bind_tests.js";
import type { Row } from "@/bench/record.ts";
import { figure } from "@/bench/engine/measure.ts";

const NAME = "network, deep structures";
/** Shape of the network's input for one side of the head, voxels. */
const BOX = [56, 72, 96];
/** The limit needs many short rounds, because V8 optimises code only after repeated calls. */
const TURNS = 3, LIMIT_TURNS = 400, LIMIT_ROUNDS = 10_000;
const WASM = new URL("../../wasm/pkg/tests/bind_tests_bg.wasm", import.meta.url);

/** Shortest duration of several calls, s: other programs can only make a call slower. */
function bestSeconds(work: () => unknown, count: number): number {
  const turns = Array.from({ length: count }, () => {
    const start = performance.now();
    work();
    return (performance.now() - start) / 1000;
  });
  return Math.min(...turns);
}

/**
 * Speed of this project's own network on one thread, compared with the maximum speed at which the
 * processor multiplies and adds values in registers.
 */
export async function networkRows(only: string | undefined): Promise<Row[]> {
  if (only !== undefined && !NAME.includes(only)) return [];
  const weights = await readNetworkWeights(DEEP_STRUCTURES);
  initSync({ module: await Deno.readFile(WASM) });
  const network = new BareNetwork(weights), shape = new Uint32Array(BOX);
  const input = Float32Array.from({ length: BOX[0]! * BOX[1]! * BOX[2]! }, (_, v) => v % 97);
  const gflop = network.operations(shape) / 1e9;
  const seconds = bestSeconds(() => network.run(input, shape), TURNS);
  const roof = operations_of_a_round() * LIMIT_ROUNDS / 1e9 /
    bestSeconds(() => multiply_and_add(LIMIT_ROUNDS), LIMIT_TURNS);
  network.free();
  return [
    figure(`${NAME}: work of half a head`, gflop, "GFLOP"),
    figure(`${NAME}: half a head on one thread`, seconds, "s"),
    {
      ...figure(
        `${NAME}: speed on one thread, beside the registers' limit`,
        gflop / seconds,
        "GFLOP/s",
      ),
      baseline: Number(roof.toPrecision(4)),
      ratio: Number((gflop / seconds / roof).toPrecision(3)),
    },
  ];
}

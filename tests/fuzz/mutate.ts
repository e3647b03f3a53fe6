import type { Random } from "@/server/commands/demo/phantom/random.ts";

/** Byte values at which decoders often fail: sign bits, ends, limits of sizes. */
const EDGES = [0, 1, 0x7f, 0x80, 0xff];
const NUMBERS = [0, 1, -1, 0x7fff, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff];

const upTo = (random: Random, n: number) => Math.floor(random.uniform() * n);

/** A copy with one to eight changes: bytes flipped, set, cut out, doubled or cut off. */
export function mutate(bytes: Uint8Array, random: Random): Uint8Array<ArrayBuffer> {
  let out = new Uint8Array(bytes);
  for (let changes = 1 + upTo(random, 8); changes > 0 && out.length > 0; changes--) {
    // half of the changes are in the header, which has the most effect
    const at = upTo(random, random.uniform() < 0.5 ? Math.min(out.length, 2048) : out.length);
    const length = Math.min(
      out.length - at,
      1 + upTo(random, random.uniform() < 0.9 ? 16 : out.length),
    );
    switch (upTo(random, 7)) {
      case 0:
        out[at]! ^= 1 << upTo(random, 8);
        break;
      case 1:
        out[at] = EDGES[upTo(random, EDGES.length)]!;
        break;
      case 2:
        if (at + 4 <= out.length) {
          const value = NUMBERS[upTo(random, NUMBERS.length)]!;
          new DataView(out.buffer).setUint32(at, value >>> 0, random.uniform() < 0.8);
        }
        break;
      case 3:
        for (let i = at; i < at + length; i++) out[i] = random.bits();
        break;
      case 4:
        out = new Uint8Array([...out.subarray(0, at), ...out.subarray(at + length)]);
        break;
      case 5:
        out = new Uint8Array([...out.subarray(0, at + length), ...out.subarray(at)]);
        break;
      default:
        if (random.uniform() < 0.2) out = out.slice(0, at);
    }
  }
  return out;
}

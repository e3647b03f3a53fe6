/**
 * Checks that a reader of foreign text takes time proportional to the text's length, on texts
 * for which patterns and loops often take quadratic time.
 */
import assert from "node:assert/strict";
import { cpuUsage } from "node:process";

/** Characters that readers separate, trim, escape, count or compare. */
const SIGNS = [
  ..." \t\r\n\0\x1b09aAZ-._/\\^&=;:,%+~|?#@!'\"`*<>()[]{}",
  ..."\u00e9\u0301\uac00\u1100\u200b\u3000\ufeff\uff9e",
  "\u{1f600}",
];
/** Signs that are combined in pairs; others of their kind behave alike. */
const PAIRED = [..." \t\n\x1b0a-.\\^&=;,%\"'|([\u0301"];
const NESTED = ["()", "[]", "{}", "<>"];

type Shape = [name: string, make: (length: number) => string];
/** Shapes of text by name, each for a length in characters. */
const SINGLE: readonly Shape[] = [
  ...SIGNS.flatMap((sign): Shape[] => [
    [`${sign}…`, (length) => sign.repeat(length)],
    [`a${sign}…!`, (length) => `a${sign.repeat(length)}!`],
  ]),
  ...NESTED.map((pair): Shape => [
    `nested ${pair}`,
    (length) => pair[0]!.repeat(length / 2) + pair[1]!.repeat(length / 2),
  ]),
];
const PAIRS: readonly Shape[] = PAIRED.flatMap((first, n) =>
  PAIRED.slice(n + 1).map((second): Shape => [
    `${first}${second}…`,
    (length) => (first + second).repeat(length / 2),
  ])
);

/** Length of texts of one sign; of two signs in turn, of which there are many more. */
const LONG = 65_536, SHORT = 4096;
/** Processor time at which the growth with the length is compared, of a long and a short text. */
const COMPARED_MS = { [LONG]: 20, [SHORT]: 2 } as const;
/** Most processor time of any text, and the most growth for twice the length. */
const MAX_MS = 100, MAX_GROWTH = 3;
const TRIES = 4, CONFIRMATIONS = 4;

/** Reads a text; its result, or an error by which it refuses the text, does not matter. */
export type Reader = (text: string) => unknown;

/** A stack that overflows, or a wrong argument, is no answer of the reader. */
function check(error: unknown): void {
  const message = error instanceof RangeError || error instanceof TypeError ? error.message : "";
  if (/call stack|string length|properties of|is not (a function|iterable)/i.test(message)) {
    throw error;
  }
}

/** Processor time of a reader, ms: others on the machine do not count. */
async function timeOf(read: Reader, text: string): Promise<number> {
  const before = cpuUsage(), startedMs = performance.now();
  try {
    const result = read(text);
    if (result instanceof Promise) await result;
  } catch (error) {
    check(error);
  }
  const wallMs = performance.now() - startedMs;
  const { user, system } = cpuUsage(before);
  // other threads of this process compile and collect memory meanwhile
  return Math.min(wallMs, (user + system) / 1000);
}

/** Least of several times: the first compiles code, and collecting memory takes time too. */
async function leastOf(read: Reader, text: string, enoughMs: number): Promise<number> {
  let least = Infinity;
  for (let n = 0; n < TRIES && least > enoughMs; n++) {
    least = Math.min(least, await timeOf(read, text));
  }
  return least;
}

/** Least processor time of a call in several tries, ms. */
export const cpuMs = (call: () => unknown): Promise<number> => leastOf(call, "", 0);

/** Why a reader is slower than linear on a shape of text; `null` if it is not. */
async function problemOf(
  read: Reader,
  make: (length: number) => string,
  length: typeof LONG | typeof SHORT,
): Promise<string | null> {
  let problem: string | null = null;
  // measured again when it seems slow: a machine that is busy with others is slow now and then
  for (let n = 0; n < CONFIRMATIONS; n++) {
    const ms = await leastOf(read, make(length), COMPARED_MS[length]);
    if (ms <= COMPARED_MS[length]) return null;
    const halfMs = await leastOf(read, make(length / 2), ms / MAX_GROWTH);
    if (ms <= MAX_MS && ms <= MAX_GROWTH * halfMs) return null;
    problem = `${ms.toFixed(1)} ms of ${length}, ${halfMs.toFixed(1)} ms of half`;
  }
  return problem;
}

/**
 * A shape of text for which a reader takes longer than linear time, with its times; `null` if none.
 * @param lengths `short`: no long texts, for very many readers.
 */
export async function slowShape(
  read: Reader,
  lengths: "all" | "short" = "all",
): Promise<string | null> {
  const shapes = [
    ...[...SINGLE, ...PAIRS].map(([name, make]) => [name, make, SHORT] as const),
    ...SINGLE.filter(([name]) => !name.endsWith("…"))
      .map(([name, make]) => [name, make, LONG] as const),
  ];
  for (const [name, make, length] of shapes) {
    if (lengths === "short" && length === LONG) break;
    const problem = await problemOf(read, make, length);
    if (problem !== null) return `${JSON.stringify(name)}: ${problem}`;
  }
  return null;
}

/** @throws {assert.AssertionError} naming a shape for which a reader is slower than linear. */
export async function assertLinear(read: Reader): Promise<void> {
  assert.equal(await slowShape(read), null);
}

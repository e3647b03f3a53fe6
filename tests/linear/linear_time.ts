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
/** Characters that are combined in pairs; others behave like one of these. */
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

/** Length of texts of one repeated character; of two alternating ones, of which there are many. */
const LONG = 65_536, SHORT = 4096;
/** Processor time from which the growth with the length is measured, ms, by text length. */
const COMPARED_MS = { [LONG]: 20, [SHORT]: 2 } as const;
/** Maximum processor time for a text, ms, and maximum growth factor for twice the length. */
const MAX_MS = 100, MAX_GROWTH = 3;
const TRIES = 4, CONFIRMATIONS = 4;

/** Function that processes a text; result and refusals do not matter. */
export type Reader = (text: string) => unknown;

/** Rethrows errors that are faults: stack overflow, or a wrong argument of the test. */
function check(error: unknown): void {
  const message = error instanceof RangeError || error instanceof TypeError ? error.message : "";
  if (/call stack|string length|properties of|is not (a function|iterable)/i.test(message)) {
    throw error;
  }
}

/** Processor time of a call, ms, unaffected by other processes. */
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
  // at most the elapsed time, because other threads of this process use processor time too
  return Math.min(wallMs, (user + system) / 1000);
}

/** Minimum of several times, without compilation in the first call and garbage collection. */
async function leastOf(read: Reader, text: string, enoughMs: number): Promise<number> {
  let least = Infinity;
  for (let n = 0; n < TRIES && least > enoughMs; n++) {
    least = Math.min(least, await timeOf(read, text));
  }
  return least;
}

/** Minimum processor time of a call in several tries, ms. */
export const cpuMs = (call: () => unknown): Promise<number> => leastOf(call, "", 0);

/** Reason why a reader is slower than linear for a kind of text; `null` if it is not. */
async function problemOf(
  read: Reader,
  make: (length: number) => string,
  length: typeof LONG | typeof SHORT,
): Promise<string | null> {
  let problem: string | null = null;
  // measured again if it seems slow, because a busy machine is sometimes slow
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
 * Kind of text for which a reader takes more than linear time, with its times; `null` if none.
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

/** @throws {assert.AssertionError} that names a kind of text with more than linear time. */
export async function assertLinear(read: Reader): Promise<void> {
  assert.equal(await slowShape(read), null);
}

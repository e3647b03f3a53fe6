import { createHash } from "node:crypto";
import { makeHead } from "@/server/commands/demo/phantom/head.ts";
import type { Head, HeadOptions } from "@/server/commands/demo/phantom/head_types.ts";

/** Cache folder of one test run: slow heads are shared between test files. */
const FOLDER = Deno.env.get("TEST_FOLDER");

/** {@link makeHead}, cached for all test files of a run; without a cache folder, made each time. */
export function keptHead(options: Partial<HeadOptions>, folder = FOLDER): Head {
  if (folder === undefined) return makeHead(options);
  const name = createHash("sha256").update(JSON.stringify(options)).digest("hex").slice(0, 16);
  const path = `${folder}/head-${name}`;
  try {
    const facts = JSON.parse(Deno.readTextFileSync(`${path}.json`)),
      bytes = Deno.readFileSync(path);
    const count = bytes.length / 5;
    return {
      ...facts,
      rasFromIjk: Float64Array.from(facts.rasFromIjk),
      t1: new Uint16Array(bytes.buffer, 0, count),
      flair: new Uint16Array(bytes.buffer, 2 * count, count),
      labels: bytes.subarray(4 * count),
    };
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
  const head = makeHead(options), { t1, flair, labels, rasFromIjk, ...facts } = head;
  const bytes = new Uint8Array(5 * labels.length);
  [t1, flair].forEach((part, n) =>
    bytes.set(new Uint8Array(part.buffer, part.byteOffset, part.byteLength), n * part.byteLength)
  );
  bytes.set(labels, 4 * labels.length);
  // renamed into place, since other processes may be reading; the description is written last
  for (
    const [file, content] of [
      [path, bytes],
      [
        `${path}.json`,
        new TextEncoder().encode(JSON.stringify({ ...facts, rasFromIjk: [...rasFromIjk] })),
      ],
    ] as const
  ) {
    const draft = `${file}.${crypto.randomUUID()}`;
    Deno.writeFileSync(draft, content);
    Deno.renameSync(draft, file);
  }
  return head;
}

// The client's functions against the table of calls: each asks for a path, by a method, that the table has.
// covers: S-132
import assert from "node:assert/strict";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { ENDPOINTS } from "@/model/api/endpoints.ts";
import { filesUnder } from "@/tools/pages/source_files.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

/** Stands for any argument; the number 1 in an address. */
const anything: unknown = new Proxy(() => {}, {
  get: (_, key) => key === Symbol.toPrimitive ? () => "1" : key === "then" ? undefined : anything,
  apply: () => anything,
});

/** Its address is a part of an answer of the server; it makes no call. */
const NO_PATH = ["getSeriesVolume", "hidesIdentity"];

/** Arguments of functions whose path has one of a few words. */
const ARGUMENTS: Readonly<Record<string, readonly (readonly unknown[])[]>> = {
  changeStrokes: [[1, "t1w", "undo"], [1, "t1w", "redo"], [1, "t1w", "restore"]],
};

/** Modules below client/api that make no call of the API. */
const NO_CALLS = ["client/api/file_name.ts", "client/api/http.ts"];

/** The modules of the client by their paths. */
async function clientModules(): Promise<[path: string, exported: Record<string, unknown>][]> {
  const modules: [string, Record<string, unknown>][] = [];
  for await (const file of filesUnder(`${ROOT}client/api`)) {
    const path = relative(ROOT, file);
    if (/_test\.ts$/.test(path) || NO_CALLS.includes(path)) continue;
    modules.push([path, await import(new URL(`file://${file}`).href)]);
  }
  return modules;
}

/**
 * Calls "METHOD path" that a function makes before its first answer; an address that it gives back is one of GET.
 *
 * @param args After the API, which stands for a number too: functions that only give an address do not take it.
 */
async function callsOf(
  exported: (...args: unknown[]) => unknown,
  args: readonly unknown[],
): Promise<string[]> {
  const calls: string[] = [];
  const api = {
    origin: "http://site.test",
    [Symbol.toPrimitive]: () => "1",
    send: ({ method, url }: Request) => {
      // a route of GET answers HEAD too
      calls.push(`${method === "HEAD" ? "GET" : method} ${new URL(url).pathname}`);
      return Promise.resolve(new Response("", { status: 404 }));
    },
  };
  try {
    const answer = await exported(api, ...args);
    if (typeof answer === "string" && answer.startsWith("/api/")) {
      calls.push(`GET ${new URL(answer, api.origin).pathname}`);
    }
  } catch { /* the answer is an error, or the argument is not of this function's type */ }
  return calls;
}

/** Each call of the table as a pattern of "METHOD path", with the argument 1 at the place of each parameter. */
const PATTERNS = Object.keys(ENDPOINTS).map((row) =>
  new RegExp(`^${row.replaceAll(/\/:\w+(\{(?:[^{}]|\{[^}]*\})*\})?/g, "/[^/]*1[^/]*")}$`)
);

/** The calls of a function with arguments that it takes. */
async function callsMade(
  name: string,
  exported: (...args: unknown[]) => unknown,
): Promise<string[]> {
  const given = ARGUMENTS[name];
  if (given) return (await Promise.all(given.map((args) => callsOf(exported, args)))).flat();
  // a last parameter that takes a signal takes nothing else
  for (const last of [anything, undefined]) {
    const count = Math.max(exported.length - 1, 0);
    const args = Array.from({ length: count }, (_, n) => n === count - 1 ? last : anything);
    const calls = await callsOf(exported, args);
    if (calls.length > 0) return calls;
  }
  return [];
}

Deno.test("every call of the client is in the table of calls", async () => {
  const wrong: string[] = [], silent: string[] = [];
  let count = 0;
  for (const [path, exported] of await clientModules()) {
    for (const [name, value] of Object.entries(exported)) {
      if (typeof value !== "function" || NO_PATH.includes(name)) continue;
      const calls = await callsMade(name, value as () => unknown);
      if (calls.length === 0) silent.push(`${path} ${name}`);
      for (const call of calls) {
        count++;
        if (!PATTERNS.some((pattern) => pattern.test(call))) wrong.push(`${path} ${name}: ${call}`);
      }
    }
  }
  assert.deepEqual(wrong, []);
  assert.deepEqual(silent, []);
  assert.ok(count > 100, `${count} calls`);
});

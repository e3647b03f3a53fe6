// Checks the client's functions against the table of calls: each requests a path and method in it.
// covers: S-132
import assert from "node:assert/strict";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { ENDPOINTS } from "@/model/api/endpoints.ts";
import { filesUnder } from "@/tools/pages/source_files.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

/** Placeholder for any argument; converted to "1" in a URL. */
const anything: unknown = new Proxy(() => {}, {
  get: (_, key) => key === Symbol.toPrimitive ? () => "1" : key === "then" ? undefined : anything,
  apply: () => anything,
});

/** Functions without a path of their own: the URL is in a response, or no call is made. */
const NO_PATH = ["getSeriesVolume", "hidesIdentity"];

/** Arguments of functions whose path contains one of a few fixed words. */
const ARGUMENTS: Readonly<Record<string, readonly (readonly unknown[])[]>> = {
  changeStrokes: [[1, "t1w", "undo"], [1, "t1w", "redo"], [1, "t1w", "restore"]],
};

/** Modules below client/api that make no API calls. */
const NO_CALLS = ["client/api/file_name.ts", "client/api/http.ts"];

/** Modules of the client by path. */
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
 * Calls "METHOD path" that a function makes before its first response; a returned URL counts as
 * GET.
 *
 * @param args Arguments after the API; functions that only return a URL take a number instead of
 *   it.
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
      // a GET route also responds to HEAD
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

/** Pattern of "METHOD path" for each call of the table, with 1 for each parameter. */
const PATTERNS = Object.keys(ENDPOINTS).map((row) =>
  new RegExp(`^${row.replaceAll(/\/:\w+(\{(?:[^{}]|\{[^}]*\})*\})?/g, "/[^/]*1[^/]*")}$`)
);

/** Calls that a function makes with suitable arguments. */
async function callsMade(
  name: string,
  exported: (...args: unknown[]) => unknown,
): Promise<string[]> {
  const given = ARGUMENTS[name];
  if (given) return (await Promise.all(given.map((args) => callsOf(exported, args)))).flat();
  // the last argument may be a signal, for which the placeholder does not work
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

// covers: S-118
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { DRIVEN, gapsOf, trace, traceDocument } from "@/tools/coverage/trace.ts";

const ROOT = new URL("../../", import.meta.url).pathname;
const TRACED = trace();
const isThere = (path: string) => existsSync(ROOT + path);

Deno.test("trace() leads from every requirement to design, code and test, all of which there are", async () => {
  const traced = await TRACED;
  assert.ok(traced.length > 300);
  assert.deepEqual(gapsOf(traced), []);
  const paths = traced.flatMap(({ design, code, tests }) => [
    ...design,
    ...code,
    ...tests.map((test) => test.split(": ")[0]!),
  ]);
  assert.deepEqual(paths.filter((path) => !isThere(path)), []);
  assert.equal(
    traceDocument(traced).split("\n").filter((line) => /^\| (D[12]-|S-)/.test(line)).length,
    traced.length,
  );
});

Deno.test("gapsOf() names a requirement whose test leads to no code, or that has neither test nor reason", () => {
  const requirement = { id: "S-1", says: "" }, whole = { design: ["d"], code: ["c"], tests: ["t"] };
  assert.deepEqual(gapsOf([{ requirement, ...whole }]), []);
  assert.equal(gapsOf([{ requirement, ...whole, code: [], design: [] }]).length, 2);
  assert.equal(gapsOf([{ requirement, design: [], code: [], tests: [] }]).length, 1);
  assert.deepEqual(
    gapsOf([{ requirement: { ...requirement, instead: "no" }, design: [], code: [], tests: [] }]),
    [],
  );
});

Deno.test("every folder that ships is traced to a requirement", async () => {
  const code = (await TRACED).flatMap(({ code }) => code);
  const untraced: string[] = [];
  for (
    const layer of [
      "client",
      "components",
      "model",
      "report",
      "server/core",
      "server/edge",
      "server/gate",
      "viewer",
    ]
  ) {
    for await (const { name, isDirectory } of Deno.readDir(ROOT + layer)) {
      const room = `${layer}/${name}`;
      const isMet = code.some((path) =>
        path === layer || path === room || path.startsWith(`${room}/`)
      );
      if (isDirectory && !isMet) untraced.push(room);
    }
  }
  for (const room of ["server/commands", "islands", "routes"]) {
    if (!code.some((path) => path === room || path.startsWith(`${room}/`))) untraced.push(room);
  }
  assert.deepEqual(untraced, []);
});

Deno.test("what tests drive from outside is there", () => {
  const there = (path: string) =>
    isThere(path) || isThere(`${path}_test.ts`) || isThere(`${path}_test.tsx`);
  assert.deepEqual(
    DRIVEN.flatMap(([tests, code]) => [tests, ...code]).filter((path) => !there(path)),
    [],
  );
});

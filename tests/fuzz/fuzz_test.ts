// covers: S-99
import assert from "node:assert/strict";
import { TrieRouter } from "hono/router/trie-router";
import { ENDPOINTS } from "@/model/api/endpoints.ts";
import { API } from "@/server/core/mod.ts";
import { createApi } from "@/server/core/http/app.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { gateTarget } from "@/tests/fuzz/gate_target.ts";
import { fuzzPort } from "@/tests/fuzz/port_target.ts";
import { fuzz, fuzzApi, fuzzProcess, fuzzSocket, fuzzUpload } from "@/tests/fuzz/run.ts";
import { BODIES, dicomTarget, niftiTarget, npyTarget } from "@/tests/fuzz/targets.ts";

// 20,000 cases; `deno task fuzz` runs many more, with another seed every day

// covers: S-88
Deno.test("the NPY reader survives 11,000 made-up files", () => fuzz("npy", npyTarget(), 11_000));
// covers: S-88
Deno.test("the NIfTI reader survives 6,000 made-up files", () =>
  fuzz("nifti", niftiTarget(), 6_000));
// covers: S-88
Deno.test("the DICOM reader survives 2,000 made-up pairs of files", () =>
  fuzz("dicom", dicomTarget(), 2_000));
// covers: S-89
Deno.test("the gate's readers survive 3,000 made-up messages", () =>
  fuzz("gate", gateTarget(), 3_000));

// covers: S-89
Deno.test("no bytes on its port, nor in answers to it, 2,000 times, end the process of the gate", () =>
  fuzzProcess(2_000));

Deno.test("no made-up body or query, 1,000 of them, is answered with 500", () => fuzzApi(1_000));
// covers: S-90
Deno.test("no made-up upload or logo, 60 of them, is answered with 500", () => fuzzUpload(60));
// covers: S-91
Deno.test("no made-up frame on 100 sockets ends the site or another socket", () => fuzzSocket(100));

// covers: S-91
Deno.test("no bytes on a server's port, 2,000 connections, end its process or meet code without a handler", async () =>
  void await fuzzPort(false, 2000));
// covers: S-91
Deno.test("no bytes on a server's port behind TLS, 1,000 connections, end its process", async () =>
  void await fuzzPort(true, 1000));

// the upgrade arrives before node:http has released the connection from the previous response
Deno.test("an upgrade right behind an answer meets no error without a handler, over TLS", async () =>
  void await fuzzPort(true, 512, 710_063_073));

// covers: S-89
Deno.test("every call that takes a body is given made-up ones, by its method and an address of it", () => {
  const { routes } = createApi({ log: () => {} } as unknown as ServiceContext, API);
  const router = new TrieRouter<string>();
  // endpoints_test.ts checks that the table contains every body that a handler reads
  const calls = new Set(
    routes.filter(({ method }) => method !== "ALL").map(({ method, path }) => `${method} ${path}`),
  );
  for (const call of calls) router.add(...call.split(" ") as [string, string], call);
  const given = new Set(
    BODIES.flatMap(({ method, path }) => router.match(method, path)[0].map(([call]) => call)),
  );
  const withBody = Object.entries(ENDPOINTS).filter(([, { body, takes }]) => body ?? takes);
  assert.ok(withBody.length > 50);
  assert.deepEqual([...given].sort(), withBody.map(([call]) => call).sort());
});

// covers: S-99
import assert from "node:assert/strict";
import { API } from "@/server/core/mod.ts";
import { createApi } from "@/server/core/http/app.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { gateTarget } from "@/tests/fuzz/gate_target.ts";
import { fuzzPort } from "@/tests/fuzz/port_target.ts";
import { fuzz, fuzzApi, fuzzProcess, fuzzSocket, fuzzUpload } from "@/tests/fuzz/run.ts";
import { BODIES, dicomTarget, niftiTarget, npyTarget } from "@/tests/fuzz/targets.ts";

// 20,000 cases; `deno task fuzz` takes many more, from another seed every day

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

// an upgrade came before node:http had let the connection of the answer before it go
Deno.test("an upgrade right behind an answer meets no error without a handler, over TLS", async () =>
  void await fuzzPort(true, 512, 710_063_073));

/** Calls that write and take no JSON: without a body, or a form. */
const OTHER_BODIES = [
  // for administrators; tests/api/report/acceptance_test.ts gives them bad bodies
  "POST /api/v1/acceptances",
  "POST /api/v1/acceptances/:id{[0-9]{1,15}}/countersignature",
  "POST /api/v1/acceptances/:id{[0-9]{1,15}}/revocation",
  "POST /api/v1/acceptances/:id{[0-9]{1,15}}/signature",
  "POST /api/v1/auth/refresh",
  "POST /api/v1/auth/ws-ticket",
  "POST /api/v1/bin/:pid{[0-9]+}/restoration",
  "POST /api/v1/connections/merges/:id{[0-9]{1,15}}/undo",
  "POST /api/v1/connections/messages/:id{[0-9]{1,15}}/repetition",
  "POST /api/v1/connections/peers/:id{[0-9]{1,15}}/key",
  "POST /api/v1/connections/peers/:id{[0-9]{1,15}}/test",
  "POST /api/v1/connections/peers/:id{[0-9]{1,15}}/test-image",
  "POST /api/v1/demo",
  // DICOM in parts: tests/api/dicomweb_test.ts
  "POST /api/v1/dicomweb/studies",
  "POST /api/v1/dicomweb/studies/:study{[0-9.]{1,64}}",
  // for administrators; tests/api/report/norms_test.ts gives them bad bodies
  "POST /api/v1/norms",
  "POST /api/v1/norms/:id{[0-9]{1,15}}/acceptance",
  "POST /api/v1/norms/:id{[0-9]{1,15}}/application",
  "POST /api/v1/norms/:id{[0-9]{1,15}}/revocation",
  "POST /api/v1/norms/controls",
  "POST /api/v1/norms/drift/:id{[0-9]{1,15}}/restart",
  "POST /api/v1/norms/drift/computation",
  "POST /api/v1/norms/routine/:id{[0-9]{1,15}}/proposal",
  "POST /api/v1/norms/routine/computation",
  // a file; model/norms/imported/read_table_test.ts damages one in 1,500 ways
  "POST /api/v1/norms/tables",
  "POST /api/v1/patients",
  "POST /api/v1/patients/:pid{[0-9]+}/editing",
  // a picture
  "POST /api/v1/patients/:pid{[0-9]+}/key-images",
  "POST /api/v1/patients/:pid{[0-9]+}/reanalyses",
  // for administrators; tests/api/report/registry_test.ts gives it bad bodies
  "POST /api/v1/registry-exports",
  // for administrators; tests/api/report/stop_test.ts gives them bad bodies
  "POST /api/v1/stops/:id{[0-9]{1,15}}/agreement",
  "POST /api/v1/stops/:id{[0-9]{1,15}}/proposal",
  "POST /api/v1/stops/:id{[0-9]{1,15}}/undo",
  "POST /api/v1/users/:id{[0-9]{1,15}}/password",
  "PUT /api/v1/acceptances/:id{[0-9]{1,15}}/pictures/:place{[0-9]{1,2}}",
  "PUT /api/v1/settings/mypage",
];

// covers: S-89
Deno.test("every call that takes a body is given made-up ones", () => {
  const { routes } = createApi({ log: () => {} } as unknown as ServiceContext, API);
  const calls = routes.filter(({ method }) => ["POST", "PUT", "PATCH"].includes(method))
    .map(({ method, path }) => `${method} ${path}`);
  const isGiven = (call: string) => {
    const pattern = call.replace(/:\w+(\{[^/]*\})?/g, "1");
    return BODIES.some(([method, path]) => `${method} ${path}` === pattern);
  };
  assert.deepEqual([...new Set(calls)].filter((call) => !isGiven(call)).sort(), OTHER_BODIES);
});

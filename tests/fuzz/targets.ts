import { readFileSync } from "node:fs";
import type * as z from "zod/mini";
import { AppError } from "@/model/errors.ts";
import { ENDPOINTS } from "@/model/api/endpoints.ts";
import { affineFromRowMajor } from "@/model/geometry.ts";
import { decodeFloats, decodeIndices, decodeNpy } from "@/client/kernels/npy.ts";
import { initSync } from "@/wasm/pkg/kernels/bind_browser.js";
import { readInstance } from "@/server/core/dicom/read/instance.ts";
import { decodeNifti, encodeNifti } from "@/server/core/dicom/read/nifti.ts";
import { groupSeries } from "@/server/core/dicom/read/series.ts";
import { encodeNpy } from "@/server/core/analyses/service/files/npy.ts";
import type { TestCore } from "@/tests/sites/core_site.ts";
import { phantomSeries } from "@/tests/sites/phantom_series.ts";
import type { Random } from "@/server/commands/demo/phantom/random.ts";
import { bodyOf } from "@/tests/fuzz/bodies.ts";
import { mutate } from "@/tests/fuzz/mutate.ts";

/** Passes one random input to a reader; throws unexpected errors. */
export type Target = (random: Random) => void | Promise<void>;

const CORPUS = new URL("./corpus/", import.meta.url);

/** Stored inputs by kind: those that once failed, or from which mutations start. */
export const corpusOf = (kind: string): Uint8Array[] =>
  [...Deno.readDirSync(CORPUS)].filter(({ name }) => name.startsWith(`${kind}_`)).sort((a, b) =>
    a.name < b.name ? -1 : 1
  )
    .map(({ name }) => new Uint8Array(readFileSync(new URL(name, CORPUS))));

export const pick = <T>(random: Random, list: readonly T[]): T =>
  list[Math.floor(random.uniform() * list.length)]!;

/** Rethrows errors other than typed ones of the product; the code `internal` is a fault too. */
function expectTyped(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof AppError) || error.status >= 500) throw error;
  }
}

/** Checks a header that is sent between processes as JSON, which has neither NaN nor Infinity. */
function expectFinite(value: unknown): void {
  JSON.stringify(value, (key, one) => {
    if (typeof one === "number" && !Number.isFinite(one)) throw new Error(`${key} is ${one}`);
    return one;
  });
}

export function dicomTarget(): Target {
  const seeds = [
    ...phantomSeries("short", "FUZZ").slice(0, 3).map(({ bytes }) => bytes),
    ...corpusOf("dicom"),
  ];
  const options = {
    t1wTag: "",
    t2wTag: "",
    t1wIncludes: "",
    t2wIncludes: "",
    seriesType: undefined,
  };
  return (random) =>
    expectTyped(() => {
      const headers = [0, 1].map(() => readInstance(mutate(pick(random, seeds), random), "fuzz"));
      expectFinite(headers);
      groupSeries(headers.map((header, n) => ({ fileName: String(n), header })), options);
    });
}

export function niftiTarget(): Target {
  const shape: [number, number, number] = [4, 3, 2];
  const rasFromIjk = affineFromRowMajor<"Ras", "Ijk">([
    1,
    0,
    0,
    0,
    0,
    1,
    0,
    0,
    0,
    0,
    1,
    0,
    0,
    0,
    0,
    1,
  ]);
  const volume = { shape, voxels: Float32Array.from({ length: 24 }, (_, n) => n), rasFromIjk };
  const seeds = [encodeNifti(volume), ...corpusOf("nifti")];
  return (random) => expectTyped(() => void decodeNifti(mutate(pick(random, seeds), random)));
}

export function npyTarget(): Target {
  initSync({
    module: readFileSync(new URL("../../wasm/pkg/kernels/bind_browser_bg.wasm", import.meta.url)),
  });
  const seeds = [encodeNpy(new Uint8Array(24), [4, 3, 2]), ...corpusOf("npy")];
  return (random) => {
    const bytes = mutate(pick(random, seeds), random);
    for (
      const read of [
        () => decodeNpy(bytes, [4, 3, 2]),
        () => decodeFloats(bytes),
        () => decodeIndices(bytes),
      ]
    ) {
      expectTyped(() => void read());
    }
  };
}

interface BodyCall {
  method: string;
  path: string;
  /** schema of a JSON body; `null`: the body is a form or another media type */
  schema: z.ZodMiniType | null;
  type: string;
}

/** All calls with a body, from the table of calls, so that new calls are included. */
export const BODIES: readonly BodyCall[] = Object.entries(ENDPOINTS).flatMap(
  ([call, { body, takes }]) => {
    const [method, path] = call.replace(/:\w+(\{[^/]*\})?/g, "1").split(" ") as [string, string];
    return [
      ...Object.values(body ?? {}).map((schema) => ({
        method,
        path,
        schema,
        type: "application/json",
      })),
      ...(takes ?? []).map((type) => ({ method, path, schema: null, type: `${type}; boundary=b` })),
    ];
  },
);

/** A form with one part, as a start for mutations. */
const FORM = new TextEncoder().encode(
  '--b\r\nContent-Disposition: form-data; name="files"; filename="a.dcm"\r\n' +
    "Content-Type: application/dicom\r\n\r\nDICM\r\n--b--\r\n",
);

/** Random body of a call according to its row in the table, sometimes damaged. */
function bytesOf({ schema }: BodyCall, random: Random): Uint8Array<ArrayBuffer> {
  if (schema === null) return mutate(FORM, random);
  const bytes = new TextEncoder().encode(JSON.stringify(bodyOf(schema, random)) ?? "");
  return random.uniform() < 0.1 ? mutate(bytes, random) : bytes;
}

const QUERIES = [
  "/api/v1/patients?sort_key=pid&page_idx=1&page_size=5&state=new&sex=male&age_from=1&birth_from=2026/01/05&label_id_list=1,2",
  "/api/v1/utils/age?from_date=2000-01-01&to_date=2020-01-01",
  "/vuuc/api/user/credit/log?sort_by=asc&page=1&per_page=10",
  "/api/v1/audit?from=2026-01-01&page=1&per_page=10",
  "/api/v1/patients/1/report?report_type=t1&page_list=1,2&language=en",
  "/api/v1/patients/image/viewer/1?file=t1w_file",
  "/api/v1/secure/verts.npy?pid=1",
  "/api/v1/patients/1?fields=row",
];

/** Fraction of the calls with password hashing that are made, as each takes 0.1 s. */
const SLOW = 0.02;

/** Bodies from the schemas, and queries; every response must have a status below 500. */
export function apiTarget({ core, api }: TestCore): Target {
  return async (random) => {
    let method = "GET", path = pick(random, QUERIES), type = "application/json";
    let body: Uint8Array<ArrayBuffer> | undefined;
    if (random.uniform() < 0.75) {
      const call = pick(random, BODIES);
      if (/auth|second-factor|users$/.test(call.path) && random.uniform() > SLOW) return;
      ({ method, path, type } = call);
      body = bytesOf(call, random);
    } else {
      const [start, query] = path.split("?") as [string, string];
      const text = new TextDecoder().decode(mutate(new TextEncoder().encode(query), random));
      path = `${start}?${
        [...text].map((sign) =>
          /[\w=&/.,-]/.test(sign) ? sign : encodeURIComponent(sign.toWellFormed())
        )
          .join("")
      }`;
    }
    const answer = await core.fetch(
      new Request(`http://core${path}`, {
        method,
        body,
        headers: { authorization: `Bearer ${api.token}`, "content-type": type },
      }),
    );
    const text = await answer.text();
    if (answer.status >= 500) {
      const sent = new TextDecoder().decode(body?.subarray(0, 2000));
      throw new Error(`${method} ${path} ${sent}: ${answer.status} ${text}`);
    }
  };
}

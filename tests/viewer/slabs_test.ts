// covers: S-227
// The viewer's volumes during broken connections, changes of tab and server: always correct,
// finally whole.
import assert from "node:assert/strict";
import { createVolumeLoader } from "@/client/kernels/client.ts";
import { getPatient } from "@/client/api/studies/patients.ts";
import type { Shape } from "@/model/geometry.ts";
import { viewerPatientOf } from "@/model/viewer/viewer_patient.ts";
import { encodeNpy } from "@/server/core/analyses/service/files/npy.ts";
import { withCore } from "@/tests/sites/core_site.ts";
import { addReadStudy } from "@/tests/sites/read_study.ts";
import { until } from "@/tests/sites/until.ts";
import { FaceView } from "@/viewer/session/reading/face.ts";
import type { ViewerSession } from "@/viewer/session/session.ts";
import { VolumeStore } from "@/viewer/session/volumes.ts";

const WASM = new URL("../../wasm/pkg/kernels/bind_browser_bg.wasm", import.meta.url);
const WORKER = new URL("../../client/kernels/worker.ts", import.meta.url);
const SHAPE: Shape = [128, 128, 96], SLICE = 128 * 128, VOXELS = SLICE * 96;
const ROWS = [1, 0, 0, -64, 0, 1, 0, -64, 0, 0, 1, -48, 0, 0, 0, 1];
const ROUNDS = 8;

/** Random numbers in [0, 1), the same in each run. */
class Random {
  constructor(private state: number) {}
  uniform(): number {
    this.state = (Math.imul(this.state, 1664525) + 1013904223) >>> 0;
    return this.state / 2 ** 32;
  }
  /** whole number below n */
  below(n: number): number {
    return Math.floor(this.uniform() * n);
  }
}

function volume(seed: number, values: number): Uint8Array {
  const random = new Random(seed);
  return Uint8Array.from({ length: VOXELS }, () => 1 + random.below(values));
}

const TRUTH = {
  t1w: volume(1, 255),
  labels: volume(2, 100),
  flair: volume(3, 255),
  lesions: volume(4, 2),
};
type TruthSlot = keyof typeof TRUTH;

/** Faults in the responses of the core. */
interface Faults {
  /** fraction of the responses that are cut off */
  breaks: number;
  /** number of the request from which the core does not support slices; `Infinity`: never */
  oldFrom: number;
  /** number of the request from which the core supports slices again */
  newFrom: number;
  /** whether some responses contain other slices than requested */
  isConfused: boolean;
}

type Send = (request: Request) => Promise<Response>;

/** Serves a core with faulty connections. `requests`: requested slices or "whole", in order. */
function serveFaulty(send: Send, random: Random, faults: Faults) {
  const requests: string[] = [];
  const pause = () => new Promise((done) => setTimeout(done, random.below(4)));
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    const url = new URL(request.url);
    if (url.pathname === "/kernels.wasm") return new Response(await Deno.readFile(WASM));
    const slices = url.searchParams.get("slices"), n = requests.length;
    requests.push(`${url.searchParams.get("file")} ${slices ?? "whole"}`);
    if (n >= faults.oldFrom && n < faults.newFrom) url.searchParams.delete("slices");
    if (faults.isConfused && slices && random.uniform() < 0.2) {
      url.searchParams.set("slices", slices === "0-15" ? "16-31" : "0-15");
    }
    const headers = { "accept-encoding": request.headers.get("accept-encoding") ?? "" };
    const range = request.headers.get("range");
    const answer = await send(
      new Request(`http://core${url.pathname}${url.search}`, {
        headers: range ? { ...headers, range } : headers,
      }),
    );
    const bytes = await answer.bytes();
    const end = random.uniform() < faults.breaks ? random.below(bytes.length) : Infinity;
    await pause();
    let at = 0;
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        await pause();
        if (at >= end) return controller.error(new Error("broken"));
        const next = Math.min(at + 20_000 + random.below(200_000), end, bytes.length);
        controller.enqueue(bytes.subarray(at, next));
        if ((at = next) >= bytes.length) controller.close();
      },
    }, { highWaterMark: 0 });
    const kept = new Headers(answer.headers);
    kept.delete("content-length");
    return new Response(body, { status: answer.status, headers: kept });
  });
  return { server, requests, origin: `http://127.0.0.1:${server.addr.port}` };
}

/** Loads both tabs alternately until both are complete; compares every arrived slice. */
async function loadAll(store: VolumeStore, random: Random) {
  const checked = new Map<TruthSlot, Set<number>>();
  let compared = 0, failures = 0;
  const check = () => {
    for (const slot of Object.keys(TRUTH) as TruthSlot[]) {
      const arrived = store.arrived(slot), known = checked.get(slot) ?? new Set();
      checked.set(slot, known);
      for (let k = 0; k < SHAPE[2]; k++) {
        if (!arrived.has(k)) known.delete(k);
        if (!arrived.has(k) || known.has(k)) continue;
        const at = k * SLICE, shown = store.composer!.volume(slot).subarray(at, at + SLICE);
        if (Buffer.compare(shown, TRUTH[slot].subarray(at, at + SLICE)) !== 0) {
          assert.fail(`wrong slice ${k} of ${slot}`);
        }
        known.add(k);
        compared++;
      }
    }
  };
  for (let attempt = 0; attempt < 200; attempt++) {
    const type = random.uniform() < 0.5 ? "parcellation" as const : "wmh" as const;
    const listener = { onProgress() {}, onSlices: check, onVolume: check };
    const loading = store.load(type, listener, random.below(SHAPE[2] + 20) - 10).catch(
      () => failures++,
    );
    // changes the tab during a load, or waits for its end
    const isHasty = attempt < 12 && random.uniform() < 0.6;
    const haste = new Promise((done) => setTimeout(done, random.below(60)));
    await (isHasty ? Promise.race([loading, haste]) : loading);
    if (store.has("parcellation") && store.has("wmh")) break;
  }
  checked.clear();
  check();
  return { compared, failures };
}

Deno.test("random orders, breaks, changes of the tab and of the core give the whole volumes, and never a wrong slice", () =>
  withCore(async ({ core, api, dataDir }) => {
    const images = {
      shape: SHAPE,
      rows: ROWS,
      t1: TRUTH.t1w,
      t2: TRUTH.flair,
      labels: TRUTH.labels,
      lesions: TRUTH.lesions,
    };
    const pid = await addReadStudy(dataDir, { images });
    const patient = viewerPatientOf(await getPatient(api, pid), "en");
    const send: Send = (request) => {
      request.headers.set("authorization", `Bearer ${api.token}`);
      return core.fetch(request);
    };
    let failures = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const random = new Random(227 + round), isOld = round % 4 === 3;
      const oldFrom = isOld ? random.below(6) : Infinity;
      const faults: Faults = {
        breaks: round % 2 === 0 ? 0 : 0.3,
        oldFrom,
        newFrom: oldFrom + random.below(30),
        isConfused: round % 3 === 2,
      };
      const { server, origin, requests } = serveFaulty(send, random, faults);
      const loader = createVolumeLoader({
        startWorker: () => new Worker(WORKER, { type: "module" }),
        wasmUrl: "/kernels.wasm",
        base: `${origin}/viewer/${pid}`,
      });
      const store = new VolumeStore(patient, SHAPE, loader);
      try {
        const result = await loadAll(store, random);
        failures += result.failures;
        assert.ok(store.has("parcellation") && store.has("wmh"), `round ${round}`);
        assert.ok(result.compared >= 4 * SHAPE[2]);
        for (const slot of Object.keys(TRUTH) as TruthSlot[]) {
          assert.ok(store.arrived(slot).isWhole);
          const shown = store.composer!.volume(slot);
          assert.ok(Buffer.compare(shown, TRUTH[slot]) === 0, `round ${round}: ${slot}`);
        }
        assert.ok(requests.some((one) => /\d-\d/.test(one)));
      } finally {
        store.forget();
        await server.shutdown();
      }
    }
    assert.ok(failures > 0, "some loads failed, and were repeated");
  }));

interface Answers {
  /** number of image requests after which the core does not respond */
  stop: number;
  /** whether the core's image is black */
  isBlank: boolean;
  /** image requests after the first one are answered when this promise is resolved */
  held: Promise<void>;
  /** response for a version in a file's URL; `null`: the core's normal response */
  other: (version: string) => Promise<Response> | null;
}

/** Runs a test with a store and a core that responds as in `answers`; records the requests. */
async function withStore(
  body: (
    kit: {
      store: VolumeStore;
      requests: string[];
      faults: Faults;
      answers: Answers;
      /** URL of another version of a file, to which `answers.other` responds */
      addressOf: (field: "t1w_file" | "t1w_mask_file", version: string) => void;
    },
  ) => Promise<void>,
): Promise<void> {
  await withCore(async ({ core, api, dataDir }) => {
    const images = {
      shape: SHAPE,
      rows: ROWS,
      t1: TRUTH.t1w,
      t2: TRUTH.flair,
      labels: TRUTH.labels,
      lesions: TRUTH.lesions,
    };
    const pid = await addReadStudy(dataDir, { images });
    const patient = viewerPatientOf(await getPatient(api, pid), "en");
    const faults: Faults = { breaks: 0, oldFrom: Infinity, newFrom: Infinity, isConfused: false };
    const answers: Answers = {
      stop: Infinity,
      isBlank: false,
      held: Promise.resolve(),
      other: () => null,
    };
    const { server, origin, requests } = serveFaulty(
      async (request) => {
        const other = answers.other(new URL(request.url).searchParams.get("v") ?? "");
        if (other) return other;
        const sent = requests.filter((one) => one.startsWith("t1w_file")).length;
        if (sent > 1 && request.url.includes("t1w_file")) await answers.held;
        const isStopped = sent > answers.stop;
        if (isStopped && request.url.includes("t1w_file")) {
          return Response.json({ code: "network.offline", details: {} }, { status: 503 });
        }
        request.headers.set("authorization", `Bearer ${api.token}`);
        if (!answers.isBlank) return core.fetch(request);
        const headers = { "cache-control": "no-store" };
        return new Response(encodeNpy(new Uint8Array(VOXELS), SHAPE), { headers });
      },
      new Random(1),
      faults,
    );
    const loader = createVolumeLoader({
      startWorker: () => new Worker(WORKER, { type: "module" }),
      wasmUrl: "/kernels.wasm",
      base: `${origin}/viewer/${pid}`,
    });
    const store = new VolumeStore(patient, SHAPE, loader);
    try {
      await body({
        store,
        requests,
        faults,
        answers,
        addressOf: (field, version) =>
          Object.assign(patient, { [field]: patient[field]!.replace(/v=\w+/, `v=${version}`) }),
      });
    } finally {
      store.forget();
      await server.shutdown();
    }
  });
}

const NO_LISTENER = { onProgress() {}, onSlices() {}, onVolume() {} };
const slabsIn = (requests: readonly string[]) =>
  requests.filter((one) => one.startsWith("t1w_file")).map((one) => one.split(" ")[1]);

Deno.test("the slab of the crosshair comes first, then the others outwards, the label map as one file", () =>
  withStore(async ({ store, requests }) => {
    await store.load("parcellation", NO_LISTENER, 70);
    const planned = ["64-79", "48-63", "80-95", "32-47", "16-31", "0-15"], sent = slabsIn(requests);
    assert.deepEqual(sent.toSorted(), planned.toSorted());
    assert.equal(sent[0], planned[0]);
    // concurrent requests may arrive in another order
    assert.ok(sent.every((slab, n) => Math.abs(planned.indexOf(slab!) - n) <= 2), `${sent}`);
    assert.ok(requests.includes("t1w_mask_file whole"));
    assert.ok(requests.indexOf("t1w_mask_file whole") < requests.indexOf("t1w_file 16-31"));
  }));

Deno.test("after a break the next load requests the missing slabs alone", () =>
  withStore(async ({ store, requests, answers }) => {
    answers.stop = 3;
    await assert.rejects(store.load("parcellation", NO_LISTENER, 40), { code: "network.offline" });
    const missing = store.arrived("t1w").missing();
    assert.ok(missing.length > 0 && missing.length < SHAPE[2], `${missing.length} are missing`);
    assert.ok(store.arrived("t1w").has(40));
    requests.length = 0;
    answers.stop = Infinity;
    await store.load("parcellation", NO_LISTENER, 40);
    const slabs = [...new Set(missing.map((k) => Math.floor(k / 16)))];
    // a set, because an aborted request of the first load may arrive after the second load has
    // begun
    assert.deepEqual(
      new Set(slabsIn(requests)),
      new Set(slabs.map((n) => `${16 * n}-${16 * n + 15}`)),
    );
    assert.ok(slabsIn(requests).length <= slabs.length + 2, `${slabsIn(requests)}`);
    assert.ok(Buffer.compare(store.composer!.volume("t1w"), TRUTH.t1w) === 0);
  }));

Deno.test("slabs of before are dropped when the core sends a whole volume after the break", () =>
  withStore(async ({ store, faults, answers }) => {
    answers.stop = 3;
    await assert.rejects(store.load("parcellation", NO_LISTENER, 40), { code: "network.offline" });
    assert.ok(store.arrived("t1w").has(40));
    Object.assign(answers, { stop: Infinity, isBlank: true });
    faults.oldFrom = 0;
    await store.load("parcellation", NO_LISTENER, 40);
    assert.ok(store.arrived("t1w").isWhole);
    assert.ok(store.composer!.volume("t1w").every((byte) => byte === 0));
  }));

Deno.test("a change of the tab ends the requests of an image", () =>
  withStore(async ({ store, requests, answers }) => {
    const first = Promise.withResolvers<void>(), change = Promise.withResolvers<void>();
    answers.held = change.promise;
    const loading = store.load("parcellation", {
      ...NO_LISTENER,
      onSlices: () => {
        if (store.arrived("t1w").has(40)) first.resolve();
      },
    }, 40);
    loading.catch(() => undefined);
    await first.promise;
    const loadingLesions = store.load("wmh", NO_LISTENER, 40);
    await assert.rejects(loading, { name: "AbortError" });
    change.resolve();
    await loadingLesions;
    const before = slabsIn(requests).length;
    assert.ok(before < 6, `${slabsIn(requests)}`);
    await store.load("parcellation", NO_LISTENER, 40);
    assert.ok(Buffer.compare(store.composer!.volume("t1w"), TRUTH.t1w) === 0);
    // slabs that arrived before the change, and each remaining slab once
    assert.ok(slabsIn(requests).length <= 6 + 3, `${slabsIn(requests)}`);
  }));

const filled = (value: number) => new Uint8Array(VOXELS).fill(value);
/** File of a volume with a single value. */
const file = (value: number) => new Response(encodeNpy(filled(value), SHAPE));

for (const first of ["whole", "arriving"] as const) {
  Deno.test(`of two reloads the last one is shown, whichever comes first; label map ${first} before`, () =>
    withStore(async ({ store, requests, answers, addressOf }) => {
      const gate = Promise.withResolvers<void>(), start = Promise.withResolvers<void>();
      const old = requests;
      answers.other = (version) =>
        version === "aaaa"
          ? gate.promise.then(() => file(7))
          : version === "bbbb"
          ? Promise.resolve(file(9))
          : null;
      if (first === "arriving") addressOf("t1w_mask_file", "aaaa");
      const loading = store.load("parcellation", {
        ...NO_LISTENER,
        onSlices: () => start.resolve(),
      }, 40);
      await (first === "whole" ? loading : start.promise);
      addressOf("t1w_mask_file", "aaaa");
      const earlier = store.reload("labels");
      if (first === "whole") {
        await until(() => old.filter((one) => one.includes("mask")).length > 1);
      }
      addressOf("t1w_mask_file", "bbbb");
      const later = store.reload("labels");
      await until(() => store.arrived("labels").isWhole);
      gate.resolve();
      await Promise.all([loading, earlier, later]);
      await store.load("parcellation", NO_LISTENER, 40);
      assert.ok(store.has("parcellation"));
      assert.ok(Buffer.compare(store.composer!.volume("labels"), filled(9)) === 0);
      assert.ok(Buffer.compare(store.composer!.volume("t1w"), TRUTH.t1w) === 0);
    }));
}

Deno.test("a volume whose reload failed is requested again by the next load", () =>
  withStore(async ({ store, answers, addressOf }) => {
    await store.load("parcellation", NO_LISTENER, 40);
    answers.other = (version) =>
      version === "aaaa"
        ? Promise.resolve(Response.json({ code: "network.offline", details: {} }, { status: 503 }))
        : null;
    addressOf("t1w_mask_file", "aaaa");
    await assert.rejects(store.reload("labels"), { code: "network.offline" });
    assert.equal(store.has("parcellation"), false);
    answers.other = (version) => version === "aaaa" ? Promise.resolve(file(7)) : null;
    await store.load("parcellation", NO_LISTENER, 40);
    assert.ok(Buffer.compare(store.composer!.volume("labels"), filled(7)) === 0);
  }));

Deno.test("images whose replacement failed are shown again, or can be requested again", () =>
  withStore(async ({ store, answers }) => {
    const { patient } = store, reload = (slot: "t1w") => store.reload(slot);
    const session = { patient, pid: patient.pid, reload } as unknown as ViewerSession;
    const original = patient.t1w_file, face = new FaceView(session);
    const shows = (bytes: Uint8Array) =>
      Buffer.compare(store.composer!.volume("t1w"), bytes) === 0 && store.has("parcellation");
    await store.load("parcellation", NO_LISTENER, 40);
    const offline = () =>
      Promise.resolve(Response.json({ code: "network.offline", details: {} }, { status: 503 }));
    // only the URL of the volume without a face has no version
    answers.other = (version) => version === "" ? offline() : null;
    await assert.rejects(face.show(true), { code: "network.offline" });
    assert.ok(shows(TRUTH.t1w));
    answers.other = offline;
    await assert.rejects(face.show(true), { code: "network.offline" });
    assert.equal(patient.t1w_file, original);
    answers.other = () => null;
    await face.show(false);
    assert.ok(shows(TRUTH.t1w));
    answers.other = (version) => version === "" ? Promise.resolve(file(7)) : null;
    await face.show(true);
    assert.ok(shows(filled(7)));
    await face.show(false);
    assert.ok(shows(TRUTH.t1w));
  }));

Deno.test("a map whose reload a change of the tab ended is requested again", () =>
  withStore(async ({ store, requests, answers, addressOf }) => {
    await store.load("parcellation", NO_LISTENER, 40);
    const gate = Promise.withResolvers<void>(), before = requests.length;
    answers.other = (version) => version === "aaaa" ? gate.promise.then(() => file(7)) : null;
    addressOf("t1w_mask_file", "aaaa");
    const reloaded = store.reload("labels").catch(() => {});
    await until(() => requests.length > before);
    await store.load("wmh", NO_LISTENER, 40);
    gate.resolve();
    await reloaded;
    assert.equal(store.has("parcellation"), false);
    await store.load("parcellation", NO_LISTENER, 40);
    assert.ok(store.arrived("labels").isWhole);
    assert.ok(Buffer.compare(store.composer!.volume("labels"), filled(7)) === 0);
  }));

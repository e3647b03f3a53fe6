// covers: D2-3.1, S-49
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { affineFromRowMajor, applyAffine, invert, type Vec3 } from "@/model/geometry.ts";
import type { Patient } from "@/model/schema/studies/patients.ts";
import { surfaceFile, type ViewerFile, viewerFile } from "@/model/schema/studies/viewer_files.ts";
import { REGIONS } from "@/model/regions/regions.ts";
import { login } from "@/client/api/accounts/auth.ts";
import type { Api } from "@/client/api/http.ts";
import {
  getHistory,
  getPatient,
  getVolume,
  startReanalysis,
} from "@/client/api/studies/patients.ts";
import { openData } from "@/server/core/mod.ts";
import { decodeNifti } from "@/server/core/dicom/read/nifti.ts";
import { findAnalysis, type StoredAnalysis } from "@/server/core/analyses/storage/analyses.ts";
import {
  analyseBoth,
  LESIONS_ML,
  lesionStudy,
  runAnalyze,
  serveCore,
  writeFolder,
} from "@/tests/sites/analysed/analysed_studies.ts";
import { changedEngine, keepEngine, runSulcus } from "@/tests/sites/analysed/other_engines.ts";
import { filesIn } from "@/server/commands/operate/remeasure.ts";
import { changesOf } from "@/server/core/analyses/service/rehearsal.ts";
import { acceptScanner } from "@/tests/sites/norms/accepted_scanner.ts";
import { EMAIL, PASSWORD, type TestCore, withCore } from "@/tests/sites/core_site.ts";
import {
  checkFigures,
  checkStages,
  checkSurface,
  checkViewerFile,
  near,
  percentilesOf,
  sum,
  type SurfaceArrays,
} from "@/tests/sites/analysed/result_checks.ts";
import { readNpy } from "@/tests/npy.ts";

/** Studies for the steps: 1 has lesions and no bias correction, 2 cannot be analysed. */
interface Analysed {
  served: Api;
  study: ReturnType<typeof lesionStudy>;
  stored: Record<string, StoredAnalysis>;
  patient: Patient;
  events: TestCore["events"];
  folder: string;
  dataDir: string;
}

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
const hashesOf = (files: readonly { bytes: Uint8Array }[]) =>
  files.map(({ bytes }) => sha256(bytes)).sort();

/** Makes a call over HTTP; `path` includes the query. */
const get = ({ origin, token }: Api, path: string, headers: Record<string, string> = {}) =>
  fetch(origin + path, {
    headers: { ...(token ? { authorization: `Bearer ${token}` } : {}), ...headers },
  });

async function fails(answer: Promise<Response>, status: number, code: string): Promise<void> {
  const response = await answer, problem = await response.json();
  assert.deepEqual([response.status, problem.code], [status, code], response.url);
  assert.equal(response.headers.get("content-type"), "application/problem+json");
}

async function npyAt(api: Api, path: string) {
  const response = await get(api, path);
  assert.equal(response.status, 200, path);
  return readNpy(new Uint8Array(await response.arrayBuffer()));
}

const viewerPath = (pid: number, field: string) =>
  `/api/v1/patients/image/viewer/${pid}?file=${field}`;
const surfacePath = (field: string, pid: number | string) =>
  `/api/v1/secure/${field}.npy?pid=${pid}`;

async function storedAnalyses({ dataDir }: TestCore): Promise<Record<string, StoredAnalysis>> {
  const db = openData(dataDir);
  try {
    const rows = await db.selectFrom("analyses").select(["id", "pid", "kind"]).execute();
    const found = await Promise.all(rows.map(({ id }) => findAnalysis(db, id)));
    return Object.fromEntries(rows.map(({ pid, kind }, n) => [`${pid} ${kind}`, found[n]!]));
  } finally {
    await db.destroy();
  }
}

function keepRecords({ stored, study }: Analysed): void {
  assert.deepEqual(Object.keys(stored).sort(), ["1 t1", "1 t2", "2 t1"]);
  assert.deepEqual(stored["1 t1"]!.parameters, {
    biasCorrection: false,
    secondOpinion: false,
    deepStructures: false,
  });
  assert.deepEqual(stored["1 t2"]!.parameters, {
    biasCorrection: false,
    secondOpinion: false,
    deepStructures: false,
  });
  assert.deepEqual(stored["2 t1"]!.parameters, {
    biasCorrection: true,
    secondOpinion: false,
    deepStructures: false,
  });
  assert.equal(stored["2 t1"]!.status, "failed");
  for (const analysis of [stored["1 t1"]!, stored["1 t2"]!]) {
    assert.equal(analysis.status, "completed");
    assert.match(analysis.engineVersion!, /^sulcus-engine \d+\.\d+\.\d+/);
    checkStages(analysis.stages!);
  }
  assert.deepEqual(stored["1 t1"]!.inputHashes.toSorted(), hashesOf(study.t1));
  assert.deepEqual(stored["1 t2"]!.inputHashes.toSorted(), hashesOf(study.flair));
}

/** Files of a study with both series; deep structures are a separate file only for FLAIR alone. */
const FILES = viewerFile.options.filter((field) => field !== "t2w_region_mask_file");

async function giveViewerFiles({ served, patient }: Analysed): Promise<void> {
  const { shape, affine, spacing_mm } = await getVolume(served, 1);
  assert.deepEqual([spacing_mm, affine[0], affine[5], affine[10]], [[1, 1, 1], 1, 1, 1]);
  assert.equal(patient.norm_reason, null);
  assert.ok(patient.icv! > 1000 && patient.icv! < 2200, String(patient.icv));
  const labels = await npyAt(served, viewerPath(1, "t1w_mask_file"));
  const counts = {} as Record<ViewerFile, Float64Array>;
  for (const field of FILES) {
    const file = await npyAt(served, viewerPath(1, field));
    assert.deepEqual([file.descr, file.shape], ["|u1", shape.toReversed()], field);
    counts[field] = checkViewerFile(field, file, labels, patient);
    // the ICV mask has two values, inside and outside; other files have more
    const least = field === "icv_mask_file" ? 2 : 3;
    assert.ok(counts[field].filter((count) => count > 0).length >= least, field);
  }
  // volumes consider partial voxels at borders, so they are only close to the voxel counts
  const ml = checkFigures(patient);
  for (const label of [1, 2, 7, 8, 15, 16, 28]) {
    near(
      ml.get(label)!,
      counts.t1w_mask_file[label]! / 1000,
      0.08 * ml.get(label)! + 0.2,
      `label ${label}`,
    );
  }
  const [, peri, deep] = counts.t2w_mask_file;
  near(patient.peri_wmh!, peri! / 1000, 0.15 * patient.peri_wmh! + 0.1, "periventricular");
  near(patient.deep_wmh!, deep! / 1000, 0.15 * patient.deep_wmh! + 0.1, "deep");
  near(patient.wmh!, sum(LESIONS_ML), 0.35 * sum(LESIONS_ML), "lesions");
  const { lesions, places, lesion_count } = patient.wmh_detail!;
  assert.ok(lesions!.every(({ place }) => place?.lobe && place.side), JSON.stringify(lesions));
  assert.equal(sum(places!.map(({ count }) => count)), lesion_count);
  assert.ok(percentilesOf(patient).filter((np) => np !== null).length > 300);
  assert.ok(percentilesOf(patient).every((np) => np === null || (np >= 0 && np <= 100)));
}

async function giveSurface({ served }: Analysed): Promise<void> {
  const arrays = {} as SurfaceArrays;
  for (const field of surfaceFile.options) {
    arrays[field] = await npyAt(served, surfacePath(field, 1));
  }
  checkSurface(arrays);
  const grid = await getVolume(served, 1),
    labels = await npyAt(served, viewerPath(1, "t1w_mask_file"));
  const ijkFromRas = invert(affineFromRowMajor<"Ras", "Ijk">(grid.affine)), [nx, ny] = grid.shape;
  const { values, shape: [count] } = arrays.verts;
  let touching = 0;
  for (let i = 0; i < count!; i++) {
    const at = [...values.subarray(3 * i, 3 * i + 3)] as Vec3;
    const [x, y, z] = applyAffine(ijkFromRas, at).map(Math.round) as Vec3;
    const is = (dx: number, dy: number, dz: number) =>
      labels.values[x + dx + nx * (y + dy + ny * (z + dz))]! > 0;
    if ([-2, 0, 2].some((d) => is(d, 0, 0) || is(0, d, 0) || is(0, 0, d))) touching++;
  }
  assert.ok(touching > 0.97 * count!, `${touching} of ${count} vertices lie on the brain`);
}

async function keepAddresses({ served, patient }: Analysed): Promise<void> {
  const addresses = [...Object.values(patient.surface_files!), ...FILES.map((f) => patient[f]!)];
  assert.equal(addresses.length, 11);
  const plain = { "accept-encoding": "identity" };
  for (const address of addresses) {
    const whole = await get(served, address, plain);
    // percentiles may be withheld later
    const kept = address.includes("np_mask") ? "no-cache" : "max-age=31536000, immutable";
    assert.equal(whole.headers.get("cache-control"), `private, ${kept}`);
    assert.equal(whole.headers.get("content-type"), "application/octet-stream");
    const bytes = new Uint8Array(await whole.arrayBuffer()), etag = whole.headers.get("etag")!;
    assert.equal(whole.headers.get("content-length"), String(bytes.length));
    assert.equal(etag, `"${sha256(bytes)}"`);
    assert.equal((await get(served, address, { ...plain, "if-none-match": etag })).status, 304);
    // compressed response, decompressed by the client
    const packed = await get(served, address, { "accept-encoding": "gzip" });
    assert.notEqual(packed.headers.get("etag"), etag);
    assert.equal(sha256(new Uint8Array(await packed.arrayBuffer())), sha256(bytes));
    const size = bytes.length;
    for (const [range, start, end] of [["64-127", 64, 128], ["-5", size - 5, size]] as const) {
      const part = await get(served, address, { ...plain, range: `bytes=${range}` });
      assert.equal(part.status, 206);
      assert.equal(part.headers.get("content-range"), `bytes ${start}-${end - 1}/${size}`);
      assert.deepEqual(new Uint8Array(await part.arrayBuffer()), bytes.subarray(start, end));
    }
    assert.equal((await get(served, address, { range: `bytes=${size}-` })).status, 416);
    // the version of an earlier analysis is not found, instead of returning other data
    for (const v of ["0123456789abcdef", address.slice(-16, -12)]) {
      await fails(get(served, address.replace(/v=.*/, `v=${v}`)), 404, "entity.not_found");
    }
    const latest = await get(served, address.replace(/&v=.*/, ""));
    assert.equal(latest.headers.get("cache-control"), "private, no-cache");
    await latest.body?.cancel();
  }
  const picture = "/api/v1/patients/1/report/image/axial.png";
  await fails(get(served, `${picture}?v=0123456789abcdef1`), 404, "entity.not_found");
  const latest = await get(served, picture);
  assert.equal(latest.status, 200);
  await latest.body?.cancel();
}

async function refuseFiles({ served, patient }: Analysed): Promise<void> {
  for (
    const path of [viewerPath(1, "t1w_file"), surfacePath("verts", 1), patient.surface_files!.faces]
  ) {
    await fails(get({ ...served, token: undefined }, path), 401, "token.missing");
    await fails(get({ ...served, token: "made-up" }, path), 401, "token.revoked");
  }
  for (
    const path of [
      viewerPath(2, "t1w_file"),
      surfacePath("values", 2),
      viewerPath(2, "t2w_mask_file"),
    ]
  ) {
    await fails(get(served, path), 409, "study.not_analyzed");
  }
  const unknown = [
    viewerPath(99, "t1w_file"),
    ...[99, 1.5, "x"].map((pid) => surfacePath("verts", pid)),
  ];
  for (const path of [...unknown, surfacePath("edges", 1)]) {
    await fails(get(served, path), 404, "entity.not_found");
  }
  for (const path of [viewerPath(1, "password"), surfacePath("verts", "")]) {
    await fails(get(served, path), 400, "input.invalid");
  }
}

const namesIn = (folder: string) => [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
const volumeAt = async (path: string) => decodeNifti(await Deno.readFile(path));

async function analyzeByCommand({ study, stored, served, folder }: Analysed): Promise<void> {
  const t1 = await writeFolder(`${folder}/t1`, study.t1), out = `${folder}/both`;
  const flair = await writeFolder(`${folder}/flair`, study.flair);
  const said = await runAnalyze(
    t1,
    "--t2",
    flair,
    "--out",
    out,
    "--age",
    "67",
    "--sex",
    "female",
    "--no-bias-correction",
    "--no-second-opinion",
    "--no-deep-structures",
  );
  assert.match(
    said,
    /100 % brain [\d.]+ mL, ICV [\d.]+ mL, quality [AB], white matter hyperintensities [\d.]+ mL/,
  );
  const volumes = ["brain", "labels", "thickness", "wmh"].flatMap((
    n,
  ) => [`${n}.nii.gz`, `${n}_1mm.nii.gz`]);
  assert.deepEqual(namesIn(out), [...volumes, "result.json", "surface"].sort());
  const arrayAt = (name: string) => readNpy(Deno.readFileSync(`${out}/surface/${name}.npy`));
  checkSurface(
    Object.fromEntries(surfaceFile.options.map((name) => [name, arrayAt(name)])) as SurfaceArrays,
  );

  const result = JSON.parse(await Deno.readTextFile(`${out}/result.json`));
  assert.equal(result.version, stored["1 t1"]!.engineVersion);
  assert.match(result.runtime, /^Deno \d/);
  for (
    const [input, files] of [[result.input, study.t1], [result.input_t2, study.flair]] as const
  ) {
    const hashes = input.files.map((file: { sha256: string }) => file.sha256).sort();
    assert.deepEqual([input.kind, hashes], ["dicom", hashesOf(files)]);
  }
  const { parameters, failures } = result;
  assert.deepEqual([parameters.bias_correction, parameters.age, failures], [false, 67, {}]);
  const stages = result.stages as {
    name: string;
    seconds: number;
    cpu_seconds: number;
    peak_mb: number;
  }[];
  checkStages(stages.map((stage) => ({ ...stage, peakMb: stage.peak_mb })));
  const names = stages.map(({ name }) => name),
    inside = stored["1 t1"]!.stages!.map(({ name }) => name);
  assert.deepEqual(names, ["read", ...inside, "write"]);
  near(sum(stages.map(({ seconds }) => seconds)), result.seconds, 0.5 * result.seconds, "seconds");
  const { grade, reasons, warnings } = result.quality;
  assert.ok(["A", "B"].includes(grade) && reasons.length === warnings.length);
  assert.deepEqual([result.volumes.length, result.thickness.length, result.aggregates.length], [
    98,
    34,
    8,
  ]);
  assert.equal(result.percentiles_absent_because, null);

  const scanner = await volumeAt(`${out}/labels.nii.gz`),
    fine = await volumeAt(`${out}/labels_1mm.nii.gz`);
  assert.deepEqual(scanner.shape.toSorted(), [132, 160, 176]);
  for (const name of ["brain", "thickness"]) {
    const { shape, rasFromIjk } = await volumeAt(`${out}/${name}.nii.gz`);
    assert.deepEqual([shape, rasFromIjk], [scanner.shape, scanner.rasFromIjk], name);
  }
  for (const name of ["brain_1mm", "thickness_1mm", "wmh_1mm"]) {
    const { shape, rasFromIjk } = await volumeAt(`${out}/${name}.nii.gz`);
    assert.deepEqual([shape, rasFromIjk], [fine.shape, fine.rasFromIjk], name);
  }
  const wmh = await volumeAt(`${out}/wmh.nii.gz`), VOXEL_MM3 = 2 * 2 * 4;
  assert.deepEqual(wmh.shape, [112, 124, 56]);
  const marked = [...wmh.voxels].filter((value) => value > 0).length;
  near(
    VOXEL_MM3 * marked,
    result.wmh.peri_mm3 + result.wmh.deep_mm3,
    1,
    "lesions on the scanner's grid",
  );
  // the labels at equal patient positions agree on both grids
  const ijkFromRas = invert(fine.rasFromIjk), [nx, ny] = scanner.shape, [fx, fy] = fine.shape;
  let same = 0, all = 0;
  for (let i = 0; i < scanner.voxels.length; i += 7) {
    if (scanner.voxels[i] === 0) continue;
    const ijk: Vec3 = [i % nx, Math.floor(i / nx) % ny, Math.floor(i / (nx * ny))];
    const [x, y, z] = applyAffine(ijkFromRas, applyAffine(scanner.rasFromIjk, ijk)).map(
      Math.round,
    ) as Vec3;
    all++;
    if (fine.voxels[x + fx * (y + fy * z)] === scanner.voxels[i]) same++;
  }
  assert.ok(same > 0.97 * all, `${same} of ${all}`);

  // equal settings give exactly the stored files
  const files = await filesIn(out, "t1"),
    results = stored["1 t1"]!.results!,
    flairResults = stored["1 t2"]!.flair!;
  assert.deepEqual(
    changesOf(
      { t1: { results, volume: "" }, flair: { results: flairResults, volume: "" } },
      result,
    ),
    [],
  );
  assert.deepEqual(Object.keys(files).sort(), [
    "faces",
    "normals",
    "t1w_mask_file",
    "thick_mask_file",
    "values",
    "verts",
  ]);
  for (const [field, hash] of Object.entries(files)) {
    const path = surfaceFile.safeParse(field).success
      ? surfacePath(field, 1)
      : viewerPath(1, field);
    const bytes = new Uint8Array(await (await get(served, path)).arrayBuffer());
    assert.equal(sha256(bytes), hash, field);
  }
}

async function analyzeFlairAlone({ study, folder }: Analysed): Promise<void> {
  const flair = await writeFolder(`${folder}/flair`, study.flair), out = `${folder}/alone`;
  assert.match(
    await runAnalyze("--t2", flair, "--out", out),
    /100 % white matter hyperintensities [\d.]+ mL/,
  );
  const labels = ["labels.nii.gz", "labels_1mm.nii.gz"];
  assert.deepEqual(namesIn(out), [...labels, "result.json", "wmh.nii.gz", "wmh_1mm.nii.gz"]);
  const result = JSON.parse(await Deno.readTextFile(`${out}/result.json`)), { wmh } = result;
  assert.deepEqual([result.input, result.input_t2.files.length], [null, study.flair.length]);
  assert.deepEqual([wmh.grade, wmh.wmh_detail.tissue, wmh.wmh_detail.is_low_confidence], [
    "B",
    "flair",
    true,
  ]);
  assert.ok(wmh.flair_icv_mm3 > 1e6 && wmh.wmh > 0 && result.version);
  checkStages(
    result.stages.map((stage: { peak_mb: number }) => ({ ...stage, peakMb: stage.peak_mb })),
  );
}

/** Study with T1w and FLAIR. tests/release/install.sh tests recomputing with an older engine. */
async function rehearseAndRecompute({ dataDir, folder, stored }: Analysed): Promise<void> {
  const kept = await keepEngine(`${folder}/engines`), changed = await changedEngine(kept);
  const { code, said } = await runSulcus(dataDir, "rehearse", changed, "1"),
    { results } = stored["1 t1"]!;
  assert.equal(code, 0, said);
  const rows = said.split("\n").filter((line) => /1 of 1 /.test(line)).map((line) =>
    line.split(/ {2,}/)[0]
  );
  const cortex = REGIONS.filter(({ label }) => results!.thicknessMm![label]! > 0);
  assert.ok(cortex.length > 50);
  const sides = ["Thickness, left", "Thickness, right"];
  assert.deepEqual(
    rows.toSorted(),
    [...sides, ...cortex.map(({ name }) => `Thickness, ${name}`)].toSorted(),
  );

  // a modified engine computes nothing, and no other engine replaces it
  await Deno.writeTextFile(`${kept}/server/core/engine/atlas/frame.json`, "{}");
  const damaged = await runSulcus(dataDir, "recompute", "1", "--engines", `${folder}/engines`);
  assert.match(damaged.said, /core\/engine\/atlas\/frame\.json has been modified/);
  const gone = await runSulcus(dataDir, "recompute", "1", "--engines", `${folder}/changed`);
  assert.match(
    gone.said,
    /Study 1: the engine that computed its result, sulcus-engine [\d.]+, has not been kept/,
  );
  assert.deepEqual([damaged.code, gone.code], [1, 1]);
}

/** Last step, because the study has no results afterwards. */
async function tellAndAnalyzeAgain({ served, events }: Analysed): Promise<void> {
  const seen = events.map(({ event }) => event).filter((event) => event.event === "study_analysis");
  for (const [pid, series] of [[1, "t1"], [1, "t2"], [2, "t1"]] as const) {
    const own = seen.filter((event) => event.pid === pid && event.series === series);
    const statuses = own.map((event) => event.status).filter((status, n, all) =>
      status !== all[n - 1]
    );
    assert.deepEqual(statuses, ["waiting", "processing", pid === 1 ? "completed" : "failed"]);
    const percents = own.flatMap((event) => event.percent ?? []);
    assert.deepEqual(percents, percents.toSorted((a, b) => a - b));
    if (pid === 1) assert.ok(percents.length > 8 && percents.at(-1) === 100);
  }
  assert.deepEqual((await getHistory(served, 1)).history.map((row) => row.pid), [1]);
  assert.deepEqual(await startReanalysis(served, 1), { accepted: [1], excluded: [] });
  const again = await getPatient(served, 1);
  assert.deepEqual([again.t1_result, again.surface_files, again.wmh], [null, null, null]);
}

const CLAIMS: readonly [string, (analysed: Analysed) => void | Promise<void>][] = [
  [
    "analyses keep engine, parameters, input hashes, and seconds and memory of each stage",
    keepRecords,
  ],
  [
    "viewer files, volumes, sums, 34 pairs of thickness and lesions agree with one another",
    giveViewerFiles,
  ],
  ["the surface has its types, consistent counts, and lies on the brain", giveSurface],
  [
    "addresses with the version of their bytes are kept for ever, others are asked again",
    keepAddresses,
  ],
  ["files need a sign-in, a study, its analysis and a known name", refuseFiles],
  [
    "the analyze command writes every file and a complete result, those of the site byte for byte",
    analyzeByCommand,
  ],
  ["the analyze command takes a FLAIR series alone", analyzeFlairAlone],
  [
    "a rehearsal with a changed constant lists exactly the measures that change; results are recomputed by their own engine alone",
    rehearseAndRecompute,
  ],
  [
    "the progress of an analysis is told in order, and it can be asked for again",
    tellAndAnalyzeAgain,
  ],
];

Deno.test("studies on a real engine, over a port, and the same series by the command", (t) =>
  withCore(async (site) => {
    const { served, stop } = serveCore(site),
      folder = await Deno.makeTempDir({ prefix: "sulcus-test-" });
    try {
      const study = lesionStudy("LESIONS");
      await analyseBoth(site, study);
      // percentiles in voxels are of accepted scanners only
      await acceptScanner(site, 1);
      const analysed = {
        served,
        folder,
        dataDir: site.dataDir,
        study,
        events: site.events,
        stored: await storedAnalyses(site),
        patient: await getPatient(served, 1),
      };
      for (const [claim, check] of CLAIMS) {
        // signs in again, because all steps may take longer than a token's 15 minutes
        const { access_token } = await login(site.open, { email: EMAIL, password: PASSWORD });
        const served = { ...analysed.served, token: access_token };
        await t.step(claim, async () => await check({ ...analysed, served }));
      }
    } finally {
      await stop();
      await Deno.remove(folder, { recursive: true });
    }
  }, { workers: 2 }));

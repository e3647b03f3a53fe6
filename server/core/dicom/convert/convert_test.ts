// covers: S-107
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { AppError } from "@/model/errors.ts";
import { applyAffine, determinant, spacingMm } from "@/model/geometry.ts";
import { DEFAULT_RULES } from "@/model/dicom/classify.ts";
import { convertSeries, packInWorker, packSeries } from "@/server/core/dicom/convert/convert.ts";
import { requestConversion, serveConverter } from "@/server/core/dicom/convert/converter.ts";
import { cornersOf } from "@/server/core/dicom/read/geometry.ts";
import { decodeNifti } from "@/server/core/dicom/read/nifti.ts";
import { readInstanceFile } from "@/server/core/dicom/read/instance.ts";
import type { PackRequest } from "@/server/core/dicom/convert/convert_messages.ts";
import { groupSeries, type InstanceFile } from "@/server/core/dicom/read/series.ts";
import { SCANS, withScans } from "@/server/core/dicom/read/scans_testing.ts";
import { phantomSeries } from "@/tests/sites/phantom_series.ts";

async function readFolder(folder: string): Promise<InstanceFile[]> {
  const files: InstanceFile[] = [];
  for (const { name } of Deno.readDirSync(folder)) {
    files.push({ fileName: name, header: await readInstanceFile(`${folder}/${name}`, name) });
  }
  return files;
}

const REAL = [
  { folder: "t1_dicom_adult_philips", shape: [274, 384, 384], spacing: [0.7, 0.6667, 0.6667] },
  { folder: "t1_dicom_child_siemens", shape: [192, 256, 256], spacing: [0.9, 0.8594, 0.8594] },
];

for (const { folder, shape, spacing } of REAL) {
  Deno.test({
    ...withScans(`convertSeries() makes a volume of ${folder} whose corners are the headers'`),
    fn: async () => {
      const place = `${SCANS}/${folder}`;
      const { studies, rejected } = groupSeries(await readFolder(place), DEFAULT_RULES);
      assert.equal(rejected.length, 0);
      const series = studies[0]!.series[0]!;
      assert.equal(series.kind, "t1");
      const files = series.files.map((f) => ({
        fileName: f.fileName,
        path: `${place}/${f.fileName}`,
      }));
      const volume = await convertSeries(files);
      assert.deepEqual(volume.shape, shape);
      const near = spacingMm(volume.rasFromIjk).map((s, axis) => Math.abs(s - spacing[axis]!));
      assert.ok(Math.max(...near) < 1e-3);
      const voxelMm3 = spacing.reduce((a, b) => a * b, 1);
      assert.ok(Math.abs(Math.abs(determinant(volume.rasFromIjk)) / voxelMm3 - 1) < 1e-3);
      const corners = cornersOf(volume.shape).map((c) => applyAffine(volume.rasFromIjk, c));
      for (const c of cornersOf(series.shape)) {
        const wanted = applyAffine(series.rasFromIjk, c);
        const nearest = Math.min(
          ...corners.map((p) => Math.hypot(...p.map((x, axis) => x - wanted[axis]!))),
        );
        assert.ok(nearest < 0.007, `corner ${c} is ${nearest} mm off`);
      }
    },
  });
}

Deno.test({
  ...withScans("convertSeries() stops when aborted, with job.canceled"),
  fn: async () => {
    const place = `${SCANS}/t1_dicom_child_siemens`;
    const files = [...Deno.readDirSync(place)].map((e) => ({
      fileName: e.name,
      path: `${place}/${e.name}`,
    }));
    const abort = new AbortController();
    const running = convertSeries(files, abort.signal);
    setTimeout(() => abort.abort(), 100);
    await assert.rejects(running, (e) => e instanceof AppError && e.code === "job.canceled");
  },
});

for (const file of ["MR_small.dcm", "MR_small_RLE.dcm", "MR_small_jpeg_ls_lossless.dcm"]) {
  Deno.test({
    ...withScans(`groupSeries() gives ${file}, a single slice, a clear verdict`),
    fn: async () => {
      const header = await readInstanceFile(`${SCANS}/dicom_odd/${file}`, file);
      const rules = { ...DEFAULT_RULES, seriesType: "t1" as const };
      const { studies, rejected } = groupSeries([{ fileName: file, header }], rules);
      assert.equal(studies.length, 0);
      assert.deepEqual(rejected.map((r) => [r.reason, r.details.slices]), [["too_few_slices", 1]]);
    },
  });
}

const hasDcmtk = existsSync("/usr/bin/dcmcjpls");
/** Programs of dcmtk that pack a file, and the transfer syntax. */
const PACKED = [
  { args: ["dcmcjpls"], syntax: "1.2.840.10008.1.2.4.80" },
  { args: ["dcmcjpeg", "+el"], syntax: "1.2.840.10008.1.2.4.57" },
  { args: ["dcmcjpeg", "+e1"], syntax: "1.2.840.10008.1.2.4.70" },
] as const;

// covers: S-17
Deno.test({
  name: `convertSeries() makes the same voxels of JPEG-LS and lossless JPEG as of what was packed${
    hasDcmtk ? "" : " (skipped: dcmtk is not installed)"
  }`,
  ignore: !hasDcmtk,
  fn: async () => {
    const folder = Deno.makeTempDirSync();
    const pack = (args: readonly string[], from: string, to: string) =>
      new Deno.Command(args[0]!, { args: [...args.slice(1), from, to] }).outputSync().success;
    try {
      const slices = phantomSeries("short", "PACKED-1").slice(25, 30);
      for (const { fileName, bytes } of slices) Deno.writeFileSync(`${folder}/${fileName}`, bytes);
      const filesIn = (place: string) =>
        slices.map(({ fileName }) => ({ fileName, path: `${place}/${fileName}` }));
      const plain = await convertSeries(filesIn(folder));
      for (const { args, syntax } of PACKED) {
        const place = `${folder}/${syntax}`;
        Deno.mkdirSync(place);
        for (const { fileName } of slices) {
          assert.ok(pack(args, `${folder}/${fileName}`, `${place}/${fileName}`), args.join(" "));
        }
        const { fileName, path } = filesIn(place)[0]!;
        assert.equal((await readInstanceFile(path, fileName)).transferSyntax, syntax);
        const { voxels, rasFromIjk } = await convertSeries(filesIn(place));
        assert.deepEqual([voxels, rasFromIjk], [plain.voxels, plain.rasFromIjk], syntax);
      }
      // 12 bits of lossy JPEG: named at once, instead of a conversion that makes nothing
      const lossy = `${folder}/lossy.dcm`;
      assert.ok(pack(["dcmcjpeg", "+ee"], `${folder}/${slices[0]!.fileName}`, lossy));
      await assert.rejects(readInstanceFile(lossy, "lossy.dcm"), (error) => {
        assert.ok(error instanceof AppError);
        const { reason, transferSyntax } = error.details;
        assert.deepEqual([reason, transferSyntax], ["compression", "1.2.840.10008.1.2.4.51"]);
        return true;
      });
    } finally {
      Deno.removeSync(folder, { recursive: true });
    }
  },
});

Deno.test("convertSeries() ends a converter that hangs or dies, with a verdict", async () => {
  const script = new URL("./hang_worker_fixture.ts", import.meta.url);
  // one that throws says so by itself: the time is for its start on a busy machine
  for (const [name, timeoutMs] of [["hangs", 2000], ["throws", 60_000]] as const) {
    const folder = await Deno.makeTempDir({ prefix: `sulcus-${name}-` });
    try {
      const files = phantomSeries("short", "SP-1").map(({ fileName, bytes }) => {
        Deno.writeFileSync(`${folder}/${fileName}`, bytes);
        return { fileName, path: `${folder}/${fileName}` };
      });
      let hanging = 0;
      const converting = [
        convertSeries(files, undefined, { script, timeoutMs }),
        packInWorker(
          { files, packTo: `${folder}/volume` },
          { script, timeoutMs },
          () => void hanging++,
        ),
      ];
      for (
        const { status, reason } of await Promise.allSettled(converting) as PromiseRejectedResult[]
      ) {
        assert.equal(status, "rejected");
        const { code, details, message } = reason as AppError;
        assert.deepEqual([code, details.reason], ["upload.format_not_supported", "conversion"]);
        assert.match(message, name === "hangs" ? /no answer in 2000 ms/ : /out of memory/);
      }
      assert.equal(hanging, name === "hangs" ? 1 : 0);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  }
});

// covers: S-21
Deno.test("packSeries() writes the volume of convertSeries(), here and in a converter, nothing when refused", async () => {
  const folder = await Deno.makeTempDir({ prefix: "sulcus, pack-" });
  const socket = `${folder}/converter.sock`, leaving = new AbortController();
  const serving = serveConverter(socket, packFor, 1, leaving.signal);
  let asked = 0;
  function packFor(request: PackRequest) {
    asked++;
    return packInWorker(request);
  }
  try {
    const files = phantomSeries("short", "SP-2").map(({ fileName, bytes }) => {
      Deno.writeFileSync(`${folder}/${fileName}`, bytes);
      return { fileName, path: `${folder}/${fileName}` };
    });
    const volume = await convertSeries(files);
    // the second one waits for the first
    await Promise.all([
      packSeries(files, `${folder}/here.nii.gz`),
      packSeries(files, `${folder}/there.nii.gz`, socket),
      packSeries(files, `${folder}/there2.nii.gz`, socket),
    ]);
    assert.equal(asked, 2);
    for (const name of ["here", "there", "there2"]) {
      const packed = decodeNifti(await Deno.readFile(`${folder}/${name}.nii.gz`));
      assert.deepEqual(packed.shape, volume.shape);
      assert.ok(
        Buffer.from(packed.voxels.buffer).equals(Buffer.from(volume.voxels.slice().buffer)),
      );
    }
    for (const converter of [undefined, socket]) {
      await assert.rejects(
        packSeries(files.slice(0, 1), `${folder}/one.nii.gz`, converter),
        (error: AppError) => {
          assert.equal(error.code, "upload.format_not_supported");
          assert.equal(error.details.reason, "too_few_slices");
          return true;
        },
      );
      await assert.rejects(Deno.stat(`${folder}/one.nii.gz`));
    }
  } finally {
    leaving.abort();
    await serving;
    await Deno.remove(folder, { recursive: true });
  }
});

// covers: S-21
Deno.test("requestConversion() tells a converter that died over a series from one that does not run", async () => {
  const folder = await Deno.makeTempDir(), socket = `${folder}/converter.sock`;
  const request = { files: [], packTo: `${folder}/volume.nii.gz` };
  assert.equal(await requestConversion(socket, request, 50), "absent");
  const listener = Deno.listen({ transport: "unix", path: socket });
  const dying = (async () => (await listener.accept()).close())();
  assert.equal(await requestConversion(socket, request, 50), "dead");
  await dying;
  listener.close();
  await Deno.remove(folder, { recursive: true });
});

Deno.test("packSeries() asks a converter that ended once more, and then says that it ended", async () => {
  const folder = await Deno.makeTempDir({ prefix: "sulcus-ended-" }),
    socket = `${folder}/converter.sock`;
  const files = phantomSeries("short", "SP-3").map(({ fileName, bytes }) => {
    Deno.writeFileSync(`${folder}/${fileName}`, bytes);
    return { fileName, path: `${folder}/${fileName}` };
  });
  // as often as asked, a converter that is killed over its first question
  const endOver = async (times: number) => {
    for (let n = 0; n < times; n++) {
      const listener = Deno.listen({ transport: "unix", path: socket });
      (await listener.accept()).close();
      listener.close();
      await Deno.remove(socket).catch(() => {});
    }
  };
  const leaving = new AbortController();
  try {
    const started = endOver(1).then(() => serveConverter(socket, packInWorker, 1, leaving.signal));
    assert.equal(await packSeries(files, `${folder}/again.nii.gz`, socket), null);
    assert.deepEqual(decodeNifti(await Deno.readFile(`${folder}/again.nii.gz`)).shape.length, 3);
    leaving.abort();
    await started;
    const ended = endOver(2);
    await assert.rejects(packSeries(files, `${folder}/never.nii.gz`, socket), (error: AppError) => {
      assert.equal(error.details.reason, "reading_ended");
      return true;
    });
    await ended;
    await assert.rejects(Deno.stat(`${folder}/never.nii.gz`));
  } finally {
    leaving.abort();
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("packInWorker() lets a converter that a file has taken over read and write nothing but its series", async () => {
  const folder = await Deno.makeTempDir(),
    script = new URL("./greedy_worker_fixture.ts", import.meta.url);
  Deno.env.set("SULCUS_CORE_KEY", "secret");
  try {
    for (const name of ["own.dcm", "other.dcm"]) {
      await Deno.writeTextFile(`${folder}/${name}`, name);
    }
    const files = [{ fileName: "own.dcm", path: `${folder}/own.dcm` }];
    const answer = await packInWorker({ files, packTo: `${folder}/own.nii.gz` }, {
      script,
      timeoutMs: 60_000,
    });
    assert.ok("error" in answer);
    const outcome = JSON.parse(answer.error.message) as Record<string, string>;
    const worked = Object.keys(outcome).filter((name) => outcome[name] === "ok");
    assert.deepEqual(worked, ["readOwn", "writeOwn"], answer.error.message);
  } finally {
    Deno.env.delete("SULCUS_CORE_KEY");
    await Deno.remove(folder, { recursive: true });
  }
});

// covers: S-88, S-81
// Our own largest objects come back from archives: nothing that bounds foreign bytes refuses them.
import assert from "node:assert/strict";
import {
  type Acquisition,
  TIMING,
  writeAcquisition,
} from "@/server/commands/demo/phantom/acquisitions.ts";
import { MAX_HEADER_BYTES } from "@/server/core/dicom/limits/bounded_parser.ts";
import { AppError } from "@/model/errors.ts";
import type { Vec3 } from "@/model/geometry.ts";
import { REGIONS } from "@/model/regions/regions.ts";
import { parseFile, readHeader, readInstanceFile } from "@/server/core/dicom/read/instance.ts";
import { type SourceSeries, sourceSeriesOf } from "@/server/core/dicom/read/source_series.ts";
import {
  jsonOfHead,
  parsedHead,
  parseStored,
  sourceHead,
} from "@/server/core/dicom/read/stored_file.ts";
import { headerOfFile } from "@/server/core/dicom/worker/file_header.ts";
import { code } from "@/server/core/dicom/write/codes.ts";
import type { DicomFile } from "@/server/core/dicom/write/dataset_writer.ts";
import { encapsulatedPdfFile } from "@/server/core/dicom/write/encapsulated_pdf.ts";
import { keyImageFile, keyObjectFile } from "@/server/core/dicom/write/key_images.ts";
import {
  type MeasuredStructure,
  measurementReportFile,
} from "@/server/core/dicom/write/measurement_report.ts";
import { MAX_OUTLINES, outlineReportFile } from "@/server/core/dicom/write/outline_report.ts";
import { parametricMapFile } from "@/server/core/dicom/write/parametric_map.ts";
import { secondaryCaptureFile } from "@/server/core/dicom/write/secondary_capture.ts";
import { type Segment, segmentationFile } from "@/server/core/dicom/write/segmentation.ts";

const SIDE = 16, SLICES = 240, SLICES_OF_REGION = 60;
const MAKER = { version: "1.0", engine: "T1 1.0", finishedAt: "2026-11-27T10:00:00Z" };
const TISSUE = code("SCT", "91723000", "Anatomical structure");

/** A sagittal series of 240 small slices. */
async function longSeries(): Promise<SourceSeries> {
  const acquisition: Acquisition = { name: "t1", ...TIMING.mprage, slices: 6 };
  const source = await sourceSeriesOf((async function* () {
    for (const { bytes } of writeAcquisition(acquisition, 1, 1)) {
      yield sourceHead(parseStored(bytes, false), undefined);
    }
  })());
  const [first] = source.slices, [x, y, z] = first!.positionLpsMm;
  const slices = Array.from({ length: SLICES }, (_, n) => ({
    ...first!,
    sopInstanceUid: `${first!.sopInstanceUid}.${n}`,
    positionLpsMm: [x! + n, y!, z!] as Vec3,
  }));
  return { ...source, rows: SIDE, columns: SIDE, slices };
}

const segments: Segment[] = REGIONS.map(({ label, name, rgb }) => ({
  label,
  name,
  description: name,
  category: TISSUE,
  type: TISSUE,
  modifier: TISSUE,
  within: TISSUE,
  rgb,
}));

/** Labels in which each region has voxels in 60 slices, more than it has in a head. */
function manyLabels(): Uint8Array {
  const labels = new Uint8Array(SIDE * SIDE * SLICES);
  REGIONS.forEach(({ label }, at) => {
    for (let n = 0; n < SLICES_OF_REGION; n++) labels[(at % 180 + n) * SIDE * SIDE + at] = label;
  });
  return labels;
}

function segmentationOf(source: SourceSeries, isLabelMap: boolean, labels = manyLabels()) {
  const about = {
    kind: "REGIONS" as const,
    description: "Regions",
    seriesNumber: 1,
    family: TISSUE,
  };
  return segmentationFile(
    { source, maker: MAKER, ...about, segments, mapIdentity: "1", isLabelMap },
    labels,
  );
}

function structuresOf(): MeasuredStructure[] {
  const percentile = {
    percentile: 50,
    interval: { low: 40, high: 60 },
    band: "Usual",
    population: "Healthy",
  };
  const among = { ...percentile, authority: "Sulcus" };
  return REGIONS.map(({ name, label }): MeasuredStructure => ({
    name,
    trackingUid: `1.2.${label}`,
    finding: TISSUE,
    site: TISSUE,
    side: TISSUE,
    place: TISSUE,
    segment: {
      sopClassUid: "1.2.840.10008.5.1.4.1.1.66.4",
      sopInstanceUid: "1.2",
      number: 1,
      seriesUid: "1.3",
    },
    engine: MAKER.engine,
    measurements: [
      { kind: "volume", value: 1, percentile: among },
      { kind: "thickness", value: 2, percentile: among },
    ],
    corrected: { by: "Reader", at: MAKER.finishedAt },
  }));
}

function reportOf(source: SourceSeries): DicomFile {
  const quality = { grade: "A", warnings: ["one", "two"], note: "note" };
  return measurementReportFile({
    sources: [source],
    maker: MAKER,
    segmentations: [],
    structures: structuresOf(),
    signature: null,
    quality,
  });
}

/** Outlines of as many lesions as a document may have: each a single pixel. */
function outlinesOn(source: SourceSeries): DicomFile {
  const labels = new Uint8Array(SIDE * SIDE * SLICES), step = 3;
  let count = 0;
  for (let at = 0; at < labels.length && count < MAX_OUTLINES; at += step) {
    if (Math.floor(at / SIDE) % 2 === 1) continue;
    labels[at] = 1;
    count++;
  }
  const structure = structuresOf()[0]!;
  const file = outlineReportFile({
    source,
    maker: MAKER,
    structures: [{ structure, label: 1 }],
    labels,
    signature: null,
  });
  assert.ok(file && count === MAX_OUTLINES);
  labels[labels.length - 1] = 1;
  const structures = [{ structure, label: 1 }];
  const most = { source, maker: MAKER, structures, labels, signature: null };
  assert.equal(outlineReportFile(most), null, "one more than readers accept");
  return file;
}

function mapOn(source: SourceSeries): DicomFile {
  const codes = new Uint8Array(source.rows * source.columns * source.slices.length).fill(1);
  const values = new Float32Array(256).fill(2.5);
  const about = { kind: "THICKNESS" as const, identity: "1", derivation: "test" };
  return parametricMapFile({ source, maker: MAKER, ...about, codes, values })!;
}

/** A map of many large slices: its pixels are longer than a header may be. */
function largeMapOn(source: SourceSeries): DicomFile {
  const file = mapOn({ ...source, rows: 128, columns: 128 });
  assert.ok(file.sizeBytes > MAX_HEADER_BYTES);
  return file;
}

/** What a reader says: `read`, or the reason for which it refuses the object. */
async function answerOf(read: () => unknown): Promise<unknown> {
  try {
    await read();
    return "read";
  } catch (error) {
    assert.ok(error instanceof AppError, String(error));
    return error.details.reason === "header_limits" ? error.message : error.details.reason;
  }
}

Deno.test("a segmentation of all regions and a report of their measures pass each bounded reader", async () => {
  const source = await longSeries(), path = await Deno.makeTempFile({ prefix: "sulcus-own-" });
  try {
    for (
      const file of [
        segmentationOf(source, false),
        segmentationOf(source, true),
        reportOf(source),
        outlinesOn(source),
        largeMapOn(source),
      ]
    ) {
      await Deno.writeFile(path, ReadableStream.from(file.chunks()));
      const bytes = await Deno.readFile(path);
      assert.equal(await answerOf(() => parseFile(bytes, bytes.length)), "read");
      assert.equal(await answerOf(() => parseFile(bytes, bytes.length, true)), "read");
      assert.equal(readHeader(bytes, "").instanceUid, file.sopInstanceUid);
      assert.equal((await headerOfFile(path)).header.instanceUid, file.sopInstanceUid);
      assert.equal(await answerOf(() => jsonOfHead(parsedHead(bytes, true)!, undefined)), "read");
      // it is no series of images, which is another reason than a limit
      const reason = await answerOf(() => readInstanceFile(path, "", undefined));
      const reasons = ["modality", "no_pixel_data", "pixel_format"];
      assert.ok(reasons.includes(String(reason)), String(reason));
    }
  } finally {
    await Deno.remove(path);
  }
});

/** Names as files state them, in scripts of which no single character set but UTF-8 has all. */
const NAMES = [
  "Kim^Haneul=金^하늘=김^하늘",
  "Yamada^Tarou=山田^太郎=やまだ^たろう",
  "张^智宏",
  "สมชาย^ใจดี",
  "محمد^العلي",
  "כהן^דוד",
  "राजेश^कुमार",
  "Иванов^Ґалаґан",
  "Παπαδόπουλος",
  "İbrahim^Şahin",
  "Խաչատրյան^Արամ",
  "ბერიძე^ნინო",
  "吉田^𠮷",
];

/** An object of every kind that the product writes. */
function everyObject(source: SourceSeries): DicomFile[] {
  const sources = [source], rgb = new Uint8Array(3), page = { width: 1, height: 1, rgb };
  const labels = new Uint8Array(SIDE * SIDE * source.slices.length).fill(REGIONS[0]!.label);
  const pdf = new Uint8Array(8), { version, finishedAt: createdAt } = MAKER;
  const image = keyImageFile(sources, version, { ...page, number: 1, note: "note", createdAt });
  return [
    ...[false, true].map((isLabelMap) => segmentationOf(source, isLabelMap, labels)),
    reportOf(source),
    mapOn(source),
    encapsulatedPdfFile({ sources, maker: MAKER, title: "Report", pdf }),
    secondaryCaptureFile({ sources, maker: MAKER, pdf, at: 0, page }),
    image,
    keyObjectFile(sources, version, [image], ["note"], createdAt),
  ];
}

Deno.test("names of thirteen scripts are in every object as in the images", async () => {
  const { slices, ...long } = await longSeries(), kinds = new Set<string>();
  const plain = { ...long, slices: slices.slice(0, 3) };
  for (const PatientName of NAMES) {
    const source = { ...plain, identity: { ...plain.identity, PatientName } };
    for (const file of everyObject(source)) {
      const bytes = new Uint8Array(await new Response(ReadableStream.from(file.chunks())).bytes());
      const parsed = parseStored(bytes, false);
      assert.equal(parsed.dataSet.string("x00080005"), "ISO_IR 192");
      assert.equal(sourceHead(parsed, undefined).identity.PatientName, PatientName);
      kinds.add(file.sopClassUid);
    }
  }
  assert.equal(kinds.size, 7);
});

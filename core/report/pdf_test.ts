import assert from "node:assert/strict";
import { encodePng } from "@/core/report/png.ts";
import { type Pictures, renderPdf } from "@/core/report/pdf.ts";
import { mainPageOf } from "@/model/report_page.ts";
import { qualityWarningText } from "@/model/text/quality.ts";
import type { ReportResponse } from "@/model/schema/report.ts";
import { normOf, valueAt } from "@/model/norms.ts";
import { buildReport, DEFAULT_THRESHOLDS, type ReportInput } from "@/core/services/report_model.ts";

const subject = { age: 70, sex: "female", icvMl: 1409 } as const;
const picture = encodePng(new Uint8Array(3 * 16 * 16).fill(90), 16, 16);
const pictures: Pictures = { axial: picture, coronal: picture, sagittal: picture };

/** A small brain with everything measured. */
const INPUT = {
  analysis: {
    finishedAt: "2026-01-02T00:00:00Z",
    engineVersion: "sulcus-engine 0.1.0",
    volumesMm3: Array.from({ length: 105 }, (_, label) => {
      const norm = label === 0 ? null : normOf(label, "volume", subject);
      return label === 0 ? 0 : norm ? valueAt(-2, norm) : 1000;
    }),
    icvMm3: 1_409_000,
    quality: { warnings: ["pair_unequal", "icv_out_of_range"] },
  },
};

function report(
  change: Partial<ReportInput> = {},
  patient: Partial<ReportInput["patient"]> = {},
): ReportResponse {
  return buildReport({
    pid: 7,
    language: "ko",
    isAnonymized: false,
    generatedAt: "2026-01-02T03:04:05.678Z",
    version: "0.1.0",
    hospitalName: "한국대학교병원",
    thresholds: DEFAULT_THRESHOLDS,
    opinion: { opinion_id: 0, message: "" },
    patient: {
      id: "P-001",
      name: "김지은",
      age: 70,
      sex: "female",
      birthDate: "1955-05-05",
      studyDate: "2026-01-01",
      isFlairUploaded: false,
      ...patient,
    },
    series: {
      description: "T1w MPRAGE",
      manufacturer: "SIEMENS",
      field_strength: 3,
      slices: 192,
      voxel_mm: [1, 1, 1],
    },
    ...INPUT,
    images: (["axial", "coronal", "sagittal"] as const).map((key) => ({ key, url: key, position_mm: 3.6 })),
    ...change,
  });
}

const LONG = {
  opinion: { opinion_id: 1, message: "소견 문장을 길게 적습니다. ".repeat(30).slice(0, 350) },
  thresholds: [1, 5, 25],
};

async function run(command: string, args: string[], bytes: Uint8Array): Promise<string> {
  const file = await Deno.makeTempFile({ suffix: ".pdf" });
  try {
    await Deno.writeFile(file, bytes);
    const { stdout, success } = await new Deno.Command(command, { args: args.map((a) => a || file) })
      .output();
    assert.ok(success, `${command} cannot read the file`);
    return new TextDecoder().decode(stdout);
  } finally {
    await Deno.remove(file);
  }
}
const hasPoppler = await new Deno.Command("pdftotext", { args: ["-v"], stderr: "null" }).output()
  .then(() => true, () => false);
const ifPoppler = { ignore: !hasPoppler };

Deno.test("renderPdf() gives the same bytes for the same report", async () => {
  const first = await renderPdf(report(), pictures), second = await renderPdf(report(), pictures);
  assert.deepEqual(first, second);
  const other = await renderPdf(report({}, { name: "이수민" }), pictures);
  assert.notDeepEqual(first, other);
});

Deno.test({
  ...ifPoppler,
  name: "renderPdf() prints every figure of the model as text" + (hasPoppler ? "" : " (no pdftotext here)"),
  fn: async () => {
    for (const language of ["ko", "en"] as const) {
      const given = report({ language });
      const text = await run("pdftotext", ["-layout", "", "-"], await renderPdf(given, pictures));
      const page = mainPageOf(given), squeezed = text.replace(/\s+/g, "");
      const expected = [
        page.title,
        page.hospital,
        page.demo!,
        ...page.identity.flatMap(({ label, value }) => [label, value]),
        ...page.pictures.map((p) => p.caption),
        ...page.rows.flatMap((row) => [row.name, row.left, row.total, row.icvPercent, row.percentile]),
        ...page.rows.flatMap((row) => row.band ? [row.band.text] : row.note ? [row.note] : []),
        ...page.quality.map(({ value }) => value),
        page.caution!,
        "김지은",
        "2021.01.25.428063",
        page.footer.segmentation,
      ];
      for (const words of expected) {
        assert.ok(squeezed.includes(words.replace(/\s+/g, "")), `${language}: "${words}" is missing`);
      }
    }
  },
});

Deno.test({
  ...ifPoppler,
  name: "renderPdf() stays on one page of A4" + (hasPoppler ? "" : " (no pdfinfo here)"),
  fn: async () => {
    const cases: Record<string, ReportResponse> = {
      ko: report(),
      longKo: report(LONG),
      longEn: report({ ...LONG, language: "en" }, { name: "Wolfeschlegelsteinhausenbergerdorff Hubert" }),
      child: report({ language: "en", opinion: LONG.opinion }, { age: 3 }),
    };
    const { analysis } = INPUT,
      lesions = {
        periMm3: 6000,
        deepMm3: 4000,
        whiteMatterMm3: 400_000,
        lesionCount: 12,
        isLowConfidence: true,
        tissue: "t1" as const,
      };
    for (const grade of ["B", "C"]) {
      for (const language of ["en", "ko"] as const) {
        cases[`everything ${grade} ${language}`] = report({
          ...LONG,
          language,
          lesions,
          analysis: {
            ...analysis,
            quality: { grade, warnings: Object.keys(qualityWarningText).slice(2, 9) },
            thicknessSidesMm: [2.41, 2.38],
          },
        });
      }
    }
    for (const [name, given] of Object.entries(cases)) {
      const info = await run("pdfinfo", [""], await renderPdf(given, pictures));
      assert.match(info, /Pages:\s+1\n/, name);
      assert.match(info, /Page size:\s+595\.\d+ x 841\.\d+ pts \(A4\)/, name);
    }
  },
});

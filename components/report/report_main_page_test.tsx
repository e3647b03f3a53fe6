import assert from "node:assert/strict";
import { renderToStaticMarkup } from "react-dom/server";
import { normOf, valueAt } from "@/model/norms.ts";
import { mainPageOf } from "@/model/report_page.ts";
import { ReportMainPage } from "@/components/report/ReportMainPage.tsx";
import { buildReport, DEFAULT_THRESHOLDS } from "@/core/services/report_model.ts";

const subject = { age: 70, sex: "male", icvMl: 1596 } as const;

const pageIn = (language: "en" | "ko", name: string) =>
  mainPageOf(buildReport({
    pid: 7,
    language,
    isAnonymized: false,
    generatedAt: "2026-01-02T03:04:05.678Z",
    version: "0.1.0",
    hospitalName: "Hospital",
    thresholds: DEFAULT_THRESHOLDS,
    opinion: { opinion_id: 1, message: "An opinion." },
    patient: {
      id: "P1",
      name,
      age: 70,
      sex: "male",
      birthDate: "1955-05-05",
      studyDate: "2026-01-01",
      isFlairUploaded: true,
    },
    series: { description: "T1w", manufacturer: "GE", field_strength: 1.5, slices: 192, voxel_mm: [1, 1, 1] },
    analysis: {
      finishedAt: "2026-01-02T00:00:00Z",
      engineVersion: "sulcus-engine 0.1.0",
      volumesMm3: Array.from({ length: 105 }, (_, label) => {
        const norm = label === 0 ? null : normOf(label, "volume", subject);
        return label === 0 ? 0 : norm ? valueAt(-1.8, norm) : 1000;
      }),
      icvMm3: 1_596_000,
      quality: { warnings: ["similarity_low"] },
    },
    images: (["axial", "coronal", "sagittal"] as const).map((key) => ({
      key,
      url: `/api/v1/patients/7/report/image/${key}.png`,
      position_mm: 0,
    })),
  }));

/** Text of a page as people read it: no marks, no spaces. */
const wordsOf = (html: string) =>
  html.replace(/<[^>]*>/g, "").replace(/&lt;/g, "<").replace(/&gt;/g, ">").replace(/&amp;/g, "&")
    .replace(/&#x27;/g, "'").replace(/\s+/g, "");

Deno.test("ReportMainPage shows every text and figure of the page model", () => {
  for (const language of ["en", "ko"] as const) {
    const page = pageIn(language, "김지은");
    const html = renderToStaticMarkup(<ReportMainPage page={page} />), words = wordsOf(html);
    const expected = [
      page.title,
      page.hospital,
      page.demo!,
      page.caution!,
      page.legend!,
      page.chartsNote!,
      page.opinion!.value,
      ...page.identity.flatMap(({ label, value }) => [label, value]),
      ...page.pictures.map((picture) => picture.caption),
      ...page.rows.flatMap((
        row,
      ) => [row.name, row.left, row.right, row.total, row.icvPercent, row.percentile]),
      ...page.rows.flatMap((row) => row.band ? [row.band.symbol, row.band.text] : row.note ? [row.note] : []),
      ...page.quality.flatMap(({ label, value }) => [label, value]),
      ...Object.values(page.footer),
    ];
    for (const text of expected) {
      assert.ok(words.includes(text.replace(/\s+/g, "")), `${language}: "${text}" is missing`);
    }
    for (const { key, url } of page.pictures) assert.ok(html.includes(`src="${url}"`), key);
    for (const { svg } of page.charts) assert.ok(html.includes(svg));
  }
});

Deno.test("ReportMainPage has no inline style or script and escapes the patient's name", () => {
  const html = renderToStaticMarkup(<ReportMainPage page={pageIn("en", "<img src=x onerror=alert(1)>")} />);
  assert.ok(!/ style=|<style|<script|<img src=x/.test(html));
});

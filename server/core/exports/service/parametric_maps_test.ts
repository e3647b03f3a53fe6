// covers: S-223
import assert from "node:assert/strict";
import { measureStudy } from "@/model/measured/measured_study.ts";
import { type Method, PLAIN_METHOD } from "@/model/norms/percentile_rank.ts";
import type { SourceSeries } from "@/server/core/dicom/read/source_series.ts";
import { code } from "@/server/core/dicom/write/codes.ts";
import type { AnalysisResults } from "@/server/core/analyses/storage/analyses.ts";
import { regionSegments } from "@/server/core/exports/service/dicom_segments.ts";
import { percentileValues } from "@/server/core/exports/service/parametric_maps.ts";
import { T1_RESULTS } from "@/tests/sites/dicom_study.ts";

const LEFT_HIPPOCAMPUS = 19, RIGHT_HIPPOCAMPUS = 20;
const PATIENT = {
  patient_sex: "female" as const,
  patient_birthdate: "1958-03-12",
  study_date: "2026-01-05",
  patient_age: 67,
};

/** Labels that have a percentile in the map of the phantom. */
function mapped(
  { method = PLAIN_METHOD, grade = "A", patient = PATIENT }: {
    method?: Method;
    grade?: string;
    patient?: { [key in keyof typeof PATIENT]: (typeof PATIENT)[key] | null };
  },
): number[] {
  const results = {
    ...T1_RESULTS,
    quality: { grade, warnings: [] },
  } as unknown as AnalysisResults;
  const subject = {
    source: {
      seriesUid: "1.1",
      studyUid: "1.2",
      slices: [],
      identity: {},
    } as unknown as SourceSeries,
    maker: { version: "1", engine: "e 1", finishedAt: "2026-01-06T00:00:00Z" },
    kind: "REGIONS" as const,
    description: "",
    seriesNumber: 1,
    family: code("DCM", "123111", "Deformable Models"),
    segments: regionSegments(results),
    mapIdentity: "1",
    isLabelMap: false,
  };
  const figures = measureStudy({ patient, t1: results, flair: null, method });
  const values = percentileValues(subject, results, figures);
  return [...values.keys()].filter((label) => !Number.isNaN(values[label]));
}

Deno.test("percentileValues() has the percentiles that are determined, and none that is withheld", () => {
  const hippocampi = [LEFT_HIPPOCAMPUS, RIGHT_HIPPOCAMPUS];
  // the cortex of the phantom has only an interval, the callosum no norm
  assert.deepEqual(mapped({}), hippocampi);
  assert.deepEqual(mapped({ grade: "C" }), []);
  assert.deepEqual(mapped({ method: { ...PLAIN_METHOD, isStopped: true } }), []);
  assert.deepEqual(mapped({ method: { ...PLAIN_METHOD, isUnaccepted: true } }), []);
  const doubtedLabels = new Set([LEFT_HIPPOCAMPUS]);
  assert.deepEqual(mapped({ method: { ...PLAIN_METHOD, doubtedLabels } }), [RIGHT_HIPPOCAMPUS]);
  for (const unknown of [{ patient_sex: null }, { patient_age: null }]) {
    assert.deepEqual(mapped({ patient: { ...PATIENT, ...unknown } }), []);
  }
});

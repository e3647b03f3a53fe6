// covers: D1-8.23
import assert from "node:assert/strict";
import type { StudyProgress, UploadStage } from "@/model/worklist/upload_progress.ts";
import { toastContentOf } from "@/client/notices/notice_text.ts";
import { uploadResult, uploadToasts } from "@/components/worklist/upload/upload_outcome.ts";
import { textIn } from "@/model/text.ts";
import { errorText } from "@/model/text/errors.ts";
import { toastText } from "@/model/text/toasts.ts";

const of = (
  stage: UploadStage,
  code: string | null = null,
  pids: string[] = [],
): StudyProgress => ({
  study: {
    studyUid: "1",
    patientId: "P",
    patientName: "",
    studyDate: "",
    series: [],
    files: [],
    sizeBytes: 0,
  },
  stage,
  sentBytes: 0,
  code,
  pids,
  failures: [],
});
const texts = (...studies: StudyProgress[]) =>
  uploadToasts(studies).map(({ code, values }) => toastContentOf(code, values, "en").text);

Deno.test("uploadToasts() says what kept studies out, once each, and how many went in", () => {
  const stored = of("stored"), done = "1 / 2 uploaded";
  assert.deepEqual(texts(stored, stored), ["Upload completed. 2 / 2 uploaded"]);
  assert.deepEqual(texts(of("failed", "storage.full")), [
    "Insufficient server storage",
    "Upload failed. 0 / 1 uploaded",
  ]);
  assert.deepEqual(texts(stored, of("failed", "storage.full")), [
    toastText["upload.storage_some"].text.en,
    done,
  ]);
  assert.deepEqual(
    texts(
      of("failed", "study.being_analyzed", ["4"]),
      of("failed", "study.being_analyzed", ["4", "9"]),
    ),
    ["4, 9 is being analyzed.", "Upload failed. 0 / 2 uploaded"],
  );
  const busy = of("failed", "study.being_analyzed", ["4"]);
  assert.equal(
    texts({ ...busy, study: { ...busy.study, patientName: "Kim" } })[0],
    "4 (Kim) is being analyzed.",
  );
  assert.deepEqual(texts(stored, of("failed", "credit.none")), [
    toastText["upload.no_credit"].text.en,
    done,
  ]);
  assert.deepEqual(texts(stored, of("refused", "upload.format_not_supported")), [
    errorText["upload.format_not_supported"].en,
    done,
  ]);
  assert.deepEqual(texts(stored, of("failed", "internal")), ["An error occurred in server.", done]);
  const known = textIn(toastText["upload.known"].text, "en", { count: 1 });
  assert.deepEqual(texts(stored, of("known")), [known, "Upload completed. 1 / 1 uploaded"]);
  assert.deepEqual(texts(of("known")), [known]);
  assert.deepEqual(texts(stored, of("canceled")), ["Upload completed. 1 / 1 uploaded"]);
  assert.deepEqual(texts(of("canceled")), []);
});

// covers: S-10
Deno.test("uploadResult() says that all is there only when nothing of it failed or was left out", () => {
  const stored = of("stored"), known = of("known");
  assert.equal(uploadResult([stored, known], 0), "resultAll");
  assert.equal(uploadResult([stored, known], 1), "resultSome");
  for (const stage of ["failed", "refused", "canceled"] as const) {
    assert.equal(uploadResult([known, of(stage)], 0), "resultPart", stage);
    assert.equal(uploadResult([of(stage)], 0), "resultNone", stage);
  }
});

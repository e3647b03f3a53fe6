// covers: S-19
import assert from "node:assert/strict";
import { renderToStaticMarkup } from "react-dom/server";
import type {
  StudyProgress,
  UploadProgress,
  UploadStage,
} from "@/model/worklist/upload_progress.ts";
import { sizeText, timeLeftText } from "@/components/worklist/upload/amounts.ts";
import { SendingView } from "@/components/worklist/upload/SendingView.tsx";
import { StudyProgressTable } from "@/components/worklist/upload/StudyProgressTable.tsx";

const textOf = (markup: string) => markup.replace(/<[^>]+>/g, " ").replace(/\s+/g, " ").trim();

Deno.test("sizeText() and timeLeftText() say amounts as people do", () => {
  assert.deepEqual([1, 340_000, 12_500_000, 2_010_000_000].map(sizeText), [
    "1\u00a0kB",
    "340\u00a0kB",
    "12.5\u00a0MB",
    "2.01\u00a0GB",
  ]);
  assert.equal(timeLeftText(8_900_000, 100_000, "en"), "89\u00a0s");
  assert.equal(timeLeftText(9_000_001, 100_000, "en"), "2\u00a0min");
  assert.equal(timeLeftText(30_000_000, 100_000, "ko"), "5분");
  assert.equal(timeLeftText(30_000_000, 0, "en"), null);
});

Deno.test("SendingView shows the whole: percent, amount, speed and time left, none of the last two while paused", () => {
  const progress: UploadProgress = {
    studies: [],
    state: "running",
    sentBytes: 25_000_000,
    totalBytes: 100_000_000,
    bytesPerSecond: 2_500_000,
  };
  const shown = (change: Partial<UploadProgress>) =>
    textOf(renderToStaticMarkup(
      <SendingView language="en" progress={{ ...progress, ...change }} onHurry={() => {}} />,
    ));
  assert.equal(
    shown({}),
    "Sending 25 % 25.0 MB / 100.0 MB 2.5 MB/s 30 s left",
  );
  assert.equal(
    shown({ state: "paused", bytesPerSecond: 0 }),
    "Paused 25 % 25.0 MB / 100.0 MB",
  );
  assert.match(shown({ state: "offline", bytesPerSecond: 0 }), /Connection lost.* Retry now$/);
  assert.match(
    shown({ sentBytes: 100_000_000 }),
    /^The server is checking and storing the studies/,
  );
});

const of = (stage: UploadStage, patientId: string): StudyProgress => ({
  study: {
    studyUid: patientId,
    patientId,
    patientName: "",
    studyDate: "",
    series: [],
    files: [],
    sizeBytes: 1000,
  },
  stage,
  sentBytes: stage === "sending" ? 420 : 0,
  code: null,
  pids: [],
  failures: [],
});

Deno.test("StudyProgressTable shows each study's own progress, and marks those that are completed", () => {
  const stages = ["stored", "known", "sending", "waiting", "failed", "canceled"] as const;
  const markup = renderToStaticMarkup(
    <StudyProgressTable
      language="en"
      studies={stages.map((stage, n) => of(stage, `P-${n}`))}
      reasonOf={({ stage }) => stage === "failed" ? "No room." : null}
      onCancel={() => {}}
      onRetry={() => {}}
    />,
  );
  const rows = markup.split("<tr").slice(2);
  assert.deepEqual(rows.map((row) => row.includes("bg-emerald-50")), [
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
  const shown = rows.map((row) => textOf(`<tr${row}`).replace(/^P-\d - 1 kB /, ""));
  assert.deepEqual(shown.slice(0, 6), [
    "Uploaded",
    "Already stored",
    "Sending 42 % Cancel",
    "Waiting Cancel",
    "Failed No room. Retry",
    "Canceled Retry",
  ]);
});

Deno.test("StudyProgressTable says of the study that was being sent that it is paused", () => {
  const markup = renderToStaticMarkup(
    <StudyProgressTable
      language="en"
      studies={[of("sending", "P-0"), of("waiting", "P-1")]}
      isPaused
      reasonOf={() => null}
      onCancel={() => {}}
      onRetry={() => {}}
    />,
  );
  assert.match(textOf(markup), /Paused 42 % Cancel .* Waiting Cancel/);
  assert.doesNotMatch(textOf(markup), /Sending/);
});

// covers: S-10
Deno.test("StudyProgressTable follows the upload over its pages, and ends where something failed", () => {
  const firstShown = (...last: UploadStage[]) => {
    const stages = [...Array.from({ length: 11 }, () => "stored" as const), ...last];
    const markup = renderToStaticMarkup(
      <StudyProgressTable
        language="en"
        studies={stages.map((stage, n) => of(stage, `P-${n}`))}
        reasonOf={() => null}
        onCancel={() => {}}
        onRetry={() => {}}
      />,
    );
    return /P-\d+/.exec(textOf(markup))![0];
  };
  assert.equal(firstShown("stored"), "P-0");
  for (const stage of ["sending", "waiting", "failed"] as const) {
    assert.equal(firstShown(stage), "P-10", stage);
  }
});

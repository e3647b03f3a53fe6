import assert from "node:assert/strict";
import { sentBefore } from "@/components/dicom_export/sent_before.ts";

const sent = (
  kind: string,
  sentAt: string | null,
  state: "sent" | "waiting" | "failed" | "nothing" = "sent",
  peer = "PACS",
) => ({
  id: 1,
  peer,
  pid: 1,
  kind,
  state,
  attempts: 1,
  last_error: null,
  created_at: "2026-01-01T08:00:00Z",
  sent_at: sentAt,
  committed_at: null,
});
const corrected = (series: "t1" | "t2", at: string) => ({ series, at, by: "Reader", strokes: 1 });

Deno.test("sentBefore() names the latest of what was sent before a correction that changes it", () => {
  const early = "2026-01-01T09:00:00Z", late = "2026-01-01T11:00:00.000Z";
  const results = [
    sent("measurements", late),
    sent("measurements", early),
    sent("measurements", early, "sent", "Other"),
    sent("report", early, "waiting"),
    sent("regions", early),
    sent("lesions", early),
    sent("key_images", early),
    sent("pages", null, "waiting"),
  ];
  const namesOf = (series: "t1" | "t2") => {
    const { following, left } = sentBefore(results, [corrected(series, "2026-01-01T10:00:00Z")]);
    return [following, left].map((all) => all.map(({ peer, kind }) => `${peer} ${kind}`));
  };
  assert.deepEqual(namesOf("t1"), [["PACS report"], ["Other measurements", "PACS regions"]]);
  assert.deepEqual(namesOf("t2"), [["PACS report"], ["Other measurements", "PACS lesions"]]);
  assert.deepEqual(sentBefore(results, []), { following: [], left: [], gone: [] });
});

Deno.test("sentBefore() tells what follows by itself from what was refused, or arrived too late to be corrected", () => {
  const late = "2026-01-01T11:00:00Z", correction = corrected("t1", "2026-01-01T10:00:00Z");
  const kindsOf = (results: Parameters<typeof sentBefore>[0]) => {
    const { following, left, gone } = sentBefore(results, [correction]);
    return [following, left, gone].map((all) =>
      all.map(({ kind, sent_at }) => `${kind} ${sent_at}`)
    );
  };
  const before = sent("measurements", late), named = [`measurements ${late}`];
  assert.deepEqual(kindsOf([sent("measurements", null, "waiting"), before]), [named, [], []]);
  assert.deepEqual(kindsOf([sent("measurements", null, "failed"), before]), [[], named, []]);
  assert.deepEqual(kindsOf([sent("measurements", null, "nothing"), before]), [[], [], named]);
  assert.deepEqual(kindsOf([sent("measurements", "2026-01-01T12:00:00Z"), before]), [[], [], []]);
});

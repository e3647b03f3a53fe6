import assert from "node:assert/strict";
import { sentBefore } from "@/results/sent_before.ts";

const sent = (kind: string, sentAt: string | null, state: "sent" | "waiting" = "sent", peer = "PACS") => ({
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
  const namesOf = (series: "t1" | "t2") =>
    sentBefore(results, [corrected(series, "2026-01-01T10:00:00Z")]).map(({ peer, kind }) =>
      `${peer} ${kind}`
    );
  assert.deepEqual(namesOf("t1"), ["Other measurements", "PACS regions"]);
  assert.deepEqual(namesOf("t2"), ["Other measurements", "PACS lesions"]);
  assert.deepEqual(sentBefore(results, []), []);
});

import assert from "node:assert/strict";
import { renderToStaticMarkup } from "react-dom/server";
import { TimeZoneContext } from "@/client/page/time_zone.ts";
import { DicomResults } from "@/components/dicom_export/DicomResults.tsx";
import { LANGUAGES } from "@/model/text.ts";
import { dicomText } from "@/model/text/dicom.ts";

const at = "2026-05-04T06:30:00Z";
const sent = {
  id: 1,
  peer: "Archive",
  pid: 1,
  kind: "measurements",
  state: "sent",
  attempts: 1,
  last_error: null,
  created_at: at,
  sent_at: "2026-05-04T05:00:00Z",
  committed_at: null,
} as const;

const wordsOf = (language: "en" | "ko", isCorrected: boolean, isFollowing = false) =>
  renderToStaticMarkup(
    <TimeZoneContext value="Asia/Seoul">
      <DicomResults
        kinds={["measurements"]}
        busy={null}
        corrections={isCorrected ? [{ series: "t2", at, by: "Dr. Park", strokes: 3 }] : []}
        before={{
          gone: [],
          following: isFollowing ? [sent] : [],
          left: isCorrected && !isFollowing ? [sent] : [],
        }}
        onSave={() => {}}
        language={language}
      />
    </TimeZoneContext>,
  ).match(/<div role="note".*?<\/div>/)?.[0].replaceAll(/<[^>]*>/g, "|") ?? "";

Deno.test("DicomResults says who corrected the results, and what was sent without it", () => {
  assert.equal(wordsOf("en", false), "");
  const en = wordsOf("en", true), ko = wordsOf("ko", true);
  assert.match(en, /Lesions were corrected by Dr\. Park, 2026-05-04 15:30/);
  assert.match(
    en,
    /Measurements \(SR\) → Archive, 2026-05-04 14:00/,
  );
  assert.match(
    ko,
    /병변 수정\(Dr\. Park, 2026-05-04 15:30\).*측정값\(SR\) → Archive, 2026-05-04 14:00/,
  );
  assert.ok(en.includes(dicomText.sentBefore.en) && en.includes(dicomText.sendAgain.en));
  // the corrected results will be sent automatically, so the user is not asked to send them
  const soon = wordsOf("en", true, true);
  assert.match(
    soon,
    /5 minutes after the last correction.*Measurements \(SR\) → Archive, 2026-05-04 14:00/,
  );
  assert.ok(!soon.includes(dicomText.sentBefore.en) && !soon.includes(dicomText.sendAgain.en));
  assert.match(wordsOf("ko", true, true), /5분이 지나면.*측정값\(SR\) → Archive/);
});

// covers: S-223
Deno.test("DicomResults says why there is no percentile map of a scanner that is not accepted", () => {
  for (const isMapLeftOut of [true, false]) {
    for (const language of LANGUAGES) {
      const html = renderToStaticMarkup(
        <DicomResults
          kinds={["measurements"]}
          isMapLeftOut={isMapLeftOut}
          busy={null}
          corrections={[]}
          before={{ gone: [], following: [], left: [] }}
          onSave={() => {}}
          language={language}
        />,
      );
      assert.equal(html.includes(dicomText.mapLeftOut[language]), isMapLeftOut);
    }
  }
});

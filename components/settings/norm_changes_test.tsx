import assert from "node:assert/strict";
import { renderToStaticMarkup } from "react-dom/server";
import { DEFAULT_THRESHOLDS } from "@/model/norms/bands.ts";
import { ChangeList } from "@/components/settings/NormTables.tsx";

Deno.test("ChangeList names the percentiles at which the server's levels begin", () => {
  const [lowest, highest] = DEFAULT_THRESHOLDS as [number, number];
  const reading = { percentile: 10, possible_level: 0, is_usual: false };
  const html = (is_inverted: boolean) =>
    renderToStaticMarkup(
      <ChangeList
        language="en"
        changes={[{
          pid: 1,
          patient_id: "P1",
          study_date: null,
          measures: [{
            measure: "volume",
            key: "icv",
            is_inverted,
            before: { ...reading, level: 1 },
            after: { ...reading, level: 2 },
          }],
        }]}
      />,
    );
  assert.match(html(false), new RegExp(`beyond percentile ${highest}\\).*percentile ${lowest}\\)`));
  assert.match(
    html(true),
    new RegExp(`beyond percentile ${100 - highest}\\).*percentile ${100 - lowest}\\)`),
  );
});

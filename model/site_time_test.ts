// covers: S-14
import assert from "node:assert/strict";
import { clockIn, dayIn, minuteIn } from "@/model/site_time.ts";

Deno.test("dayIn(), minuteIn() and clockIn() write an instant as the clocks of the time zone do", () => {
  const ms = Date.parse("2026-02-03T18:04:05Z");
  assert.equal(dayIn("UTC", ms), "2026-02-03");
  assert.equal(dayIn("Asia/Seoul", ms), "2026-02-04");
  assert.equal(minuteIn("Asia/Seoul", ms), "2026-02-04 03:04");
  assert.equal(clockIn("America/New_York", ms), "13:04:05");
  assert.equal(clockIn("UTC", Date.parse("2026-02-03T00:00:00Z")), "00:00:00");
});

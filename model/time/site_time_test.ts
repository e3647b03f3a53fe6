// covers: S-14
import assert from "node:assert/strict";
import { clockIn, dayIn, minuteIn, secondIn, startOfDay } from "@/model/time/site_time.ts";

Deno.test("dayIn(), minuteIn() and clockIn() write an instant as the clocks of the time zone do", () => {
  const ms = Date.parse("2026-02-03T18:04:05Z");
  assert.equal(dayIn("UTC", ms), "2026-02-03");
  assert.equal(dayIn("Asia/Seoul", ms), "2026-02-04");
  assert.equal(minuteIn("Asia/Seoul", ms), "2026-02-04 03:04");
  assert.equal(clockIn("America/New_York", ms), "13:04:05");
  assert.equal(clockIn("UTC", Date.parse("2026-02-03T00:00:00Z")), "00:00:00");
});

Deno.test("startOfDay() is midnight of the time zone, also where the clocks are changed that day", () => {
  const start = (zone: string, day: string) => new Date(startOfDay(zone, day)).toISOString();
  assert.equal(start("UTC", "2026-02-03"), "2026-02-03T00:00:00.000Z");
  assert.equal(start("Asia/Seoul", "2026-02-03"), "2026-02-02T15:00:00.000Z");
  assert.equal(start("America/New_York", "2026-03-08"), "2026-03-08T05:00:00.000Z");
  assert.equal(start("America/New_York", "2026-03-09"), "2026-03-09T04:00:00.000Z");
  assert.equal(start("Europe/Berlin", "2026-10-25"), "2026-10-24T22:00:00.000Z");
  // Chile begins summer time at midnight: that day begins at one o'clock
  assert.equal(start("America/Santiago", "2026-09-06"), "2026-09-06T04:00:00.000Z");
  for (const zone of ["Asia/Seoul", "Pacific/Kiritimati", "America/Santiago"]) {
    assert.equal(secondIn(zone, startOfDay(zone, "2026-05-05")), "2026-05-05 00:00:00");
  }
});

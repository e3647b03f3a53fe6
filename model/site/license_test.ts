import assert from "node:assert/strict";
import { licenseStateOn, wholeDays } from "@/model/site/license.ts";
import { dayIn } from "@/model/time/site_time.ts";

const license = (more: Partial<Parameters<typeof licenseStateOn>[0]> = {}) => ({
  limit: [],
  total_remain_credit: null,
  expire_date: null,
  start_date: null,
  ...more,
});

// covers: D1-4.21
Deno.test("dayIn() is the day of the site, not of Greenwich", () => {
  const lateEvening = Date.parse("2026-03-31T22:30:00Z");
  assert.equal(dayIn("UTC", lateEvening), "2026-03-31");
  assert.equal(dayIn("Asia/Seoul", lateEvening), "2026-04-01");
  assert.equal(dayIn("America/Sao_Paulo", Date.parse("2026-04-01T02:59:00Z")), "2026-03-31");
});

// covers: D1-4.21
Deno.test("wholeDays() counts days over the change to summer time, the end of a year and a leap day", () => {
  assert.equal(wholeDays("2026-03-28", "2026-03-30"), 2);
  assert.equal(wholeDays("2026-12-31", "2027-01-01"), 1);
  assert.equal(wholeDays("2028-02-28", "2028-03-01"), 2);
  assert.equal(wholeDays("2026-05-02", "2026-05-01"), -1);
});

// covers: D1-4.20
Deno.test("licenseStateOn() lets the last day be used whole, and no day more", () => {
  const dated = license({ start_date: "2026-05-01", expire_date: "2026-05-31" });
  const states = ["2026-04-30", "2026-05-01", "2026-05-31", "2026-06-01"].map((day) =>
    licenseStateOn(dated, day)
  );
  assert.deepEqual(states, ["not_started", "valid", "valid", "expired"]);
});

// covers: D1-4.19, D1-4.22
Deno.test("licenseStateOn() counts credits only when the limit list says so", () => {
  assert.equal(licenseStateOn(license({ total_remain_credit: 0 }), "2026-05-01"), "valid");
  const counted = license({ limit: ["use_limit"], total_remain_credit: 0 });
  assert.equal(licenseStateOn(counted, "2026-05-01"), "no_credit");
  assert.equal(licenseStateOn({ ...counted, total_remain_credit: 1 }, "2026-05-01"), "valid");
  assert.equal(licenseStateOn({ ...counted, expire_date: "2026-04-30" }, "2026-05-01"), "expired");
});

// covers: D1-3.6
import assert from "node:assert/strict";
import {
  addDays,
  addMonths,
  completeTypedDay,
  isDay,
  normaliseDay,
  weeksOfMonth,
} from "@/model/time/day.ts";

Deno.test("completeTypedDay() puts the marks in as digits come, and leaves a deletion alone", () => {
  const seen: string[] = [];
  let day = "";
  for (const digit of "19580312") seen.push(day = completeTypedDay(day + digit, day));
  assert.deepEqual(seen, [
    "1",
    "19",
    "195",
    "1958-",
    "1958-0",
    "1958-03-",
    "1958-03-1",
    "1958-03-12",
  ]);
  const back: string[] = [];
  while (day !== "") back.push(day = completeTypedDay(day.slice(0, -1), day));
  assert.deepEqual(back, [
    "1958-03-1",
    "1958-03-",
    "1958-03",
    "1958-0",
    "1958-",
    "1958",
    "195",
    "19",
    "1",
    "",
  ]);
  assert.equal(completeTypedDay("19580", "1958"), "1958-0");
  assert.equal(completeTypedDay("1958-031", "1958-03"), "1958-03-1");
  assert.equal(completeTypedDay("1958/3/", "1958-3"), "1958-03-");
});

Deno.test("completeTypedDay() takes dates from elsewhere and refuses what cannot become one", () => {
  for (
    const text of [
      "19580312",
      "１９５８－０３－１２",
      "1958/03/12",
      "1958.03.12",
      " 1958-03-12 ",
      "1958년 03월 12일",
    ]
  ) {
    assert.equal(completeTypedDay(text, ""), "1958-03-12", text);
  }
  assert.equal(normaliseDay(completeTypedDay("1958. 3. 2.", "")), "1958-03-02");
  assert.equal(completeTypedDay("1958-03-123", "1958-03-12"), "1958-03-12");
  assert.equal(completeTypedDay("12 March 1958", ""), "");
  assert.equal(completeTypedDay("abc", "1958"), "");
  assert.equal(normaliseDay("1958-03-"), "1958-03");
  assert.deepEqual(["1958-02-29", "1958-2-9", "", "1956-02-29"].map(isDay), [
    false,
    false,
    false,
    true,
  ]);
});

Deno.test("a calendar's days and months go on over the ends of months and years", () => {
  assert.equal(addDays("2024-02-28", 2), "2024-03-01");
  assert.equal(addDays("2024-01-01", -1), "2023-12-31");
  assert.equal(addMonths("2024-01-31", 1), "2024-02-29");
  assert.equal(addMonths("2024-01-31", -2), "2023-11-30");
  assert.equal(addMonths("2024-02-29", 12), "2025-02-28");
  const weeks = weeksOfMonth("2024-02-15");
  assert.deepEqual(
    [weeks.length, weeks[0]!.indexOf("2024-02-01"), weeks[4]!.indexOf("2024-02-29")],
    [
      5,
      4,
      4,
    ],
  );
  assert.equal(weeksOfMonth("2026-02-01").length, 4);
});

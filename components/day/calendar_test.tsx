import assert from "node:assert/strict";
import { renderToStaticMarkup } from "react-dom/server";
import { today } from "@/model/time/day.ts";
import { Calendar } from "@/components/day/Calendar.tsx";

const monthOf = (day: string) =>
  /aria-live="polite"[^>]*>([^<]+)</.exec(renderToStaticMarkup(
    <Calendar day={day} language="en" anchor={{ current: null }} onPick={() => {}} onClose={() => {}} />,
  ))?.[1];

Deno.test("Calendar begins at its day, or today where that is none or out of its reach", () => {
  assert.equal(monthOf("1958-03-12"), "March 1958");
  const now = monthOf(today());
  for (const day of ["", "1958-02-30", "0058-03-12", "2958-03-12"]) assert.equal(monthOf(day), now, day);
});

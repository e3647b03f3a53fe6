import assert from "node:assert/strict";
import { renderToStaticMarkup } from "react-dom/server";
import { Calendar } from "@/components/day/Calendar.tsx";

const monthOf = (day: string) =>
  /aria-live="polite"[^>]*>([^<]+)</.exec(renderToStaticMarkup(
    <Calendar
      day={day}
      today="2026-02-04"
      language="en"
      anchor={{ current: null }}
      onPick={() => {}}
      onClose={() => {}}
    />,
  ))?.[1];

Deno.test("Calendar begins at its day, or today where that is none or out of its reach", () => {
  assert.equal(monthOf("1958-03-12"), "March 1958");
  for (const day of ["", "1958-02-30", "0058-03-12", "2958-03-12"]) {
    assert.equal(monthOf(day), "February 2026", day);
  }
});

import assert from "node:assert/strict";
import { textIn } from "@/model/text.ts";

const found = { en: "{n} {n|study|studies} of {total}", ko: "검사 {total}건 중 {n}건" };

Deno.test("textIn() fills in values and leaves a mark without one as it is", () => {
  assert.equal(textIn(found, "ko", { n: 1, total: 3 }), "검사 3건 중 1건");
  assert.equal(textIn({ en: "by {user}", ko: "{user}" }, "en"), "by {user}");
});

Deno.test("textIn() chooses the form of a word by its number", () => {
  const of = (n: string | number) => textIn(found, "en", { n, total: "1,001" });
  assert.deepEqual([of(0), of(1), of("1")], [
    "0 studies of 1,001",
    "1 study of 1,001",
    "1 study of 1,001",
  ]);
  assert.deepEqual([of(2), of("1,000")], ["2 studies of 1,001", "1,000 studies of 1,001"]);
  assert.equal(textIn({ en: "{n|one|many}", ko: "" }, "en"), "many");
});

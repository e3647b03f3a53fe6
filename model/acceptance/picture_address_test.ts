import assert from "node:assert/strict";
import { pictureAddress, pictureIn } from "@/model/acceptance/picture_address.ts";

Deno.test("pictureIn() reads the address of a picture, and nothing else", () => {
  const at = { test: 3, place: 0 };
  assert.deepEqual(pictureIn(new URL(pictureAddress(7, at), "http://x").search), at);
  assert.deepEqual(pictureIn("?testing&picture=12&tab=wmh&acceptance=9"), { test: 9, place: 12 });
  for (
    const other of [
      "",
      "?acceptance=3",
      "?acceptance=0&picture=1",
      "?acceptance=3&picture=-1",
      "?acceptance=3&picture=100",
      "?acceptance=1e3&picture=1",
    ]
  ) assert.equal(pictureIn(other), null, other);
});

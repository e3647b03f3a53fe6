// covers: S-137
import assert from "node:assert/strict";
import { roomOf, roomText, USUAL_ROOM } from "@/model/viewer/first_picture.ts";

Deno.test("roomOf() reads the rooms of screens, and no room that would take the memory", () => {
  for (
    const room of [
      USUAL_ROOM,
      { width: 3520, height: 1990, ratio: 1 },
      { width: 1600, height: 1000, ratio: 2 },
      { width: 400, height: 700, ratio: 3.5 },
    ]
  ) assert.deepEqual(roomOf(roomText(room)), room);
  for (
    const text of [
      undefined,
      "",
      "960x742",
      "63x742x1",
      "5000x742x1",
      "4096x4096x4",
      "4096x4096x1.001",
      "960x742x0.1",
      "-960x742x1",
      "960x742x1e3",
      "960x742x1;x",
    ]
  ) assert.equal(roomOf(text), null, text);
});

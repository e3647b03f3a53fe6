// covers: S-255
import assert from "node:assert/strict";
import { readingKey, VisibleTime } from "@/client/page/visible_time.ts";

/** A page with a controlled clock and visibility. */
function madePage() {
  const listeners = new Set<() => void>(), kept = new Map<string, string>();
  const page = {
    atMs: 0,
    state: "visible" as DocumentVisibilityState,
    listeners,
    kept,
    nowMs: () => page.atMs,
    document: {
      get visibilityState() {
        return page.state;
      },
      addEventListener: (_: string, listener: unknown) =>
        void listeners.add(listener as () => void),
      removeEventListener: (_: string, listener: unknown) =>
        void listeners.delete(listener as () => void),
    },
    storage: {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => void kept.set(key, value),
      removeItem: (key: string) => void kept.delete(key),
    },
    show(state: DocumentVisibilityState) {
      page.state = state;
      for (const listener of listeners) listener();
    },
  };
  return page;
}

Deno.test("VisibleTime counts only while the page is visible, and counts the pauses", () => {
  const page = madePage(), time = new VisibleTime("a", page);
  page.atMs = 500;
  assert.equal(time.totalMs, 0);
  time.start();
  time.start();
  page.atMs = 1500;
  assert.equal(time.totalMs, 1000);
  page.show("hidden");
  page.show("hidden");
  page.atMs = 9000;
  assert.deepEqual([time.totalMs, time.pauses], [1000, 1]);
  page.show("visible");
  page.show("visible");
  page.atMs = 9250;
  assert.deepEqual([time.totalMs, time.pauses], [1250, 1]);
  time.close({ isKept: false });
  assert.deepEqual([page.listeners.size, page.kept.size], [0, 0]);
});

Deno.test("VisibleTime goes on after a reload, and begins hidden without counting", () => {
  const page = madePage(), before = new VisibleTime("a", page);
  before.start();
  page.atMs = 700;
  page.show("hidden");
  before.close({ isKept: true });
  const after = new VisibleTime("a", page);
  after.start();
  page.atMs = 5000;
  assert.deepEqual([after.totalMs, after.pauses], [700, 1]);
  page.show("visible");
  page.atMs = 5300;
  assert.equal(after.totalMs, 1000);
  assert.equal(new VisibleTime("b", page).totalMs, 0);
  page.kept.set("c", "no number");
  assert.equal(new VisibleTime("c", page).totalMs, 0);
});

Deno.test("the time of a reading goes on for its reader alone, in a tab that others use too", () => {
  const page = madePage(), first = new VisibleTime(readingKey(2, 1, 0), page);
  first.start();
  page.atMs = 700;
  first.close({ isKept: true });
  for (const key of [readingKey(3, 1, 0), readingKey(2, 1, 1), readingKey(2, 2, 0)]) {
    assert.equal(new VisibleTime(key, page).totalMs, 0);
  }
  assert.equal(new VisibleTime(readingKey(2, 1, 0), page).totalMs, 700);
});

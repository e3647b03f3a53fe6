import assert from "node:assert/strict";
import { pressGuard } from "@/components/worklist/table/press_guard.ts";

/** A row that can show another study, and a function that makes events on the row. */
function rowOf(pid: string) {
  const row = {
    pid,
    getAttribute: () => row.pid,
    closest: (selector: string) => selector === "[data-pid]" ? row : null,
  };
  const event = (target: object = row) => {
    const given = {
      target,
      detail: 1,
      isStopped: false,
      preventDefault() {},
      stopPropagation: () => void (given.isStopped = true),
    };
    return given;
  };
  return { row, event };
}

Deno.test("pressGuard() lets a click through, and stops one whose row became another study meanwhile", () => {
  const guard = pressGuard(), { row, event } = rowOf("7");
  const click = () => {
    const given = event();
    guard.onClickCapture(given);
    return given.isStopped;
  };
  guard.onPointerDownCapture(event());
  assert.equal(click(), false);
  guard.onPointerDownCapture(event());
  row.pid = "8";
  assert.equal(click(), true);
  // assistive programs send a click without a press before it
  assert.equal(click(), false);
});

Deno.test("pressGuard() stops a double click whose first click was on another study", () => {
  const guard = pressGuard(), { row, event } = rowOf("7");
  const press = () => {
    guard.onPointerDownCapture(event());
    guard.onClickCapture(event());
  };
  press();
  row.pid = "8";
  press();
  const first = event();
  guard.onDoubleClickCapture(first);
  assert.equal(first.isStopped, true);
  press();
  const second = event();
  guard.onDoubleClickCapture(second);
  assert.equal(second.isStopped, false);
});

Deno.test("pressGuard() stops a double click whose second click is on another row, which took the place", () => {
  const guard = pressGuard(), before = rowOf("7"), after = rowOf("8");
  for (const { event } of [before, after]) {
    guard.onPointerDownCapture(event());
    guard.onClickCapture(event());
  }
  const given = after.event();
  guard.onDoubleClickCapture(given);
  assert.equal(given.isStopped, true);
});

// covers: D1-2.10
Deno.test("pressGuard() lets a double click through on the row, and stops one on a button in it", () => {
  const guard = pressGuard(), { row, event } = rowOf("7");
  const button = { closest: (selector: string) => selector.startsWith("button") ? button : row };
  const doubleClick = (target: object) => {
    for (let n = 0; n < 2; n++) {
      guard.onPointerDownCapture(event(target));
      guard.onClickCapture(event(target));
    }
    const given = event(target);
    guard.onDoubleClickCapture(given);
    return given.isStopped;
  };
  assert.deepEqual([doubleClick(row), doubleClick(button)], [false, true]);
});

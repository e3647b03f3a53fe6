// A screen without a monitor (Xvfb), for browsers that are to have a window.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";

export const XVFB = "/usr/bin/Xvfb";
export const hasScreen = existsSync(XVFB);

/** A screen of its own; ends with it. */
export class Screen implements AsyncDisposable {
  private constructor(readonly display: string, private readonly process: Deno.ChildProcess) {}

  static async open(): Promise<Screen> {
    const process = new Deno.Command(XVFB, {
      args: ["-displayfd", "1", "-screen", "0", "1280x1000x24", "-nolisten", "tcp"],
      stdout: "piped",
      stderr: "null",
    }).spawn();
    // it says its number when it can be used
    const reader = process.stdout.getReader(), { value } = await reader.read();
    await reader.cancel();
    const number = new TextDecoder().decode(value).trim();
    assert.match(number, /^\d+$/, "Xvfb names its display");
    return new Screen(`:${number}`, process);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      this.process.kill();
    } catch { /* it has already ended */ }
    await this.process.status;
  }
}

// A screen without a monitor (Xvfb), for browsers that are to have a window.
import { existsSync } from "node:fs";

export const XVFB = "/usr/bin/Xvfb";
export const hasScreen = existsSync(XVFB);

/** A screen of its own; ends with it. */
export class Screen implements AsyncDisposable {
  private constructor(readonly display: string, private readonly process: Deno.ChildProcess) {}

  /** Starts it and waits for its number. @throws Error when it ends before it has said that. */
  static async open(): Promise<Screen> {
    const process = new Deno.Command(XVFB, {
      // its clients come and go; without -noreset it begins anew after the last one
      args: ["-noreset", "-displayfd", "1", "-screen", "0", "1280x1000x24", "-nolisten", "tcp"],
      stdout: "piped",
      stderr: "null",
    }).spawn();
    const lines = process.stdout.pipeThrough(new TextDecoderStream()),
      said = Promise.withResolvers<string>();
    (async () => {
      let text = "";
      // to the end: it writes the number and its line's end apart, and dies when nobody reads the second
      for await (const piece of lines) {
        text += piece;
        const number = /^(\d+)\n/.exec(text)?.[1];
        if (number) said.resolve(number);
      }
      said.reject(new Error(`Xvfb ended: ${text}`));
    })();
    return new Screen(`:${await said.promise}`, process);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.process.kill();
    await this.process.status;
  }
}

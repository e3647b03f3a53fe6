// A virtual screen (Xvfb), for browsers with a window.
import { existsSync } from "node:fs";

export const XVFB = "/usr/bin/Xvfb";
export const hasScreen = existsSync(XVFB);

/** A separate virtual screen; disposing it ends Xvfb. */
export class Screen implements AsyncDisposable {
  private constructor(readonly display: string, private readonly process: Deno.ChildProcess) {}

  /** Starts Xvfb and waits for its display number. @throws {Error} if it ends before. */
  static async open(): Promise<Screen> {
    const process = new Deno.Command(XVFB, {
      // without -noreset, Xvfb would restart after the last client
      args: ["-noreset", "-displayfd", "1", "-screen", "0", "1280x1000x24", "-nolisten", "tcp"],
      stdout: "piped",
      stderr: "null",
    }).spawn();
    const lines = process.stdout.pipeThrough(new TextDecoderStream()),
      said = Promise.withResolvers<string>();
    (async () => {
      let text = "";
      // reads to the end, because Xvfb dies if it cannot write the line break after the number
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

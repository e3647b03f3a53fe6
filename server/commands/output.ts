/** A line on standard output. */
export const print = (text: string): void =>
  void Deno.stdout.writeSync(new TextEncoder().encode(text + "\n"));

/** A line on standard error. */
export const printError = (text: string): void =>
  void Deno.stderr.writeSync(new TextEncoder().encode(text + "\n"));

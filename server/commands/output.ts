/** Writes a line to standard output. */
export const print = (text: string): void =>
  void Deno.stdout.writeSync(new TextEncoder().encode(text + "\n"));

/** Writes a line to standard error. */
export const printError = (text: string): void =>
  void Deno.stderr.writeSync(new TextEncoder().encode(text + "\n"));

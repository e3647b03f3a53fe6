// Independent readers of PDF files for tests: poppler and qpdf, if they are installed.
import assert from "node:assert/strict";

const isThere = (command: string, version: string) =>
  new Deno.Command(command, { args: [version], stdout: "null", stderr: "null" }).output()
    .then(() => true, () => false);

export const hasPoppler = await isThere("pdftotext", "-v");
export const hasQpdf = await isThere("qpdf", "--version");

/** Output of a program about a PDF; the path of the file replaces the empty argument. */
export async function runOnPdf(command: string, args: string[], pdf: Uint8Array): Promise<string> {
  const file = await Deno.makeTempFile({ suffix: ".pdf" });
  try {
    await Deno.writeFile(file, pdf);
    const { stdout, stderr, success } = await new Deno.Command(command, {
      args: args.map((a) => a || file),
    })
      .output();
    assert.ok(success, `${command} cannot read the file: ${new TextDecoder().decode(stderr)}`);
    return new TextDecoder().decode(stdout);
  } finally {
    await Deno.remove(file);
  }
}

import { inflatedBody, withDeflated } from "@/server/core/dicom/limits/inflated_body.ts";

/**
 * Inflated copies of deflated DICOM files, in a temporary folder that is deleted with this object.
 */
export class InflatedFiles implements AsyncDisposable {
  #folder: string | null = null;
  readonly #copies = new Map<string, string>();

  /**
   * Path of a file that can be read: a copy for a deflated one, otherwise the file.
   * @throws {AppError} `upload.format_not_supported` as `inflatedBody()`.
   */
  async pathOf(file: string): Promise<string> {
    const former = this.#copies.get(file);
    if (former !== undefined) return former;
    const { body, isDeflated } = withDeflated((await Deno.open(file)).readable);
    // reads only the first chunk: it contains the file meta information with the transfer syntax
    for await (const _ of body) break;
    if (!isDeflated()) return file;
    this.#folder ??= await Deno.makeTempDir({ prefix: "sulcus-inflated-" });
    const copy = `${this.#folder}/${this.#copies.size}.dcm`;
    await Deno.writeFile(
      copy,
      ReadableStream.from(inflatedBody((await Deno.open(file)).readable)),
    );
    this.#copies.set(file, copy);
    return copy;
  }

  /** Files of a series for the conversion. @throws {AppError} as {@link pathOf}. */
  async inputsOf(
    files: readonly { fileName: string }[],
  ): Promise<{ fileName: string; path: string }[]> {
    const inputs = [];
    for (const { fileName } of files) {
      inputs.push({ fileName, path: await this.pathOf(fileName) });
    }
    return inputs;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#folder !== null) await Deno.remove(this.#folder, { recursive: true });
  }
}

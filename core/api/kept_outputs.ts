import type * as z from "zod/mini";
import { writtenOnce } from "@/model/json_text.ts";

/**
 * What a schema makes of values, by their JSON: the same value is neither checked nor written (see `writtenOnce`) a
 * second time. What was not asked for longest goes first, half of what is kept at once.
 */
export class KeptOutputs<T extends z.ZodMiniType<object, object>> {
  #young = new Map<string, z.output<T>>();
  #old = new Map<string, z.output<T>>();
  #youngChars = 0;

  /** @param maxChars Of the values' JSON. */
  constructor(private readonly schema: T, private readonly maxChars: number) {}

  /** @param value JSON says everything of it. @throws when the value does not keep to the schema. */
  of(value: z.input<T>): z.output<T> {
    const key = JSON.stringify(value), young = this.#young.get(key);
    if (young !== undefined) return young;
    const output = this.#old.get(key) ?? writtenOnce(this.schema.parse(value));
    const mostYoung = this.maxChars / 2;
    if (key.length > mostYoung) return output;
    if (this.#youngChars + key.length > mostYoung) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#youngChars = 0;
    }
    this.#young.set(key, output);
    this.#youngChars += key.length;
    return output;
  }
}

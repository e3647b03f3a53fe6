import type * as z from "zod/mini";
import { writtenOnce } from "@/model/json_text.ts";
import { KeptValues } from "@/model/lru_cache.ts";

/**
 * What a schema makes of values, by their JSON: the same value is neither checked nor written (see `writtenOnce`) a
 * second time.
 */
export class KeptOutputs<T extends z.ZodMiniType<object, object>> {
  readonly #kept: KeptValues<z.output<T>>;

  /** @param maxChars Of the values' JSON. */
  constructor(private readonly schema: T, maxChars: number) {
    this.#kept = new KeptValues(maxChars, () => 0);
  }

  /** @param value JSON says everything of it. @throws when the value does not keep to the schema. */
  of(value: z.input<T>): z.output<T> {
    return this.#kept.of(JSON.stringify(value), () => writtenOnce(this.schema.parse(value)));
  }
}

import type * as z from "zod/mini";
import { serialiseOnce } from "@/model/json_text.ts";
import { LruCache } from "@/model/lru_cache.ts";

/**
 * What a schema makes of values, by their JSON: the same value is neither checked nor written (see `serialiseOnce`) a
 * second time.
 */
export class OutputCache<T extends z.ZodMiniType<object, object>> {
  readonly #cached: LruCache<z.output<T>>;

  /** @param maxChars Of the values' JSON. */
  constructor(private readonly schema: T, maxChars: number) {
    this.#cached = new LruCache(maxChars, () => 0);
  }

  /** @param value JSON says everything of it. @throws when the value does not keep to the schema. */
  of(value: z.input<T>): z.output<T> {
    return this.#cached.of(JSON.stringify(value), () => serialiseOnce(this.schema.parse(value)));
  }
}

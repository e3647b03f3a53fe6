import type * as z from "zod/mini";
import type { Random } from "@/server/commands/demo/phantom/random.ts";

interface Definition {
  type: string;
  shape?: Record<string, z.ZodMiniType>;
  element?: z.ZodMiniType;
  innerType?: z.ZodMiniType;
  options?: z.ZodMiniType[];
  entries?: Record<string, string | number>;
  values?: unknown[];
  in?: z.ZodMiniType;
  keyType?: z.ZodMiniType;
  valueType?: z.ZodMiniType;
}

const ODD: unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  2 ** 53,
  -(2 ** 63),
  1e308,
  "",
  " ",
  "\0",
  "\ud800",
  "'; DROP TABLE patients; --",
  "../../etc/passwd",
  "=1+1",
  "<script>",
  "\r\nX-Evil: 1",
  "x".repeat(5000),
  "2026-02-30",
  "9999-99-99",
  [],
  {},
  [[[[]]]],
  { __proto__: null, constructor: { prototype: {} } },
];
const TEXTS = [
  "a",
  "소",
  "2026-01-05",
  "2026/01/05",
  "1960-05-20",
  "P-1",
  "male",
  "asc",
  "pid",
  "Name 1",
];

const pick = <T>(random: Random, list: readonly T[]): T =>
  list[Math.floor(random.uniform() * list.length)]!;

/** A random value for a schema; some parts may be arbitrary values. */
export function bodyOf(schema: z.ZodMiniType, random: Random, oddity = 0.08, depth = 0): unknown {
  const def = schema._zod.def as unknown as Definition;
  const inner = (one: z.ZodMiniType) => bodyOf(one, random, oddity, depth + 1);
  if (random.uniform() < oddity) return pick(random, ODD);
  switch (def.type) {
    case "object": {
      const entries = Object.entries(def.shape!).map(([key, one]) => [key, inner(one)] as const);
      const kept = entries.filter(([, value]) =>
        value !== undefined && random.uniform() > oddity / 4
      );
      return Object.fromEntries(
        random.uniform() < oddity ? [...kept, ["__proto__", 1], ["extra", {}]] : kept,
      );
    }
    case "array":
      return Array.from(
        { length: depth > 4 ? 0 : Math.floor(random.uniform() * 4) },
        () => inner(def.element!),
      );
    case "record":
      return Object.fromEntries([1, 2].map((n) => [`key${n}`, inner(def.valueType!)]));
    case "string":
      return pick(random, TEXTS);
    case "number":
    case "int":
      return pick(random, [1, 2, 3, 4, 5, 10, 64, 128, 999]);
    case "boolean":
      return random.uniform() < 0.5;
    case "enum":
      return pick(random, Object.values(def.entries!));
    case "literal":
      return pick(random, def.values!);
    case "union":
      return inner(pick(random, def.options!));
    case "optional":
      return random.uniform() < 0.4 ? undefined : inner(def.innerType!);
    case "nullable":
      return random.uniform() < 0.3 ? null : inner(def.innerType!);
    case "default":
    case "prefault":
    case "readonly":
      return inner(def.innerType!);
    case "pipe":
      return inner(def.in!);
    default:
      return pick(random, ODD);
  }
}

import * as z from "zod/mini";
import { MAX_TABLE_LENGTH } from "@/model/norms/imported/cells.ts";

/** Body of `POST /norms/tables`: the text of a CSV or JSON file. */
export const normTablePost = z.object({
  content: z.string().check(z.minLength(1), z.maxLength(MAX_TABLE_LENGTH)),
});

const numbers = z.readonly(z.array(z.number()));
/** Norms of one measure and sex: see `TableCurve`. */
const tableCurve = z.object({
  measure: z.enum(["volume", "thickness"]),
  key: z.string(),
  sex: z.enum(["male", "female", "any"]),
  ages: numbers,
  icvsMl: numbers,
  isLog10: z.boolean(),
  percents: z.nullable(numbers),
  values: z.readonly(z.array(numbers)),
});

/** Answer of `GET /norms/tables/{id}`. */
export const normTable = z.object({
  title: z.string(),
  source: z.string(),
  licence: z.string(),
  software: z.enum(["freesurfer", "sulcus"]),
  engineVersion: z.nullable(z.string()),
  curves: z.readonly(z.array(tableCurve)),
});

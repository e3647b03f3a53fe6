import * as z from "zod/mini";
import { listState } from "@/model/schema/patients.ts";
import { filterFields, hasFilterRanges } from "@/model/schema/filters.ts";

/** Most studies that are named one by one. */
const MAX_PIDS = 50_000;

/** `pid_list` = Export, `filter` = Export All; neither: every study. */
export const excelJobRequest = z.object({
  pid_list: z.optional(
    z.array(z.number().check(z.int(), z.gte(1))).check(z.minLength(1), z.maxLength(MAX_PIDS)),
  ),
  filter: z.optional(z.partial(z.object({ ...filterFields, state: listState })).check(...hasFilterRanges)),
  format: z.enum(["csv", "xlsx"]),
}).check(z.refine((request) => !request.pid_list || !request.filter, { path: ["filter"] }));
export type ExcelJobRequest = z.infer<typeof excelJobRequest>;

export const excelJobCreated = z.object({ excel_id: z.string() });
export type ExcelJobCreated = z.infer<typeof excelJobCreated>;

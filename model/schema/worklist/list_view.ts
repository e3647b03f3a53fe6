import * as z from "zod/mini";

/** Columns of a new user's worklist in default order, without check boxes and buttons. */
const DEFAULT_COLUMNS = [
  "number",
  "name",
  "patientId",
  "status",
  // placed early, so that the finding is visible in a narrow window
  "finding",
  "grade",
  "study",
  "sex",
  "age",
  "series",
  "analysis",
  "birth",
  "labels",
] as const;
/** Columns that a user can add. */
const ADDED_COLUMNS = ["hippocampusLeft", "hippocampusRight", "hippocampusAsymmetry"] as const;

export const columnKey = z.enum([...DEFAULT_COLUMNS, ...ADDED_COLUMNS]);
export type ColumnKey = z.infer<typeof columnKey>;

/** Limits of a column's width, px. */
export const MIN_COLUMN_WIDTH = 40, MAX_COLUMN_WIDTH = 600;
/** Limits of the rows per page. */
export const MIN_PAGE_SIZE = 5, MAX_LIST_PAGE_SIZE = 50;

const width = z.number().check(z.int(), z.gte(MIN_COLUMN_WIDTH), z.lte(MAX_COLUMN_WIDTH));

/** A user's display settings of the worklist. */
export const listView = z.object({
  /** rows per page; with `is_fit`, the number of rows that last fitted into the window */
  page_size: z.number().check(z.int(), z.gte(MIN_PAGE_SIZE), z.lte(MAX_LIST_PAGE_SIZE)),
  /** whether to show as many rows as fit into the window */
  is_fit: z.boolean(),
  density: z.enum(["comfortable", "compact"]),
  /** visible columns in display order */
  columns: z.array(z.object({ key: columnKey, width: z.nullable(width) })).check(
    z.maxLength(columnKey.options.length),
    z.refine((columns) => new Set(columns.map(({ key }) => key)).size === columns.length),
    // the name column is mandatory: without it, rows cannot be identified
    z.refine((columns) => columns.some(({ key }) => key === "name")),
  ),
});
export type ListView = z.infer<typeof listView>;

/** Default settings of a new user; five rows per page by D1 §9. */
export const DEFAULT_LIST_VIEW: ListView = {
  page_size: 5,
  is_fit: false,
  density: "comfortable",
  columns: DEFAULT_COLUMNS.map((key) => ({ key, width: null })),
};

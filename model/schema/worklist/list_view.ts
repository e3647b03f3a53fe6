import * as z from "zod/mini";

/**
 * Columns of the worklist, in the order of a new user; the check boxes and the buttons stand around
 * them.
 */
export const columnKey = z.enum([
  "number",
  "name",
  "patientId",
  "status",
  // in sight in a narrow window too
  "finding",
  "grade",
  "study",
  "sex",
  "age",
  "series",
  "analysis",
  "birth",
  "labels",
]);
export type ColumnKey = z.infer<typeof columnKey>;

/** px. */
export const MIN_COLUMN_WIDTH = 40, MAX_COLUMN_WIDTH = 600;
/** Rows of a page. */
export const MIN_PAGE_SIZE = 5, MAX_LIST_PAGE_SIZE = 50;

const width = z.number().check(z.int(), z.gte(MIN_COLUMN_WIDTH), z.lte(MAX_COLUMN_WIDTH));

/** How one user looks at the worklist. */
export const listView = z.object({
  /** rows of a page; with `is_fit` those that the window had room for last */
  page_size: z.number().check(z.int(), z.gte(MIN_PAGE_SIZE), z.lte(MAX_LIST_PAGE_SIZE)),
  /** as many rows as the window has room for */
  is_fit: z.boolean(),
  density: z.enum(["comfortable", "compact"]),
  /** those that are shown, in their order */
  columns: z.array(z.object({ key: columnKey, width: z.nullable(width) })).check(
    z.maxLength(columnKey.options.length),
    z.refine((columns) => new Set(columns.map(({ key }) => key)).size === columns.length),
    // a row cannot be assigned to a patient without the name
    z.refine((columns) => columns.some(({ key }) => key === "name")),
  ),
});
export type ListView = z.infer<typeof listView>;

/** Of a new user; five rows are D1 §9. */
export const DEFAULT_LIST_VIEW: ListView = {
  page_size: 5,
  is_fit: false,
  density: "comfortable",
  columns: columnKey.options.map((key) => ({ key, width: null })),
};

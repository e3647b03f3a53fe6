import * as z from "zod/mini";

/** Worklist label of the demo patients. */
export const DEMO_LABEL = "Demo";

/** Demo patients of a site: whether the user may load them, and how many are loaded. */
export const demoState = z.object({
  is_available: z.boolean(),
  is_loading: z.boolean(),
  loaded: z.number(),
  total: z.number(),
  pid_list: z.array(z.number()),
  /** error code of the last incomplete loading */
  failure: z.nullable(z.string()),
});
export type DemoState = z.infer<typeof demoState>;

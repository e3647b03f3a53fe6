import * as z from "zod/mini";

/** Label of made-up patients. */
export const DEMO_LABEL = "Demo";

/** Made-up patients of a site: whether the caller may load them, how many are there. */
export const demoState = z.object({
  is_available: z.boolean(),
  is_loading: z.boolean(),
  loaded: z.number(),
  total: z.number(),
  pid_list: z.array(z.number()),
  /** error code that ended the last loading before all patients were loaded */
  failure: z.nullable(z.string()),
});
export type DemoState = z.infer<typeof demoState>;

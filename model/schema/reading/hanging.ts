import * as z from "zod/mini";

/**
 * Layouts of a comparison of two studies: one, two or three planes of each side by side; `flip`
 * shows the studies alternately in the same pane.
 */
export const COMPARE_LAYOUTS = ["1x2", "2x2", "2x3", "flip"] as const;

/**
 * Study that a viewer opens for comparison by itself: none, the prior, or the prior and without one
 * another series.
 */
export const HANGING_RULES = ["nothing", "prior", "any"] as const;
export type HangingRule = (typeof HANGING_RULES)[number];

/** A user's hanging protocol: layout and study of the comparison at the start. */
export const hanging = z.object({ layout: z.enum(COMPARE_LAYOUTS), opens: z.enum(HANGING_RULES) });
export type Hanging = z.infer<typeof hanging>;

/** Hanging protocol of a new user. */
export const DEFAULT_HANGING: Hanging = { layout: "1x2", opens: "nothing" };

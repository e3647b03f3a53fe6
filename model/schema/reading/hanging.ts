import * as z from "zod/mini";

/**
 * Layouts of a comparison of two studies: one, two or three planes of each study side by side;
 * `flip` alternates the studies in the same pane.
 */
export const COMPARE_LAYOUTS = ["1x2", "2x2", "2x3", "flip"] as const;

/**
 * Study that the viewer opens automatically for comparison: none, the prior study,
 * or the prior study and, without one, another series.
 */
export const HANGING_RULES = ["nothing", "prior", "any"] as const;
export type HangingRule = (typeof HANGING_RULES)[number];

/** A user's hanging protocol: initial layout and comparison study. */
export const hanging = z.object({ layout: z.enum(COMPARE_LAYOUTS), opens: z.enum(HANGING_RULES) });
export type Hanging = z.infer<typeof hanging>;

/** Hanging protocol of a user who has not changed it. */
export const DEFAULT_HANGING: Hanging = { layout: "1x2", opens: "nothing" };

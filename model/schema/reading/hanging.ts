import * as z from "zod/mini";

/**
 * Panes of two studies side by side: one plane each, two or three of them; `flip`: in one place, by
 * turns.
 */
export const COMPARE_LAYOUTS = ["1x2", "2x2", "2x3", "flip"] as const;

/**
 * Study shown beside an opened one without a choice: the prior, the prior or else another series,
 * or none.
 */
export const HANGING_RULES = ["nothing", "prior", "any"] as const;
export type HangingRule = (typeof HANGING_RULES)[number];

/** How one user's viewer opens. */
export const hanging = z.object({ layout: z.enum(COMPARE_LAYOUTS), opens: z.enum(HANGING_RULES) });
export type Hanging = z.infer<typeof hanging>;

/** Of a new user. */
export const DEFAULT_HANGING: Hanging = { layout: "1x2", opens: "nothing" };

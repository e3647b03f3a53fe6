import type { AcceptanceDecision, PictureAnswer } from "@/model/schema/report/acceptance.ts";

/** Whether a decision needs a reason in writing: it accepts results of which a picture is wrong. */
export const needsRemark = (
  decision: AcceptanceDecision,
  answers: readonly (PictureAnswer | null)[],
): boolean => decision !== "none" && answers.includes("wrong");

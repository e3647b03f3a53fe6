import type { LabelProblem } from "@/model/worklist/label_edit.ts";
import { presentToast } from "@/client/notices/present_error.ts";

/** D1 §8: message for a refused name, beside the text under its box. */
const REFUSALS = {
  required: "label.required",
  max_length: "label.max_length",
  duplicate: "label.duplicate",
} as const;

/** Codes of the toasts about a label's name. */
export const LABEL_TOASTS = Object.values(REFUSALS);

/** Says that the name of a label cannot be taken. */
export const refuse = (problem: LabelProblem): void => presentToast(REFUSALS[problem]);

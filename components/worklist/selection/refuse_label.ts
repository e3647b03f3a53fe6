import type { LabelProblem } from "@/model/worklist/label_edit.ts";
import { presentToast } from "@/client/notices/present_error.ts";

/** D1 §8: toast for a refused label name, in addition to the text below the field. */
const REFUSALS = {
  required: "label.required",
  max_length: "label.max_length",
  duplicate: "label.duplicate",
} as const;

/** Shows that a label's name is refused. */
export const refuse = (problem: LabelProblem): void => presentToast(REFUSALS[problem]);

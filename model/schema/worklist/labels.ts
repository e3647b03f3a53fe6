import * as z from "zod/mini";
import { normalForm } from "@/model/normal_form.ts";
import { typedText } from "@/model/schema/typed_text.ts";

/** Maximum length of a label's name (D1 §9). */
export const MAX_LABEL_LENGTH = 20;
/** Maximum number of labels of an organisation. */
const MAX_LABELS = 1000;

export const labelRef = z.object({ id: z.number(), label_name: z.string() });
export type LabelRef = z.infer<typeof labelRef>;

/** Normalised label name, which must be unique: case and surrounding spaces do not count. */
export const labelKey = (name: string): string => normalForm(name.trim(), "NFC").toLowerCase();

/** Length in UTF-16 units above which a name is not normalised (NFC): it is always too long. */
const MAX_COUNTED = 1000;

/** Number of code points of a label's name in NFC; UTF-16 units if above {@link MAX_COUNTED}. */
export const labelLength = (name: string): number =>
  name.length > MAX_COUNTED ? name.length : [...normalForm(name.trim(), "NFC")].length;

/** The first wrong id ends the check of a list, as describing a million of them takes long. */
const id = z.number().check(z.int({ abort: true }));
const pid = id.check(z.gte(1, { abort: true }));

/** A label, and the studies with the label. */
const labelItem = z.object({
  /** negative in requests: a new label */
  id,
  label_name: z.string(),
  /** numbers (pid) of the studies */
  patients: z.array(pid),
  /** the caller's saved filters that use the label; ignored in requests */
  filters: z.array(id),
});
export type LabelItem = z.infer<typeof labelItem>;

export const labelsResponse = z.object({ labels: z.array(labelItem) });
export type LabelsResponse = z.infer<typeof labelsResponse>;

export const labelListResponse = z.object({ labels: z.array(labelRef) });
export type LabelListResponse = z.infer<typeof labelListResponse>;

/** Request that replaces all labels: stored labels with an absent id are deleted. */
export const labelsPut = z.array(
  z.extend(labelItem, {
    id: id.check(z.refine((value) => value !== 0)),
    label_name: z.string().check(
      typedText,
      z.refine((name) => labelLength(name) >= 1, "required"),
      z.refine((name) => labelLength(name) <= MAX_LABEL_LENGTH, "max_length"),
    ),
    filters: z.optional(z.array(id)),
  }),
).check(z.maxLength(MAX_LABELS));
export type LabelsPut = z.infer<typeof labelsPut>;

export const labelsPutResponse = z.object({
  labels: z.array(labelItem),
  /** stored id of each new label, by its temporary id */
  id_map: z.record(z.string(), z.number()),
});
export type LabelsPutResponse = z.infer<typeof labelsPutResponse>;

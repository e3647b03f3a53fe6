import * as z from "zod/mini";

/** D1 §9. */
export const MAX_LABEL_LENGTH = 20;
/** Most labels of an organisation. */
const MAX_LABELS = 1000;

export const labelRef = z.object({ id: z.number(), label_name: z.string() });
export type LabelRef = z.infer<typeof labelRef>;

/** Key by which labels must differ: case and surrounding space are ignored. */
export const labelKey = (name: string): string => name.trim().normalize("NFC").toLowerCase();

/** Length of a name as people count it: a letter outside the basic plane is one. */
export const labelLength = (name: string): number => [...name.trim().normalize("NFC")].length;

const id = z.number().check(z.int());
const pid = id.check(z.gte(1));

/** A label with the studies that carry it. */
const labelItem = z.object({
  /** < 0 in requests: a new label */
  id,
  label_name: z.string(),
  /** pids */
  patients: z.array(pid),
  /** the caller's saved filters that name it; ignored in requests */
  filters: z.array(id),
});
export type LabelItem = z.infer<typeof labelItem>;

export const labelsResponse = z.object({ labels: z.array(labelItem) });
export type LabelsResponse = z.infer<typeof labelsResponse>;

export const labelListResponse = z.object({ labels: z.array(labelRef) });
export type LabelListResponse = z.infer<typeof labelListResponse>;

/** Full replacement: a stored label is deleted when its id is absent. */
export const labelsPut = z.array(
  z.extend(labelItem, {
    id: id.check(z.refine((value) => value !== 0)),
    label_name: z.string().check(
      z.refine((name) => labelLength(name) >= 1, "required"),
      z.refine((name) => labelLength(name) <= MAX_LABEL_LENGTH, "max_length"),
    ),
    filters: z.optional(z.array(id)),
  }),
).check(z.maxLength(MAX_LABELS));
export type LabelsPut = z.infer<typeof labelsPut>;

export const labelsPutResponse = z.object({
  labels: z.array(labelItem),
  /** temporary id → stored id */
  id_map: z.record(z.string(), z.number()),
});
export type LabelsPutResponse = z.infer<typeof labelsPutResponse>;

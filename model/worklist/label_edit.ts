import {
  type LabelItem,
  labelKey,
  labelLength,
  MAX_LABEL_LENGTH,
} from "@/model/schema/worklist/labels.ts";

/** Reasons for refusing a label's name (D1 §5). */
export type LabelProblem = "required" | "max_length" | "duplicate";

/** Reason why a label's name is refused. @param exceptId Id of a label that is being renamed. */
export function labelProblem(
  labels: readonly LabelItem[],
  name: string,
  exceptId: number | null = null,
): LabelProblem | null {
  const length = labelLength(name);
  if (length === 0) return "required";
  if (length > MAX_LABEL_LENGTH) return "max_length";
  const key = labelKey(name);
  return labels.some((label) => label.id !== exceptId && labelKey(label.label_name) === key)
    ? "duplicate"
    : null;
}

/** Adds a label with a temporary negative id. */
export function withLabel(labels: readonly LabelItem[], name: string): LabelItem[] {
  const id = Math.min(0, ...labels.map((label) => label.id)) - 1;
  return [...labels, { id, label_name: name.trim(), patients: [], filters: [] }];
}

export const renameLabel = (labels: readonly LabelItem[], id: number, name: string): LabelItem[] =>
  labels.map((label) => label.id === id ? { ...label, label_name: name.trim() } : label);

export const withoutLabel = (labels: readonly LabelItem[], id: number): LabelItem[] =>
  labels.filter((label) => label.id !== id);

/** Adds a label to studies or removes it from them; the label itself remains (D1 §4). */
export function attachLabel(
  labels: readonly LabelItem[],
  id: number,
  pids: readonly number[],
  isAttached: boolean,
): LabelItem[] {
  return labels.map((label) => {
    if (label.id !== id) return label;
    const otherPatients = label.patients.filter((pid) => !pids.includes(pid));
    return { ...label, patients: isAttached ? [...otherPatients, ...pids] : otherPatients };
  });
}

/** Number of studies that have a label. */
export const countWithLabel = (label: LabelItem, pids: readonly number[]): number =>
  pids.filter((pid) => label.patients.includes(pid)).length;

/**
 * Applies the user's changes since `base` to the labels that others saved in the meantime. A label
 * deleted by others stays deleted. A new label of the user is kept, unless a label of that name
 * exists meanwhile: then the existing one is used.
 */
export function mergeLabels(
  base: readonly LabelItem[],
  mine: readonly LabelItem[],
  theirs: readonly LabelItem[],
): LabelItem[] {
  const of = (labels: readonly LabelItem[], id: number) => labels.find((label) => label.id === id);
  const merged = theirs.filter(({ id }) => !of(base, id) || of(mine, id)).map((label) => {
    const baseLabel = of(base, label.id), after = of(mine, label.id);
    if (!baseLabel || !after) return label;
    const added = after.patients.filter((pid) => !baseLabel.patients.includes(pid));
    const removed = baseLabel.patients.filter((pid) => !after.patients.includes(pid));
    return {
      ...label,
      label_name: after.label_name === baseLabel.label_name ? label.label_name : after.label_name,
      patients: [...new Set([...label.patients.filter((pid) => !removed.includes(pid)), ...added])],
    };
  });
  const added = mine.filter(({ id }) => id < 0);
  const sameName = (label: LabelItem) =>
    added.find(({ label_name }) => labelKey(label_name) === labelKey(label.label_name));
  const isTheirs = (label: LabelItem) =>
    merged.some(({ label_name }) => labelKey(label_name) === labelKey(label.label_name));
  return [
    ...merged.map((label) => ({
      ...label,
      patients: [...new Set([...label.patients, ...sameName(label)?.patients ?? []])],
    })),
    ...added.filter((label) => !isTheirs(label)),
  ];
}

import { useEffect, useRef, useState } from "react";
import { AppError, asAppError } from "@/model/errors.ts";
import { mergeLabels, withoutLabel } from "@/model/worklist/label_edit.ts";
import type { LabelItem } from "@/model/schema/worklist/labels.ts";
import { getLabels, saveLabels } from "@/client/api/worklist/labels.ts";
import { browserApi } from "@/client/browser_api.ts";
import { confirmInModal, presentError, presentToast } from "@/client/notices/present_error.ts";
import { queryClient } from "@/client/page/query.ts";

/** Queries invalidated by saving (D1 §4): labels, patients with their histories, filters. */
const STALE = [["labels"], ["patients"], ["filters"]] as const;

/** State of all labels while the dialog edits them; they are saved together. */
interface LabelEdit {
  /** the worklist labels as edited in the dialog; `null` while loading */
  labels: LabelItem[] | null;
  set: (labels: LabelItem[]) => void;
  failure: AppError | null;
  isChanged: boolean;
  isSaving: boolean;
  load: () => Promise<void>;
  /** Saves the labels; closes the dialog unless the user can correct a refused label name. */
  save: () => Promise<void>;
  /**
   * Removes a label from all studies, after confirmation if any study has the label.
   * @returns whether the label was removed.
   */
  remove: (label: LabelItem) => Promise<boolean>;
}

export function useLabelEdit(onClose: () => void): LabelEdit {
  const [labels, setLabels] = useState<LabelItem[] | null>(null);
  const [failure, setFailure] = useState<AppError | null>(null),
    [isSaving, setSaving] = useState(false);
  const stored = useRef<{ labels: LabelItem[]; version?: string }>({ labels: [] });
  const load = async () => {
    setFailure(null);
    try {
      stored.current = await getLabels(browserApi);
      setLabels(stored.current.labels);
    } catch (error) {
      setFailure(asAppError(error));
    }
  };
  useEffect(() => void load(), []);
  /** After another user saved labels: shows those labels with this form's changes, for review. */
  const acceptTheirs = async () => {
    const previousLabels = stored.current.labels;
    stored.current = await getLabels(browserApi);
    setLabels((mine) => mergeLabels(previousLabels, mine!, stored.current.labels));
  };
  const save = async () => {
    setSaving(true);
    try {
      await saveLabels(browserApi, labels!, stored.current.version);
      presentToast("label.saved");
      await Promise.all(STALE.map((queryKey) => queryClient.invalidateQueries({ queryKey })));
      onClose();
    } catch (error) {
      const code = asAppError(error).code;
      // keeps the dialog with its input open only after an error that the user can correct (D1 §4)
      if (code === "internal") presentToast("label.failed");
      else presentError(error);
      if (code === "label.changed") await acceptTheirs();
      if (code !== "label.duplicate" && code !== "label.changed" && code !== "network.offline") {
        onClose();
      }
    } finally {
      setSaving(false);
    }
  };
  const remove = async (label: LabelItem) => {
    const { patients: { length: n }, label_name } = label;
    const isSure = n === 0 || await confirmInModal("label.delete", { n, label: label_name });
    if (isSure) setLabels((now) => withoutLabel(now!, label.id));
    return isSure;
  };
  const isChanged = labels !== null &&
    JSON.stringify(labels) !== JSON.stringify(stored.current.labels);
  return { labels, set: setLabels, failure, isChanged, isSaving, load, save, remove };
}

import { useRef, useState } from "react";
import type { PatientRow } from "@/model/schema/studies/patients.ts";
import type { PatientEdit } from "@/client/patient_edit.ts";
import { reloadStalePage } from "@/client/page/stale_page.ts";
import { useLanguage } from "@/client/page/language.ts";

const loadEditor = () => import("@/components/worklist/edit/EditRow.tsx");

interface RowEdit {
  edit: PatientEdit | null;
  /** starts editing a row, `index` on the page of `list`, after ending any other edit */
  beginEdit: (row: PatientRow, index: number, list: string) => Promise<void>;
  /**
   * ends editing and continues: at once without changes, otherwise after confirmation
   * concurrent callers get the same answer
   */
  leaveEdit: (go: () => void, stay?: () => void) => void;
  /** called after the editor has ended: returns the focus to the row */
  afterEdit: () => void;
}

/** The single active edit of the worklist. The editor is loaded on demand. */
export function useRowEdit(): RowEdit {
  const language = useLanguage(), [edit, setEdit] = useState<PatientEdit | null>(null);
  const endEdit = () => {
    edit?.end();
    setEdit(null);
  };
  const question = useRef<Promise<boolean> | null>(null);
  const ask = (typed: PatientEdit) =>
    question.current ??= loadEditor().then(({ canLeave }) => canLeave(typed, language)).finally(
      () => {
        question.current = null;
      },
    );
  const leaveEdit = (go: () => void, stay = () => {}) => {
    const leave = () => {
      endEdit();
      go();
    };
    if (!edit?.isTyped) return leave();
    void ask(edit).then((canLeave) => canLeave ? leave() : stay());
  };
  const beginEdit = async (row: PatientRow, index: number, list: string) => {
    if (edit?.row.pid === row.pid) return;
    try {
      const editor = await loadEditor();
      if (edit?.isTyped && !await ask(edit)) return;
      endEdit();
      setEdit(await editor.beginEdit(row, index, list));
    } catch (error) {
      await reloadStalePage(error);
    }
  };
  const afterEdit = () => {
    setEdit(null);
    setTimeout(() =>
      document.querySelector<HTMLElement>(`tr[data-pid="${edit?.row.pid}"]`)?.focus()
    );
  };
  return { edit, beginEdit, leaveEdit, afterEdit };
}

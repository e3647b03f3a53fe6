import { Button } from "@/components/Button.tsx";

interface DialogChoicesProps {
  cancel: string;
  save: string;
  /** nothing can be chosen while it is being saved */
  isSaving: boolean;
  canSave: boolean;
  onCancel: () => void;
  onSave: () => void;
}

/** The bottom bar of a dialog that is left with or without saving. */
export function DialogChoices({ cancel, save, isSaving, canSave, onCancel, onSave }: DialogChoicesProps) {
  return (
    <>
      <Button disabled={isSaving} onClick={onCancel}>{cancel}</Button>
      <Button kind="primary" disabled={!canSave || isSaving} onClick={onSave}>{save}</Button>
    </>
  );
}

import type { ReactNode } from "react";
import { type Language, textIn } from "@/model/text.ts";
import { commonText } from "@/model/text/worklist/actions.ts";
import { Button } from "@/components/Button.tsx";
import { Dialog } from "@/components/dialog/Dialog.tsx";
import { LoadFailure } from "@/components/message/LoadFailure.tsx";

interface EditDialogProps {
  language: Language;
  text: (key: "title" | "cancel" | "save" | "failedToLoad") => string;
  /** CSS class for the width of the dialog */
  width: string;
  /** reason as text why the content cannot be edited */
  failure: string | null;
  /** whether the content is being saved: all controls are disabled */
  isSaving: boolean;
  canSave: boolean;
  onLoad: () => Promise<void>;
  onClose: () => Promise<void>;
  onSave: () => Promise<void>;
  children: ReactNode;
}

/** A dialog that loads editable content, and is closed with or without saving. */
export function EditDialog(props: EditDialogProps) {
  const { language, text, width, failure, isSaving, canSave, onLoad, onClose, onSave, children } =
    props;
  return (
    <Dialog
      title={text("title")}
      width={width}
      closeLabel={textIn(commonText.close, language)}
      onClose={() => void onClose()}
      footer={
        <>
          <Button disabled={isSaving} onClick={() => void onClose()}>{text("cancel")}</Button>
          <Button kind="primary" disabled={!canSave || isSaving} onClick={() => void onSave()}>
            {text("save")}
          </Button>
        </>
      }
    >
      {failure === null ? children : (
        <LoadFailure
          title={text("failedToLoad")}
          reason={failure}
          retryLabel={textIn(commonText.retry, language)}
          onRetry={() => void onLoad()}
        />
      )}
    </Dialog>
  );
}

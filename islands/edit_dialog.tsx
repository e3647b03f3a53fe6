import type { ReactNode } from "react";
import type { AppError } from "@/model/errors.ts";
import { commonText } from "@/model/text/actions.ts";
import { useLanguage, useText } from "@/client/language.ts";
import { messageOf } from "@/client/messages.ts";
import { Button } from "@/components/Button.tsx";
import { Dialog } from "@/components/Dialog.tsx";
import { LoadFailure } from "@/components/LoadFailure.tsx";

interface EditDialogProps {
  text: (key: "title" | "cancel" | "save" | "failedToLoad") => string;
  /** class that sets the width */
  width: string;
  /** why there is nothing to edit */
  failure: AppError | null;
  /** nothing can be chosen while it is being saved */
  isSaving: boolean;
  canSave: boolean;
  onLoad: () => Promise<void>;
  onClose: () => Promise<void>;
  onSave: () => Promise<void>;
  children: ReactNode;
}

/** A dialog whose content is loaded, edited, and left with or without saving. */
export function EditDialog(props: EditDialogProps) {
  const { text, width, failure, isSaving, canSave, onLoad, onClose, onSave, children } = props;
  const language = useLanguage(), common = useText(commonText);
  return (
    <Dialog
      title={text("title")}
      width={width}
      closeLabel={common("close")}
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
          reason={messageOf(failure.code, failure.details, language)}
          retryLabel={common("retry")}
          onRetry={() => void onLoad()}
        />
      )}
    </Dialog>
  );
}

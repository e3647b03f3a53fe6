import { type ReactNode, useEffect, useId, useRef } from "react";
import { useNoticeContext } from "@/client/notices/notice_context.ts";
import { CloseIcon } from "@/components/dialog/CloseIcon.tsx";
import { CrashBoundary } from "@/components/message/CrashBoundary.tsx";

interface DialogProps {
  title: string;
  /** called on Escape or the close button; without this function the user must answer the dialog */
  onClose?: () => void;
  closeLabel?: string;
  /** buttons at the bottom of the dialog */
  footer?: ReactNode;
  /** `alert` dialogs interrupt: screen readers announce them immediately */
  role?: "dialog" | "alertdialog";
  /** CSS class for the width of the dialog */
  width?: string;
  children: ReactNode;
}

/**
 * A modal dialog with the browser's `<dialog>`: the page behind it is inert. The focus starts
 * at the element with `data-autofocus`, stays inside and is restored afterwards.
 */
export function Dialog(
  { title, onClose, closeLabel = "Close", footer, role = "dialog", width = "w-[440px]", children }:
    DialogProps,
) {
  const element = useRef<HTMLDialogElement>(null);
  const titleId = useId(), bodyId = useId();
  useNoticeContext(role === "dialog");
  useEffect(() => {
    const dialog = element.current;
    const previousFocus = document.activeElement;
    if (dialog && !dialog.open) dialog.showModal();
    dialog?.querySelector<HTMLElement>("[data-autofocus]")?.focus();
    return () => {
      dialog?.close();
      if (previousFocus instanceof HTMLElement && previousFocus.isConnected) previousFocus.focus();
    };
  }, []);
  return (
    <dialog
      ref={element}
      role={role}
      aria-modal="true"
      aria-labelledby={titleId}
      aria-describedby={role === "alertdialog" ? bodyId : undefined}
      onCancel={(event) => {
        // ignores bubbled events: a file input also sends one when the file chooser is cancelled
        if (event.target !== event.currentTarget) return;
        event.preventDefault();
        onClose?.();
      }}
      onClose={({ target, currentTarget }) => {
        // a second Escape would close the dialog without asking: the browser's close is prevented
        if (target !== currentTarget || !currentTarget.isConnected || currentTarget.open) return;
        currentTarget.showModal();
        onClose?.();
      }}
      className={`dialog ${width}`}
    >
      <div className="flex items-center justify-between pl-6 pr-3 pt-4 pb-2">
        <h2 id={titleId} className="text-lg font-semibold text-ink">{title}</h2>
        {onClose && (
          <button
            type="button"
            aria-label={closeLabel}
            onClick={onClose}
            className="w-9 h-9 rounded-md grid place-items-center text-ink-faint hover:bg-canvas hover:text-ink"
          >
            <CloseIcon className="w-4 h-4" />
          </button>
        )}
      </div>
      <div id={bodyId} className="px-6 pb-5 text-sm leading-relaxed text-ink-soft overflow-y-auto">
        <CrashBoundary>{children}</CrashBoundary>
      </div>
      {footer && (
        <div className="dialog-foot flex justify-end gap-2 px-6 py-4 border-t border-line bg-canvas rounded-b-xl">
          {footer}
        </div>
      )}
    </dialog>
  );
}

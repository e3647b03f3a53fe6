// Toasts and modals as they are shown; loaded when the page has come to rest, or when there is something to show.
import { useSignals } from "@preact/signals-react/runtime";
import { useEffect, useRef } from "react";
import { commonText } from "@/model/text/actions.ts";
import { Button } from "@/components/Button.tsx";
import { Dialog } from "@/components/Dialog.tsx";
import { ToastList } from "@/components/ToastList.tsx";
import { useText } from "@/client/language.ts";
import { type Modal, modals, removeModal, removeToast, toasts } from "@/client/notices.ts";

const TOAST_MS = 6000, ERROR_TOAST_MS = 10_000;

export default function NoticesView() {
  useSignals();
  const text = useText(commonText);
  const isHeld = useRef(false);
  const shown = toasts.value, modal = modals.value[0];

  useEffect(() => {
    const timers = shown.map(({ id, kind }) => {
      const leave = () => isHeld.current ? retry() : removeToast(id);
      let timer = setTimeout(leave, kind === "error" ? ERROR_TOAST_MS : TOAST_MS);
      const retry = () => timer = setTimeout(leave, 1500);
      return () => clearTimeout(timer);
    });
    return () => timers.forEach((stop) => stop());
  }, [shown]);

  const answer = (given: Modal, isConfirmed: boolean) => {
    removeModal(given.id);
    (isConfirmed ? given.onConfirm : given.onCancel)?.();
  };
  return (
    <>
      <ToastList
        toasts={shown}
        closeLabel={text("close")}
        onClose={removeToast}
        onHold={(held) => isHeld.current = held}
      />
      {modal && (
        <Dialog
          key={modal.id}
          role="alertdialog"
          title={modal.title}
          closeLabel={text("close")}
          onClose={modal.cancel ? () => answer(modal, false) : undefined}
          footer={
            <>
              {modal.cancel && (
                <Button
                  data-autofocus={modal.isDangerous || undefined}
                  onClick={() => answer(modal, false)}
                >
                  {modal.cancel}
                </Button>
              )}
              <Button
                kind={modal.isDangerous ? "danger" : "primary"}
                data-autofocus={!modal.isDangerous || undefined}
                onClick={() => answer(modal, true)}
              >
                {modal.confirm}
              </Button>
            </>
          }
        >
          <p className="pt-1 whitespace-pre-line">{modal.text}</p>
        </Dialog>
      )}
    </>
  );
}

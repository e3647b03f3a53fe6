// Toasts and modals as they are shown; loaded when the page has come to rest, or when there is something to show.
import { useSignals } from "@preact/signals-react/runtime";
import { useEffect, useMemo, useRef } from "react";
import { commonText } from "@/model/text/actions.ts";
import { Button } from "@/components/Button.tsx";
import { Dialog } from "@/components/Dialog.tsx";
import { StorageFigure } from "@/components/StorageFigure.tsx";
import { ToastList } from "@/components/ToastList.tsx";
import { useLanguage, useText } from "@/client/language.ts";
import { modalWordsOf, toastWordsOf } from "@/client/notice_words.ts";
import { type Modal, modals, type NoticeValues, removeModal, removeToast, toasts } from "@/client/notices.ts";

const TOAST_MS = 6000, ERROR_TOAST_MS = 10_000;

export default function NoticesView() {
  useSignals();
  const language = useLanguage(), text = useText(commonText);
  const isHeld = useRef(false);
  const modal = modals.value[0];
  const shown = useMemo(
    () => toasts.value.map(({ id, code, values }) => ({ id, ...toastWordsOf(code, values, language) })),
    [toasts.value, language],
  );
  const words = modal && modalWordsOf(modal.code, modal.values, language);

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
      {modal && words && (
        <Dialog
          key={modal.id}
          role="alertdialog"
          title={words.title}
          closeLabel={text("close")}
          onClose={words.cancel || !modal.onConfirm ? () => answer(modal, false) : undefined}
          footer={
            <>
              {words.cancel && (
                <Button
                  data-autofocus={words.isDangerous || undefined}
                  onClick={() => answer(modal, false)}
                >
                  {words.cancel}
                </Button>
              )}
              <Button
                kind={words.isDangerous ? "danger" : "primary"}
                data-autofocus={!words.isDangerous || undefined}
                onClick={() => answer(modal, true)}
              >
                {words.confirm}
              </Button>
            </>
          }
        >
          {modal.code === "storage.full" && <Storage values={modal.values} />}
          <p className="pt-1 whitespace-pre-line">{words.text}</p>
        </Dialog>
      )}
    </>
  );
}

/** D1 §8: the percentage by its colour; nothing when the error came without it. */
function Storage({ values: { percent, warn, error } }: { values: NoticeValues }) {
  const isKnown = [percent, warn, error].every((value) => typeof value === "number");
  return isKnown && <StorageFigure percent={Number(percent)} warn={Number(warn)} error={Number(error)} />;
}

// View of toasts and modals; loaded when the page is idle, or when a notice must be shown.
import { useSignals } from "@preact/signals-react/runtime";
import { useEffect, useMemo, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { MAX_REASON_CHARS } from "@/model/accounts/roles.ts";
import { commonText } from "@/model/text/worklist/actions.ts";
import { Button } from "@/components/Button.tsx";
import { Dialog } from "@/components/dialog/Dialog.tsx";
import { StorageFigure } from "@/components/StorageFigure.tsx";
import { ToastList } from "@/components/message/ToastList.tsx";
import { useLanguage, useText } from "@/client/page/language.ts";
import { modalContentOf, toastContentOf } from "@/client/notices/notice_text.ts";
import {
  type Modal,
  modals,
  type NoticeValues,
  removeModal,
  removeToast,
  toasts,
} from "@/client/notices/notices.ts";

const openDialog = () => [...document.querySelectorAll("dialog[open]")].at(-1) ?? null;

/**
 * Container of the toasts: the open dialog, because the browser makes all other elements inert.
 * `null` without a dialog.
 */
function useOpenDialog(): Element | null {
  const [dialog, setDialog] = useState<Element | null>(null);
  useEffect(() => {
    const look = () => setDialog(openDialog());
    const observer = new MutationObserver(look);
    observer.observe(document.body, { subtree: true, attributeFilter: ["open"] });
    look();
    return () => observer.disconnect();
  }, []);
  useEffect(() => {
    // a dialog removed from the page closes without an event
    const closed = () => setDialog(openDialog());
    dialog?.addEventListener("close", closed);
    return () => dialog?.removeEventListener("close", closed);
  }, [dialog]);
  return dialog?.isConnected ? dialog : openDialog();
}

/**
 * Display time of a single toast, of a toast with a long text, and with further toasts waiting, ms.
 */
const TOAST_MS = 6000, LONG_TOAST_MS = 10_000, HURRY_MS = 1800;

export default function NoticesView() {
  useSignals();
  const language = useLanguage(), text = useText(commonText);
  const isHeld = useRef(false), shownAt = useRef({ id: 0, atMs: 0 });
  const modal = modals.value[0], dialog = useOpenDialog();
  const toast = toasts.value[0], isWaitedFor = toasts.value.length > 1;
  const shownToasts = useMemo(
    () => {
      if (!toast) return [];
      const { action, ...content } = toastContentOf(toast.code, toast.values, language);
      return [{ id: toast.id, ...content, action: toast.onAction && action }];
    },
    [toast, language],
  );
  const words = modal && modalContentOf(modal.code, modal.values, language);

  useEffect(() => {
    const first = shownToasts[0];
    if (!first) return;
    if (shownAt.current.id !== first.id) {
      shownAt.current = { id: first.id, atMs: performance.now() };
    }
    const isLong = first.kind === "error" || first.action !== undefined;
    // a toast with a button is never shortened, so that undo remains possible
    const stayMs = isWaitedFor && !first.action ? HURRY_MS : isLong ? LONG_TOAST_MS : TOAST_MS;
    let timer: ReturnType<typeof setTimeout>;
    const leave = () => {
      if (isHeld.current) timer = setTimeout(leave, HURRY_MS);
      else removeToast(first.id);
    };
    timer = setTimeout(leave, Math.max(0, stayMs - (performance.now() - shownAt.current.atMs)));
    return () => clearTimeout(timer);
  }, [shownToasts, isWaitedFor]);

  const answer = (given: Modal, how: "onConfirm" | "onAlternative" | "onCancel") => {
    removeModal(given.id);
    given[how]?.();
  };
  const list = (
    <ToastList
      toasts={shownToasts}
      closeLabel={text("close")}
      onClose={removeToast}
      onAction={(id) => {
        removeToast(id);
        toast?.onAction?.();
      }}
      onHold={(held) => isHeld.current = held}
    />
  );
  return (
    <>
      {dialog ? createPortal(list, dialog) : list}
      {modal && words && (
        <Dialog
          key={modal.id}
          role="alertdialog"
          title={words.title}
          closeLabel={text("close")}
          onClose={words.cancel || !modal.onConfirm ? () => answer(modal, "onCancel") : undefined}
          footer={
            <>
              {words.cancel && (
                <Button
                  data-autofocus={words.isDangerous || undefined}
                  onClick={() => answer(modal, "onCancel")}
                >
                  {words.cancel}
                </Button>
              )}
              {words.alternative && (
                <Button onClick={() => answer(modal, "onAlternative")}>{words.alternative}</Button>
              )}
              <Button
                kind={words.isDangerous ? "danger" : "primary"}
                data-autofocus={!words.isDangerous || undefined}
                onClick={() => answer(modal, "onConfirm")}
              >
                {words.confirm}
              </Button>
            </>
          }
        >
          {modal.code === "storage.full" && <Storage values={modal.values} />}
          <p className="pt-1 whitespace-pre-line">{words.text}</p>
          {Array.isArray(modal.values.lines) && <Lines lines={modal.values.lines} />}
          {words.field && modal.onText && (
            <label className="mt-3 block">
              <span className="block mb-1">{words.field}</span>
              <input
                type="text"
                maxLength={MAX_REASON_CHARS}
                onChange={({ currentTarget }) => modal.onText!(currentTarget.value)}
                className="h-9 w-full rounded-md border border-line-strong bg-white px-3 text-sm text-ink"
              />
            </label>
          )}
        </Dialog>
      )}
    </>
  );
}

/** Subjects of a question (e.g. studies to be deleted), one per line. */
const Lines = ({ lines }: { lines: readonly string[] }) => (
  <ul className="mt-2 font-medium text-ink break-words">
    {lines.map((line) => <li key={line}>{line}</li>)}
  </ul>
);

/** Disk usage in a modal, coloured by level (D1 §8); empty for an error without a percentage. */
function Storage({ values: { percent, warn, error } }: { values: NoticeValues }) {
  const isKnown = [percent, warn, error].every((value) => typeof value === "number");
  return isKnown && (
    <StorageFigure percent={Number(percent)} warn={Number(warn)} error={Number(error)} />
  );
}

import { signal } from "@preact/signals-react";
import type { ErrorCode } from "@/model/errors.ts";
import { LASTING_TOASTS, type ModalCode, type ToastCode } from "@/model/notice_codes.ts";

export type NoticeCode = ErrorCode | ModalCode | ToastCode;
/** Values that are inserted into the text of a notice. */
export type NoticeValues = Readonly<Record<string, string | number | readonly string[]>>;

interface Toast {
  id: number;
  code: NoticeCode;
  values: NoticeValues;
  /** action of the toast's button; `toastText` gives the label */
  onAction?: () => void;
  /** number of the form or dialog that was open when the toast was shown */
  context?: number | undefined;
  /** number of actions of the user before the toast was shown */
  acts?: number;
}
export interface Modal {
  id: number;
  code: NoticeCode;
  values: NoticeValues;
  onConfirm?: () => void;
  /** called with the content of the text box after each change */
  onText?: (text: string) => void;
  /** action of the second button of a question */
  onAlternative?: () => void;
  /** called on Cancel, Escape and the close button */
  onCancel?: () => void;
}

/**
 * Queue of toasts for components/notices/notices_view.tsx, oldest first.
 * Only client/notices/present_error.ts adds toasts to the queue.
 */
export const toasts = signal<readonly Toast[]>([]);
export const modals = signal<readonly Modal[]>([]);

/** Maximum number of toasts; further toasts remove the oldest. */
const MAX_TOASTS = 4;
let nextId = 1;
const isSame = (
  a: Pick<Toast, "code" | "values">,
  b: Pick<Toast, "code" | "values">,
) => a.code === b.code && JSON.stringify(a.values) === JSON.stringify(b.values);

/** Numbers of the open forms and dialogs, innermost last, and the count of user actions so far. */
const contexts: number[] = [];
let nextContext = 1, acts = 0;

/** Counts an action of the user: a pressed key or button. */
export const noteAct = (): void => {
  acts++;
};

/**
 * Opens a context for all toasts shown until it is closed. @returns number of the context.
 */
export function enterContext(): number {
  contexts.push(nextContext);
  return nextContext++;
}

/**
 * Closes a context and removes its toasts, because their advice no longer applies.
 * Toasts about background work stay, and toasts about the action that closed the context
 * (for example the result of saving).
 */
export function leaveContext(context: number): void {
  contexts.splice(contexts.indexOf(context), 1);
  const remaining = toasts.value.filter((toast) =>
    toast.context !== context || toast.acts === acts || LASTING_TOASTS.has(toast.code)
  );
  // an unchanged list must not cause a render
  if (remaining.length < toasts.value.length) toasts.value = remaining;
}

export function addToast(toast: Pick<Toast, "code" | "values" | "onAction">): void {
  // a repeated message replaces the identical earlier message
  const otherToasts = toasts.value.filter((shown) => !isSame(shown, toast));
  const shown = { ...toast, id: nextId++, context: contexts.at(-1), acts };
  toasts.value = [...otherToasts, shown].slice(-MAX_TOASTS);
}
export function removeToast(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}
export function addModal(modal: Omit<Modal, "id">): void {
  if (modals.value.some((shown) => isSame(shown, modal))) return;
  modals.value = [...modals.value, { ...modal, id: nextId++ }];
}
export function removeModal(id: number): void {
  modals.value = modals.value.filter((modal) => modal.id !== id);
}

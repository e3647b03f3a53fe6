import { signal } from "@preact/signals-react";
import type { ErrorCode } from "@/model/errors.ts";
import type { ModalCode, ToastCode } from "@/model/notice_codes.ts";

export type NoticeCode = ErrorCode | ModalCode | ToastCode;
/** Values that are inserted into the text of a notice. */
export type NoticeValues = Readonly<Record<string, string | number | readonly string[]>>;

interface Toast {
  id: number;
  code: NoticeCode;
  values: NoticeValues;
  /** action of the toast's button; `toastText` gives the label */
  onAction?: () => void;
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
 * Only client/notices/present_error.ts adds toasts.
 */
export const toasts = signal<readonly Toast[]>([]);
export const modals = signal<readonly Modal[]>([]);

/** Maximum number of toasts; further toasts remove the oldest. */
const MAX_TOASTS = 4;
let nextId = 1;
const isSame = (a: Omit<Toast, "id">, b: Omit<Toast, "id">) =>
  a.code === b.code && JSON.stringify(a.values) === JSON.stringify(b.values);

export function addToast(toast: Omit<Toast, "id">): void {
  // a repeated message replaces the identical one before it
  const otherToasts = toasts.value.filter((shown) => !isSame(shown, toast));
  toasts.value = [...otherToasts, { ...toast, id: nextId++ }].slice(-MAX_TOASTS);
}
export function removeToast(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}
export function removeToasts(codes: readonly NoticeCode[]): void {
  const remaining = toasts.value.filter(({ code }) => !codes.includes(code));
  // an unchanged list must not cause a render
  if (remaining.length < toasts.value.length) toasts.value = remaining;
}
export function addModal(modal: Omit<Modal, "id">): void {
  if (modals.value.some((shown) => isSame(shown, modal))) return;
  modals.value = [...modals.value, { ...modal, id: nextId++ }];
}
export function removeModal(id: number): void {
  modals.value = modals.value.filter((modal) => modal.id !== id);
}

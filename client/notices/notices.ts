import { signal } from "@preact/signals-react";
import type { ErrorCode } from "@/model/errors.ts";
import type { ModalCode, ToastCode } from "@/model/notice_codes.ts";

export type NoticeCode = ErrorCode | ModalCode | ToastCode;
/** Values for the text of a notice. */
export type NoticeValues = Readonly<Record<string, string | number | readonly string[]>>;

interface Toast {
  id: number;
  code: NoticeCode;
  values: NoticeValues;
  /** effect of its button, which toastText names */
  onAction?: () => void;
}
export interface Modal {
  id: number;
  code: NoticeCode;
  values: NoticeValues;
  onConfirm?: () => void;
  /** for a question with a text box: receives its text at each change */
  onText?: (text: string) => void;
  /** the second way on, of a question that has one */
  onAlternative?: () => void;
  /** also by Escape and the close button */
  onCancel?: () => void;
}

/**
 * Queue of toasts for components/notices/notices_view.tsx; oldest first. Only
 * client/notices/present_error.ts adds to it.
 */
export const toasts = signal<readonly Toast[]>([]);
export const modals = signal<readonly Modal[]>([]);

/** More toasts than these push out the oldest. */
const MAX_TOASTS = 4;
let nextId = 1;
const isSame = (a: Omit<Toast, "id">, b: Omit<Toast, "id">) =>
  a.code === b.code && JSON.stringify(a.values) === JSON.stringify(b.values);

export function addToast(toast: Omit<Toast, "id">): void {
  // the same words twice in a row are one message
  const otherToasts = toasts.value.filter((shown) => !isSame(shown, toast));
  toasts.value = [...otherToasts, { ...toast, id: nextId++ }].slice(-MAX_TOASTS);
}
export function removeToast(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}
export function removeToasts(codes: readonly NoticeCode[]): void {
  const remaining = toasts.value.filter(({ code }) => !codes.includes(code));
  // the same list draws nothing
  if (remaining.length < toasts.value.length) toasts.value = remaining;
}
export function addModal(modal: Omit<Modal, "id">): void {
  if (modals.value.some((shown) => isSame(shown, modal))) return;
  modals.value = [...modals.value, { ...modal, id: nextId++ }];
}
export function removeModal(id: number): void {
  modals.value = modals.value.filter((modal) => modal.id !== id);
}

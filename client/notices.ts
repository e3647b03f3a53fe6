import { signal } from "@preact/signals-react";

export type ToastKind = "success" | "info" | "warning" | "error";
export interface Toast {
  id: number;
  kind: ToastKind;
  title: string;
  text: string;
}
export interface Modal {
  id: number;
  title: string;
  text: string;
  /** label of the button that goes on */
  confirm: string;
  /** label of the button that goes back; without it the modal only informs */
  cancel?: string;
  isDangerous?: boolean;
  onConfirm?: () => void;
  onCancel?: () => void;
}

/** What islands/Notices.tsx shows; oldest first. Only client/present_error.ts adds to them. */
export const toasts = signal<readonly Toast[]>([]);
export const modals = signal<readonly Modal[]>([]);

let nextId = 1;
export function addToast(toast: Omit<Toast, "id">): number {
  const id = nextId++;
  // the same words twice in a row are one message
  const others = toasts.value.filter(({ text, title }) => text !== toast.text || title !== toast.title);
  toasts.value = [...others, { ...toast, id }].slice(-4);
  return id;
}
export function removeToast(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}
export function addModal(modal: Omit<Modal, "id">): void {
  if (modals.value.some(({ title, text }) => title === modal.title && text === modal.text)) return;
  modals.value = [...modals.value, { ...modal, id: nextId++ }];
}
export function removeModal(id: number): void {
  modals.value = modals.value.filter((modal) => modal.id !== id);
}

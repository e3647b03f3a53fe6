import { AppError, type ErrorCode, ERRORS } from "@/model/errors.ts";
import type { ModalCode, QuestionCode, ToastCode } from "@/model/notice_codes.ts";
import { addModal, addToast, type NoticeValues } from "@/client/notices/notices.ts";

/** Address to load once a modal about this error is acknowledged. */
const AFTER_MODAL: Partial<Record<ErrorCode, () => string>> = {
  "token.missing": loginPath,
  "token.expired": loginPath,
  "token.revoked": loginPath,
  "study.deleted": () => "/",
  // D1 §2: the modal about the storage leads home
  "storage.full": () => "/",
};

/** A passing message, and the effect of its button, if it has one. */
export function presentToast(
  code: ToastCode | ErrorCode,
  values: NoticeValues = {},
  onAction?: () => void,
): void {
  addToast({ code, values, ...onAction ? { onAction } : {} });
}

/** Answer to a question; Escape and the close button are `cancel`. */
type Answer = "confirm" | "alternative" | "cancel";

/** Asks in a modal that has two ways on. */
export function chooseInModal(code: QuestionCode, values: NoticeValues = {}): Promise<Answer> {
  return new Promise((resolve) => {
    addModal({
      code,
      values,
      onConfirm: () => resolve("confirm"),
      onAlternative: () => resolve("alternative"),
      onCancel: () => resolve("cancel"),
    });
  });
}

/** Asks in a modal; `true` when the person went on. */
export const confirmInModal = async (
  code: QuestionCode,
  values: NoticeValues = {},
): Promise<boolean> => await chooseInModal(code, values) === "confirm";

/** Asks in a modal with a text box that may stay empty; `text` is its content. */
export async function askInModal(
  code: QuestionCode,
  values: NoticeValues = {},
): Promise<{ goesOn: boolean; text: string }> {
  let text = "";
  const goesOn = await new Promise<boolean>((resolve) => {
    addModal({
      code,
      values,
      onText: (written) => text = written,
      onConfirm: () => resolve(true),
      onCancel: () => resolve(false),
    });
  });
  return { goesOn, text };
}

/**
 * A modal that informs and then, when acknowledged, goes on: where the error leads unless said
 * otherwise.
 */
export function informInModal(
  code: ModalCode | ErrorCode,
  values: NoticeValues = {},
  onConfirm?: () => void,
): void {
  const nextPage = AFTER_MODAL[code as ErrorCode];
  addModal({
    code,
    values,
    onConfirm: onConfirm ?? (nextPage && (() => location.assign(nextPage()))),
  });
}

/**
 * Shows an error where the error table says: a toast, a modal, or another page. An abort is not an
 * error. An inline error that no form has handled is shown as a toast; an error of another class,
 * as an unknown one.
 *
 * @param unknown Text for an unknown error, where a part of the product has one of its own.
 */
export function presentError(error: unknown, unknown: ToastCode = "unknown"): void {
  if (error instanceof DOMException && error.name === "AbortError") return;
  if (!(error instanceof AppError)) return presentToast(unknown);
  const { code, details } = error;
  switch (ERRORS[code].surface) {
    case "page":
      // requested by a page that had a session: it has ended since
      if (code === "token.missing") informInModal("token.expired");
      else if (code === "access.forbidden") location.assign("/403");
      else presentToast(code, details);
      return;
    case "modal":
      return informInModal(code, details);
    case "inline":
    case "toast":
      presentToast(code, details);
  }
}

/** The sign-in page, which leads back to this one. */
export function loginPath(): string {
  const here = location.pathname + location.search;
  return here === "/" || here.startsWith("/login")
    ? "/login"
    : `/login?next=${encodeURIComponent(here)}`;
}

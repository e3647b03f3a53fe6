import { AppError, type ErrorCode, ERRORS } from "@/model/errors.ts";
import type { ModalCode, QuestionCode, ToastCode } from "@/model/notice_codes.ts";
import { addModal, addToast, type NoticeValues } from "@/client/notices/notices.ts";

/** Address that is opened after the user acknowledges the modal about an error. */
const AFTER_MODAL: Partial<Record<ErrorCode, () => string>> = {
  "token.missing": loginPath,
  "token.expired": loginPath,
  "token.revoked": loginPath,
  "study.deleted": () => "/",
  // D1 §2: the modal about full storage leads to the home page
  "storage.full": () => "/",
};

/** Shows a toast, optionally with an action for the toast's button. */
export function presentToast(
  code: ToastCode | ErrorCode,
  values: NoticeValues = {},
  onAction?: () => void,
): void {
  addToast({ code, values, ...onAction ? { onAction } : {} });
}

/** Answer to a question; Escape and the close button give `cancel`. */
type Answer = "confirm" | "alternative" | "cancel";

/** Asks a question in a modal with two confirming buttons. */
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

/** Asks for confirmation in a modal; `true` if the user confirmed. */
export const confirmInModal = async (
  code: QuestionCode,
  values: NoticeValues = {},
): Promise<boolean> => await chooseInModal(code, values) === "confirm";

/** Asks for confirmation in a modal with an optional text box; `text` is the entered text. */
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
 * Shows an informative modal. After the user's acknowledgement,
 * calls `onConfirm`; without it, opens the page that belongs to the error.
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
 * Shows an error as the error table states: a toast, a modal, or another page. Aborts are ignored.
 * An inline error that no form handled appears as a toast.
 * An error of another class appears as an unknown error.
 *
 * @param unknown Code of the text for an error of another class, if a part has a specific text.
 */
export function presentError(error: unknown, unknown: ToastCode = "unknown"): void {
  if (error instanceof DOMException && error.name === "AbortError") return;
  if (!(error instanceof AppError)) return presentToast(unknown);
  const { code, details } = error;
  switch (ERRORS[code].surface) {
    case "page":
      // the session of the page has ended since the page was opened
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

/** URL of the sign-in page, with a return address to this page. */
export function loginPath(): string {
  const here = location.pathname + location.search;
  return here === "/" || here.startsWith("/login")
    ? "/login"
    : `/login?next=${encodeURIComponent(here)}`;
}

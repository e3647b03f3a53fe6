import { AppError, type ErrorCode, ERRORS } from "@/model/errors.ts";
import { type Language, textIn } from "@/model/text.ts";
import { commonText } from "@/model/text/actions.ts";
import { storageFullTitle } from "@/model/text/errors.ts";
import { licenseText } from "@/model/text/license.ts";
import { sessionText } from "@/model/text/session.ts";
import { pageLanguage } from "@/client/language.ts";
import { messageOf } from "@/client/messages.ts";
import { addModal, addToast, type ToastKind } from "@/client/notices.ts";

const TOAST_TITLES = {
  success: commonText.completed,
  info: commonText.updated,
  warning: commonText.warning,
  error: commonText.failed,
} as const;

/** Where the person goes once a modal about this error is acknowledged; the page is loaded anew. */
const AFTER_MODAL: Partial<Record<ErrorCode, string>> = {
  "token.expired": "/login",
  "token.revoked": "/login",
  "study.deleted": "/",
};
const MODAL_TITLES: Partial<Record<ErrorCode, Record<Language, string>>> = {
  "token.expired": sessionText.sessionTimeout,
  "token.revoked": sessionText.multiLogin,
  "storage.full": storageFullTitle,
  "credit.none": licenseText.noCreditTitle,
  "license.expired": licenseText.expiredTitle,
  "license.not_started": commonText.warning,
  "study.being_edited": commonText.warning,
};

/** A passing message. */
export function presentToast(kind: ToastKind, text: string, title?: string): void {
  addToast({ kind, title: title ?? textIn(TOAST_TITLES[kind], pageLanguage()), text });
}

interface Question {
  title: string;
  text: string;
  confirm: string;
  cancel?: string;
  isDangerous?: boolean;
}

/** Asks in a modal; `true` when the person went on. */
export function askInModal(question: Question): Promise<boolean> {
  return new Promise((resolve) => {
    addModal({
      cancel: textIn(commonText.cancel, pageLanguage()),
      ...question,
      onConfirm: () => resolve(true),
      onCancel: () => resolve(false),
    });
  });
}

/** A modal that informs and then, when acknowledged, goes on. */
export function informInModal(title: string, text: string, onConfirm?: () => void): void {
  addModal({ title, text, confirm: textIn(commonText.confirm, pageLanguage()), onConfirm });
}

/**
 * Shows an error where the error table says: a toast, a modal, or another page. An abort is not an error. An
 * inline error that no form has taken is shown as a toast.
 */
export function presentError(error: unknown): void {
  if (error instanceof DOMException && error.name === "AbortError") return;
  const { code, details } = error instanceof AppError ? error : new AppError("internal", String(error));
  const language = pageLanguage();
  const text = messageOf(code, details, language);
  switch (ERRORS[code].surface) {
    case "page":
      // asked from a page that was made for somebody: the session has ended since
      if (code === "token.missing") {
        informInModal(
          textIn(sessionText.sessionTimeout, language),
          textIn(sessionText.sessionExpired, language),
          () => location.assign(loginPath()),
        );
      } else if (code === "access.forbidden") location.assign("/403");
      else presentToast("error", text);
      return;
    case "modal": {
      const next = AFTER_MODAL[code];
      return informInModal(
        textIn(MODAL_TITLES[code] ?? commonText.error, language),
        text,
        next === undefined ? undefined : () => location.assign(next),
      );
    }
    case "inline":
    case "toast":
      presentToast("error", text);
  }
}

/** The sign-in page, which leads back to this one. */
export function loginPath(): string {
  const here = location.pathname + location.search;
  return here === "/" || here.startsWith("/login") ? "/login" : `/login?next=${encodeURIComponent(here)}`;
}

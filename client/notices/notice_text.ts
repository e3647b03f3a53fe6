import { isErrorCode } from "@/model/errors.ts";
import { type Language, textIn } from "@/model/text.ts";
import { commonText } from "@/model/text/worklist/actions.ts";
import { type ModalText, modalText, modalTitle } from "@/model/text/modals.ts";
import { TOAST_TITLES, type ToastKind, type ToastText, toastText } from "@/model/text/toasts.ts";
import { messageOf } from "@/client/notices/messages.ts";
import type { NoticeValues } from "@/client/notices/notices.ts";

/** Texts of a toast: message, and label of its button. */
interface ToastContent {
  kind: ToastKind;
  title: string;
  text: string;
  /** text on the toast's button */
  action?: string;
}
/** Texts of a modal; a modal without `cancel` is informative only. */
interface ModalContent {
  title: string;
  text: string;
  confirm: string;
  alternative?: string;
  cancel?: string;
  isDangerous: boolean;
  /** text beside the modal's text box */
  field?: string;
}

/** Formats message values: percentages with a percent sign, lists with commas. */
const printed = (values: NoticeValues): Record<string, string | number> =>
  Object.fromEntries(
    Object.entries(values).map(([key, value]) => [
      key,
      Array.isArray(value)
        ? value.join(", ")
        : key === "percent"
        ? `${value}\u00a0%`
        : value as string | number,
    ]),
  );

/** Maximum number of list items named in a toast; the tray and the rows show all. */
const MOST_NAMED = 5;
const shortened = (values: NoticeValues, language: Language): NoticeValues =>
  Object.fromEntries(
    Object.entries(values).map(([key, value]) => {
      if (!Array.isArray(value) || value.length <= MOST_NAMED) return [key, value];
      const list = value.slice(0, MOST_NAMED).join(", ");
      return [key, textIn(commonText.andMore, language, { list, n: value.length - MOST_NAMED })];
    }),
  );

/** Texts of a toast; an unknown code gives the text for a server error (D1 §8). */
export function toastContentOf(
  code: string,
  given: NoticeValues,
  language: Language,
): ToastContent {
  const values = shortened(given, language);
  if (!Object.hasOwn(toastText, code)) {
    const errorCode = isErrorCode(code) ? code : "internal";
    const details = values as Record<string, string | number | string[]>;
    return {
      kind: "error",
      title: textIn(TOAST_TITLES.error, language),
      text: messageOf(errorCode, details, language),
    };
  }
  const { kind, title, text, action }: ToastText = toastText[code as keyof typeof toastText];
  return {
    kind,
    title: textIn(title ?? TOAST_TITLES[kind], language),
    text: textIn(text, language, printed(values)).trim(),
    ...action ? { action: textIn(action, language) } : {},
  };
}

/** Texts of a modal; an unknown code gives the text for an unknown error. */
export function modalContentOf(
  code: string,
  values: NoticeValues,
  language: Language,
): ModalContent {
  const confirm = textIn(commonText.confirm, language), say = printed(values);
  if (isErrorCode(code) && !Object.hasOwn(modalText, code)) {
    const details = values as Record<string, string | number | string[]>;
    return {
      title: textIn(modalTitle[code] ?? commonText.error, language, say),
      text: messageOf(code, details, language),
      confirm,
      isDangerous: false,
    };
  }
  const modalCode = Object.hasOwn(modalText, code) ? code as keyof typeof modalText : "error";
  const notice: ModalText = modalText[modalCode];
  return {
    title: textIn(notice.title, language, say),
    text: textIn(notice.text, language, say),
    confirm: notice.confirm ? textIn(notice.confirm, language, say) : confirm,
    ...(notice.alternative ? { alternative: textIn(notice.alternative, language, say) } : {}),
    ...(notice.cancel ? { cancel: textIn(notice.cancel, language) } : {}),
    ...(notice.field ? { field: textIn(notice.field, language) } : {}),
    isDangerous: notice.isDangerous ?? false,
  };
}

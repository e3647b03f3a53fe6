// Every message of the product on one page,
// for writing and reviewing texts; in development builds only.
import { ERRORS } from "@/model/errors.ts";
import { MODAL_CODES, type ModalCode, TOAST_CODES, type ToastCode } from "@/model/notice_codes.ts";
import { galleryText } from "@/model/text/gallery.ts";
import { useLanguage, useText } from "@/client/page/language.ts";
import { modalContentOf, toastContentOf } from "@/client/notices/notice_text.ts";
import type { NoticeCode, NoticeValues } from "@/client/notices/notices.ts";
import { informInModal, presentToast } from "@/client/notices/present_error.ts";
import { Button } from "@/components/Button.tsx";

const ERROR_CODES = Object.keys(ERRORS) as (keyof typeof ERRORS)[];
/** Notices shown as a toast: toast codes, and all error codes that are not shown as a modal. */
const TOASTS: readonly NoticeCode[] = [
  ...TOAST_CODES,
  ...ERROR_CODES.filter((code) => ERRORS[code].surface !== "modal"),
];
const MODALS: readonly NoticeCode[] = [
  ...MODAL_CODES,
  ...ERROR_CODES.filter((code) => ERRORS[code].surface === "modal"),
];
/** Sample values for all placeholders of messages. */
const VALUES: NoticeValues = {
  count: 2,
  date: "2027-01-01",
  user: "Dr. Kim",
  patient: "SP-0001",
  author: "Dr. Hong",
  percent: 97,
  scanner: "SIEMENS Prisma 12345",
  needed: 20,
  warn: 80,
  error: 95,
  n: 3,
  days: 30,
  failed: 1,
  success: 2,
  total: 3,
  errorPID: "7",
  pid: 7,
  id: 12,
  pids: "7, 9",
  until: "2027-01-29",
  title: "Hippocampus",
  answer: "4",
  study: "Kim Haneul · 20481",
  studies: "3",
  label: "MCI",
  name: "70+",
  file: "CSV",
  fields: "age",
  reason: "…",
  finding: "…",
  why: "",
  measured: "12.3 mm",
  email: "kim@hospital.test",
  max_parts: 5000,
};
const CELL = "px-3 py-2.5 text-left align-top";

export default function NoticeGallery() {
  const language = useLanguage(), text = useText(galleryText);
  const table = (title: string, codes: readonly NoticeCode[], isModal: boolean) => (
    <section className="mb-8 rounded-xl border border-line bg-white overflow-hidden">
      <h2 className="px-3 py-3 text-base font-semibold text-ink">{title} ({codes.length})</h2>
      <table className="w-full text-[13px] text-ink">
        <thead>
          <tr className="border-y border-line text-ink-soft">
            {[text("code"), text("heading"), text("words"), text("try")].map((name) => (
              <th key={name} scope="col" className={`${CELL} font-semibold`}>{name}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {codes.map((code) => {
            const words = (isModal ? modalContentOf : toastContentOf)(code, VALUES, language);
            // replaces the modal's own action, which would navigate away from this page
            const show = () =>
              isModal
                ? informInModal(code as ModalCode, VALUES, () => {})
                : presentToast(code as ToastCode, VALUES);
            return (
              <tr key={code} data-code={code} className="border-b border-line last:border-b-0">
                <td className={CELL}>
                  <code>{code}</code>
                </td>
                <td className={`${CELL} whitespace-nowrap`}>{words.title}</td>
                <td className={`${CELL} whitespace-pre-line`}>{words.text}</td>
                <td className={CELL}>
                  <Button size="small" aria-label={`${text("show")} ${code}`} onClick={show}>
                    {text("show")}
                  </Button>
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
  return (
    <div className="max-w-[1240px] mx-auto px-6 py-6">
      <h1 className="text-xl font-semibold text-ink">{text("title")}</h1>
      <p className="mt-1 mb-4 text-sm text-ink-soft">{text("hint")}</p>
      {table(text("toasts"), TOASTS, false)}
      {table(text("modals"), MODALS, true)}
    </div>
  );
}

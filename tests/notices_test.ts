// covers: D1-4.23, D1-5.13, D1-8.4, D1-8.10, D1-8.11, D2-8.1
// Every message of the product exists once, and is in the documents' list or a page.
import assert from "node:assert/strict";
import { type ErrorCode, ERRORS } from "@/model/errors.ts";
import { MODAL_CODES, type ModalCode, TOAST_CODES, type ToastCode } from "@/model/notice_codes.ts";
import { type Language, LANGUAGES } from "@/model/text.ts";
import { commonText } from "@/model/text/worklist/actions.ts";
import { errorText } from "@/model/text/errors.ts";
import { licenseText } from "@/model/text/account/license.ts";
import { type ModalText, modalText, modalTitle } from "@/model/text/modals.ts";
import { TOAST_TITLES, type ToastText, toastText } from "@/model/text/toasts.ts";
import { pagesText } from "@/model/text/pages.ts";
import { viewerPageText } from "@/model/text/viewer/viewer_page.ts";
import { modalContentOf, toastContentOf } from "@/client/notices/notice_text.ts";
import { filesUnder, PAGE_FOLDERS } from "@/tools/pages/source_files.ts";
import { NAMED, QUOTED } from "@/tests/documented_wordings.ts";

type Text = Record<Language, string>;

// checked by the compiler: without any one of its messages, a catalogue does not compile
type Lacks<Code extends string, Table, Words> = {
  [K in Code]: Omit<Table, K> extends Record<Code, Words> ? K : never;
}[Code];
const spareErrors: never[] = [] as Lacks<ErrorCode, typeof errorText, Text>[];
const spareToasts: never[] = [] as Lacks<ToastCode, typeof toastText, ToastText>[];
const spareModals: never[] = [] as Lacks<ModalCode, typeof modalText, ModalText>[];
// @ts-expect-error a catalogue without one of its messages does not compile
const _short: typeof toastText = {} as Omit<typeof toastText, "settings.updated">;
// @ts-expect-error nor does one with a message in one language
const _half: ToastText = { kind: "info", text: { en: "Words" } };

/** Texts that D1 §8 and D2 §8 describe as pages or titles instead of messages. */
const BESIDE: Text[] = [
  ...Object.values(pagesText),
  ...Object.values(modalTitle),
  ...Object.values(TOAST_TITLES),
  ...Object.values(licenseText),
  ...Object.values(modalText).map(({ title }) => title),
  ...Object.values(commonText),
  viewerPageText.noPatient,
  viewerPageText.invalidPid,
];
const messages = (): [code: string, text: Text][] => [
  ...Object.entries(errorText),
  ...Object.entries(toastText).map(([code, { text }]): [string, Text] => [code, text]),
  ...Object.entries(modalText).map(([code, { text }]): [string, Text] => [code, text]),
];

// covers: D1-8.1
Deno.test("every wording of D1 §8 and D2 §8 is in a catalogue", () => {
  const known = new Set([...messages().map(([, { en }]) => en), ...BESIDE.map(({ en }) => en)]);
  for (const [section, words] of QUOTED) assert.ok(known.has(words), `${section}: ${words}`);
});

// covers: D1-8.1
Deno.test("every message that D1 §8 and D2 §8 name has a code, and says something in both languages", () => {
  for (const [where, what, codes] of NAMED) {
    for (const code of codes) {
      for (const language of LANGUAGES) {
        const isModal = MODAL_CODES.some((each) => each === code) ||
          ERRORS[code as ErrorCode]?.surface === "modal";
        const { title, text } = (isModal ? modalContentOf : toastContentOf)(code, {}, language);
        assert.ok(title && text, `${where}: ${what}`);
        assert.equal(/[가-힣]/.test(text), language === "ko", `${code}: ${text}`);
      }
    }
  }
});

// covers: D1-8.1
Deno.test("every message exists once", () => {
  const seen = new Map<string, string>();
  for (const [code, text] of messages()) {
    // codes with the same sentence must share one text object
    assert.equal(seen.get(text.en), undefined, `${code} and ${seen.get(text.en)}: ${text.en}`);
    seen.set(text.en, code);
  }
  assert.deepEqual([spareErrors, spareToasts, spareModals], [[], [], []]);
  const codes = [...Object.keys(ERRORS), ...TOAST_CODES, ...MODAL_CODES];
  assert.equal(new Set(codes).size, codes.length);
});

// covers: D1-8.2
Deno.test("every message is said somewhere: no code without what raises it", async () => {
  const catalogues = [
    "model/notice_codes.ts",
    "model/errors.ts",
    "model/text/",
    "islands/NoticeGallery.tsx",
  ];
  let sources = "";
  for (const folder of [...PAGE_FOLDERS, "client", "model", "report", "server"]) {
    for await (const file of filesUnder(folder)) {
      if (!/(?<!_test)\.tsx?$/.test(file) || catalogues.some((each) => file.startsWith(each))) {
        continue;
      }
      sources += await Deno.readTextFile(file);
    }
  }
  const codes = [...Object.keys(ERRORS), ...TOAST_CODES, ...MODAL_CODES];
  assert.deepEqual(codes.filter((code) => !sources.includes(`"${code}"`)), []);
});

Deno.test("both languages fill in the same values", () => {
  const values = (text: string) => (text.match(/\{\w+\}/g) ?? []).sort().join();
  for (const [code, { en, ko }] of messages()) assert.equal(values(ko), values(en), code);
  for (const { en, ko } of BESIDE) assert.equal(values(ko), values(en), en);
});

// covers: D1-8.3
Deno.test("toastContentOf() titles by kind, and falls back to the server's error for an unknown one", () => {
  const server = { kind: "error", title: "Failed", text: "An error occurred in server." };
  assert.deepEqual(toastContentOf("no.such_kind", {}, "en"), server);
  assert.deepEqual(toastContentOf("toString", {}, "en"), server);
  assert.equal(toastContentOf("settings.updated", {}, "en").title, "Updated");
  assert.equal(toastContentOf("report.no_page", {}, "en").title, "Selection failed");
  assert.equal(
    toastContentOf("upload.completed", { success: 2, total: 2 }, "en").text,
    "Upload completed. 2 / 2 uploaded",
  );
  assert.equal(
    toastContentOf("study.being_analyzed", {}, "en").text,
    "The study is being analyzed.",
  );
});

Deno.test("toastContentOf() names five of a list, and says how many more there are", () => {
  const text = (count: number, language: Language) =>
    toastContentOf(
      "export.some_failed",
      { pids: Array.from({ length: count }, (_, n) => `${n + 1}`) },
      language,
    )
      .text;
  assert.match(text(5, "en"), /No\. 1, 2, 3, 4, 5$/);
  assert.match(text(6, "en"), /No\. 1, 2, 3, 4, 5 and 1 more$/);
  assert.match(text(500, "ko"), /번호: 1, 2, 3, 4, 5 외 495건\)$/);
});

// covers: D1-8.3
Deno.test("modalContentOf() gives errors their titles, and an unknown kind the general one", () => {
  const demo = modalContentOf("license.expired", { cert_type: "DEMO" }, "en");
  assert.deepEqual([demo.title, demo.text], ["License Expired", "Your license is expired."]);
  const full = modalContentOf("storage.full", { percent: 97 }, "en");
  assert.equal(full.title, "Low on server storage (97\u00a0% full)");
  assert.equal(full.text, errorText["storage.full"].en);
  const unknown = modalContentOf("no.such_kind", {}, "en");
  assert.deepEqual([unknown.title, unknown.text, unknown.cancel], [
    "Error",
    "An error has occurred.",
    undefined,
  ]);
  const ask = modalContentOf("session.sign_out", {}, "en");
  assert.deepEqual([ask.confirm, ask.cancel], ["Sign Out", "Cancel"]);
});

// covers: S-12
import assert from "node:assert/strict";
import { ERRORS } from "@/model/errors.ts";
import { LASTING_TOASTS, TOAST_CODES } from "@/model/notice_codes.ts";
import {
  addToast,
  enterContext,
  leaveContext,
  noteAct,
  type NoticeCode,
  toasts,
} from "@/client/notices/notices.ts";

const isShown = (code: NoticeCode) => toasts.value.some((toast) => toast.code === code);
const clear = () => toasts.value = [];
const CODES: NoticeCode[] = [
  ...TOAST_CODES,
  ...(Object.keys(ERRORS) as (keyof typeof ERRORS)[]).filter((code) =>
    ERRORS[code].surface === "toast" || ERRORS[code].surface === "inline"
  ),
];

Deno.test("every toast goes when the user leaves the form or dialog in which it was shown, unless it is about work in the background", () => {
  for (const code of CODES) {
    clear();
    const context = enterContext();
    addToast({ code, values: {} });
    noteAct();
    leaveContext(context);
    assert.equal(isShown(code), LASTING_TOASTS.has(code), code);
  }
});

Deno.test("a toast shown by the act that closes a form stays: it is the result", () => {
  for (const code of CODES) {
    clear();
    const context = enterContext();
    noteAct();
    addToast({ code, values: {} });
    leaveContext(context);
    assert.ok(isShown(code), code);
  }
});

Deno.test("closing a form takes no toast of the page, of another form, or of the form around it", () => {
  clear();
  addToast({ code: "worklist.some_error", values: {} });
  const outer = enterContext();
  addToast({ code: "label.required", values: {} });
  const inner = enterContext();
  addToast({ code: "label.max_length", values: {} });
  noteAct();
  leaveContext(inner);
  assert.deepEqual(toasts.value.map(({ code }) => code), ["worklist.some_error", "label.required"]);
  noteAct();
  leaveContext(outer);
  assert.deepEqual(toasts.value.map(({ code }) => code), ["worklist.some_error"]);
  const next = enterContext();
  noteAct();
  leaveContext(next);
  assert.ok(isShown("worklist.some_error"));
  clear();
});

Deno.test("every dialog of the product is made with Dialog, which is the context of its toasts", async () => {
  const root = new URL("../../", import.meta.url);
  const withDialog: string[] = [];
  const look = async (folder: string) => {
    for await (const { name, isDirectory } of Deno.readDir(new URL(`${folder}/`, root))) {
      const path = `${folder}/${name}`;
      if (isDirectory) await look(path);
      else if (name.endsWith(".tsx") && !name.includes("_test.")) {
        const text = await Deno.readTextFile(new URL(path, root));
        if (/<dialog\b|createElement\("dialog"/.test(text)) withDialog.push(path);
      }
    }
  };
  for (const folder of ["components", "islands", "viewer", "report", "routes"]) await look(folder);
  // the list of keyboard shortcuts shows no toasts
  assert.deepEqual(withDialog, ["components/dialog/Dialog.tsx", "viewer/panels/ShortcutHelp.tsx"]);
});

import assert from "node:assert/strict";
import { createElement, Suspense } from "react";
import { renderToString } from "react-dom/server";
import { lazyPart } from "@/components/page/lazy_part.ts";

Deno.test("lazyPart() shows a part at once that was loaded before", async () => {
  const Part = lazyPart(() => Promise.resolve({ default: () => "the part" }));
  const shown = () =>
    renderToString(createElement(Suspense, { fallback: "coming" }, createElement(Part)));
  assert.match(shown(), /coming/);
  await Part.load();
  assert.equal(shown(), "<!--$-->the part<!--/$-->");
});

/// <reference path="./pdfmake.d.ts" />
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import documentModule from "pdfmake/js/PDFDocument.js";
import rendererModule from "pdfmake/js/Renderer.js";

Deno.test("the methods of pdfmake that are replaced have the expected number of parameters", () => {
  const { renderLine, renderImage, renderSVG, renderVector } = rendererModule.default.prototype;
  const { provideFont, getFontFile } = documentModule.default.prototype;
  assert.deepEqual(
    [renderLine, renderImage, renderSVG, renderVector, provideFont, getFontFile].map((method) =>
      method.length
    ),
    [3, 1, 1, 1, 3, 3],
  );
});

Deno.test("no other file of the product replaces a method of a package", () => {
  const root = new URL("../../", import.meta.url).pathname;
  const folders = [
    "client",
    "components",
    "islands",
    "model",
    "report",
    "routes",
    "server",
    "viewer",
  ];
  const replacing = folders.flatMap((folder) =>
    readdirSync(root + folder, { recursive: true, encoding: "utf8" }).map((name) =>
      `${folder}/${name}`
    )
  ).filter((name) =>
    /\.tsx?$/.test(name) && !/_test\.tsx?$/.test(name) &&
    /\.prototype\b/.test(readFileSync(root + name, "utf8"))
  );
  assert.deepEqual(replacing, ["report/pdf/pdfmake_overrides.ts"]);
});

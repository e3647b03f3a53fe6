import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";

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

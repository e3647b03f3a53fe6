// Speed of the image kernels in Chromium against the best plain JavaScript, the same Rust code as a
// native program, and a copy of the same bytes. Each file of bench/kernels is a part: it exports
// `rows(kit)`, which appends rows to the kit.
// deno task bench kernels [--in chromium|deno] [--only WORD] [--json FILE]
import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { rowsInChromium } from "@/bench/kernel_runs/kernel_browser.ts";
import { makeKit, type Part } from "@/bench/kernel_runs/kernel_kit.ts";
import { startNative } from "@/bench/kernel_runs/kernel_native.ts";
import { meshFile } from "@/bench/kernels/rasterise.ts";
import { finish, optionOf, type Row } from "@/bench/record.ts";

const WASM = new URL("../wasm/pkg/kernels/bind_browser_bg.wasm", import.meta.url);
const READING = new URL("../wasm/pkg/reading/bind_reading_bg.wasm", import.meta.url);
const PARTS = new URL("./kernels/", import.meta.url);
const only = optionOf("only") ?? "", isInDeno = optionOf("in") === "deno";

const bytes = await Deno.readFile(WASM), reading = await Deno.readFile(READING);
const native = await startNative(meshFile());
const names = [...Deno.readDirSync(PARTS)].map(({ name }) => name)
  .filter((name) => name.endsWith(".ts") && name.includes(only)).sort();

async function rowsInDeno(): Promise<Row[]> {
  const kit = makeKit(await WebAssembly.compile(bytes), await WebAssembly.compile(reading), native);
  for (const name of names) {
    const part: Part = await import(new URL(name, PARTS).href);
    await part.rows(kit);
  }
  kit.composer.close();
  return kit.rows;
}

const { browser, rows } = isInDeno
  ? { browser: "Deno", rows: await rowsInDeno() }
  : await rowsInChromium(names, bytes, reading, native);
if (native) await native.close();
else {Deno.stderr.writeSync(
    new TextEncoder().encode("native code is skipped: no cargo on this machine\n"),
  );}
const digest = createHash("sha256").update(bytes).digest("hex").slice(0, 16);
const zipped = gzipSync(bytes, { level: 9 }).length / 1000;
rows.push({
  suite: "kernels",
  name: "kernels WASM, gzip",
  value: zipped,
  unit: "kB",
  baseline: 60,
  ratio: Number((zipped / 60).toFixed(3)),
  bar: "≤ 60 kB",
  ok: zipped <= 60,
});
finish(
  "deno task bench kernels --json FILE",
  `192 × 224 × 208 volume with label map, ${browser}, kernels ${digest}`,
  rows,
);

// Speed of the image kernels against the best plain JavaScript, against the same Rust compiled native, and against a copy
// of the same bytes. Each file of bench/kernel_parts is a part: it exports `rows(kit)` and adds its rows to the kit's.
// deno task bench kernels [--only WORD] [--json FILE]
import { gzipSync } from "node:zlib";
import { addRow, makeKit, type Part } from "@/bench/kernel_kit.ts";
import { startNative } from "@/bench/kernel_native.ts";
import { meshFile } from "@/bench/kernel_parts/rasterise.ts";
import { finish } from "@/bench/record.ts";

const WASM = new URL("../wasm/pkg/kernels/bind_browser_bg.wasm", import.meta.url);
const PARTS = new URL("./kernel_parts/", import.meta.url);
const at = Deno.args.indexOf("--only"), only = at < 0 ? "" : Deno.args[at + 1]!;

const bytes = await Deno.readFile(WASM), native = await startNative(meshFile());
const kit = makeKit(await WebAssembly.compile(bytes), native);
const names = [...Deno.readDirSync(PARTS)].map(({ name }) => name).filter((name) => name.endsWith(".ts"))
  .sort();
for (const name of names.filter((name) => name.includes(only))) {
  const part: Part = await import(new URL(name, PARTS).href);
  await part.rows(kit);
}
if (native) await native.close();
else addRow(kit, "native code: skipped, no cargo on this machine", 0, null, {});
const zipped = gzipSync(bytes, { level: 9 }).length / 1000;
kit.rows.push({
  suite: "kernels",
  name: "kernels WASM, gzip",
  value: zipped,
  unit: "kB",
  baseline: 60,
  ratio: Number((zipped / 60).toFixed(3)),
  bar: "≤ 60 kB",
  ok: zipped <= 60,
});
kit.composer.close();
finish("deno task bench kernels --json FILE", "192 × 224 × 208 volume with label map", kit.rows);

import { startReading } from "@/viewer/reading/start.ts";
import { createComposer } from "@/viewer/slices/compose.ts";
import type { Shape } from "@/model/geometry.ts";

const moduleOf = async (path: string) =>
  await WebAssembly.compile(
    await Deno.readFile(new URL(`../../wasm/pkg/${path}`, import.meta.url)),
  );
const kernels = await moduleOf("kernels/bind_browser_bg.wasm");
/** Memory of the reading kernels. */
export const readingMemory = startReading(await moduleOf("reading/bind_reading_bg.wasm"));

/** A composer with the given labels, with the reading kernels initialised. */
export function composerOf(shape: Shape, labels: Uint8Array) {
  const composer = createComposer(kernels, shape);
  composer.volume("labels").set(labels);
  return composer;
}

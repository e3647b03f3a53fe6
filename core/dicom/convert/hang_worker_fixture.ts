/// <reference lib="deno.worker" />
// A converter that never answers and never lets go of its thread, or throws for a path that says so.
self.onmessage = ({ data }: MessageEvent<{ files: { path: string }[] }>) => {
  if (data.files.some(({ path }) => path.includes("throws"))) throw new Error("out of memory");
  for (;;);
};

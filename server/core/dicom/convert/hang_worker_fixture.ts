/// <reference lib="deno.worker" />
// A converter that never answers, or throws for a path that says so.
self.onmessage = ({ data }: MessageEvent<{ files: { path: string }[] }>) => {
  if (data.files.some(({ path }) => path.includes("throws"))) throw new Error("out of memory");
  // no longer than the test looks: a thread that never comes back outlives `terminate()` and takes a core until the process ends
  for (const end = performance.now() + 3000; performance.now() < end;);
};

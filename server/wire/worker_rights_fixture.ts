/// <reference lib="webworker" />
// Runs in a worker: tries what its rights must refuse, and answers with what it could do.
const scope = self as unknown as DedicatedWorkerGlobalScope;

scope.onmessage = async ({ data }: MessageEvent<{ readable: string; writable: string }>) => {
  const { readable, writable } = data;
  const attempts: Record<string, () => unknown> = {
    read: () => Deno.readTextFile(readable),
    readElsewhere: () => Deno.readTextFile("/etc/hostname"),
    write: () => Deno.writeTextFile(writable, "text"),
    writeElsewhere: () => Deno.writeTextFile(`${readable}.more`, "text"),
    env: () => Deno.env.get("HOME"),
    net: () => Deno.listen({ hostname: "127.0.0.1", port: 0 }).close(),
    sys: () => Deno.hostname(),
    run: () => new Deno.Command("true").output(),
    import: () => import(`http://127.0.0.1:9/${Date.now()}.ts`),
  };
  const done: string[] = [];
  for (const [name, attempt] of Object.entries(attempts)) {
    try {
      await attempt();
      done.push(name);
    } catch (error) {
      const isRefused = error instanceof Deno.errors.NotCapable ||
        /^TypeError: Requires import access/.test(String(error));
      if (!isRefused) done.push(`${name}: ${error}`);
    }
  }
  scope.postMessage(done);
};

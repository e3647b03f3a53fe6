// The same Rust compiled for this machine, in a program of its own that is asked in turn with WASM: how much WASM costs.

/** Times kernels of wasm/kernels/examples/native_times.rs. */
export interface Native {
  /** ms a call of a kernel in a round of `calls` calls; null when it has no such kernel. */
  roundMs(name: string, calls: number): Promise<number | null>;
  close(): Promise<void>;
}

/**
 * Builds and starts it; null without cargo.
 *
 * @param mesh What is rasterised, as native_times.rs reads it.
 * @throws {Error} when it cannot be built.
 */
export async function startNative(mesh: Uint8Array): Promise<Native | null> {
  const file = await Deno.makeTempFile();
  await Deno.writeFile(file, mesh);
  let child: Deno.ChildProcess;
  try {
    child = new Deno.Command("cargo", {
      args: [
        "run",
        "--quiet",
        "--release",
        "--locked",
        "-p",
        "kernels",
        "--example",
        "native_times",
        file,
      ],
      cwd: new URL("../../wasm/", import.meta.url),
      stdin: "piped",
      stdout: "piped",
      stderr: "inherit",
    }).spawn();
  } catch (error) {
    await Deno.remove(file);
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
  const lines = linesOf(child.stdout),
    writer = child.stdin.getWriter(),
    encoder = new TextEncoder();
  if ((await lines.next()).value !== "ready") throw new Error("native_times failed");
  return {
    async roundMs(name, calls) {
      await writer.write(encoder.encode(`${calls} ${name}\n`));
      const { value } = await lines.next();
      if (value === undefined) throw new Error(`native_times failed at ${name}`);
      return value === "-" ? null : Number(value);
    },
    async close() {
      await writer.close();
      await child.status;
      await Deno.remove(file);
    },
  };
}

async function* linesOf(
  stream: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<string, undefined> {
  let rest = "";
  for await (const text of stream.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split("\n");
    rest = lines.pop()!;
    yield* lines;
  }
}

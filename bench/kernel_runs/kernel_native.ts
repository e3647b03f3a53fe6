// The kernels' Rust code as a native program, called in alternation with WASM: the cost of WASM.

/** Times kernels of wasm/kernels/examples/native_times.rs. */
export interface Native {
  /** ms per call of a kernel in a round of `calls` calls; `null` for an unknown kernel */
  roundMs(name: string, calls: number): Promise<number | null>;
  close(): Promise<void>;
}

/**
 * Builds and starts the native program; `null` without cargo.
 *
 * @param mesh Mesh to rasterise, in the format that native_times.rs reads.
 * @throws {Error} if the build fails.
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

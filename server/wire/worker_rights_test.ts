import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { rightsToFiles } from "@/server/wire/worker_rights.ts";

const PROGRAM = new URL("./worker_rights_fixture.ts", import.meta.url);

/** What a worker with some rights could do of everything that a program may ask for. */
async function doneWith(
  rights: (
    paths: { program: string; readable: string; writable: string },
  ) => Deno.PermissionOptions,
): Promise<string[]> {
  const folder = await Deno.makeTempDir();
  const paths = {
    program: fileURLToPath(PROGRAM),
    readable: `${folder}/in.txt`,
    writable: `${folder}/out.txt`,
  };
  await Deno.writeTextFile(paths.readable, "text");
  const worker = new Worker(PROGRAM, { type: "module", deno: { permissions: rights(paths) } });
  try {
    const { promise, resolve, reject } = Promise.withResolvers<string[]>();
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = (event) => {
      event.preventDefault();
      reject(new Error(event.message));
    };
    worker.postMessage(paths);
    return await promise;
  } finally {
    worker.terminate();
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("rightsToFiles() lets a worker read and write the named files and do nothing else", async () => {
  const both = ({ program, readable, writable }: Record<string, string>) =>
    rightsToFiles([program!, readable!], [writable!]);
  assert.deepEqual(await doneWith(both), ["read", "write"]);
});

Deno.test("rightsToFiles() without paths to write refuses every path", async () => {
  const reading = ({ program, readable }: Record<string, string>) =>
    rightsToFiles([program!, readable!]);
  assert.deepEqual(await doneWith(reading), ["read"]);
});

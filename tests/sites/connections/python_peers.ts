// Peers of somebody else's, in Python: pydicom, pynetdicom, highdicom, hl7, hl7apy. `.ci/run` installs them.
import { until } from "@/tests/sites/until.ts";

const FOLDER = new URL("./peers/", import.meta.url).pathname;
const PROGRAM = `${Deno.env.get("HOME")}/.cache/sulcus-peers/bin/python`;

/** Why dcmqi's converters are missing; empty when they are there. */
export const noDcmqi = await Deno.stat(PROGRAM.replace(/python$/, "paramap2itkimage")).then(
  () => "",
  () => "(skipped: no dcmqi of tests/sites/connections/peers/requirements.txt)",
);

const isThere = await new Deno.Command(PROGRAM, {
  args: ["-c", "import pydicom, pynetdicom, highdicom, hl7, hl7apy"],
  stdout: "null",
  stderr: "null",
}).output().then(({ success }) => success, () => false);

/** Why there are none; empty when there are. */
export const noPython = isThere
  ? ""
  : "(skipped: no Python with tests/sites/connections/peers/requirements.txt)";

/** Runs a script to its end. @returns what it says as JSON. @throws with its complaint. */
export async function runPython<T>(script: string, ...args: string[]): Promise<T> {
  const { success, stdout, stderr } = await new Deno.Command(PROGRAM, {
    args: [FOLDER + script, ...args],
  })
    .output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return JSON.parse(new TextDecoder().decode(stdout)) as T;
}

/** Starts a peer that says its port, then what happens to it, each in a line. */
export async function startPython<T>(script: string, ...args: string[]) {
  const process = new Deno.Command(PROGRAM, {
    args: [FOLDER + script, ...args],
    stdin: "piped",
    stdout: "piped",
  })
    .spawn();
  const said: unknown[] = [];
  const listening = (async () => {
    let rest = "";
    for await (const text of process.stdout.pipeThrough(new TextDecoderStream())) {
      const lines = (rest + text).split("\n");
      rest = lines.pop()!;
      said.push(...lines.map((line) => JSON.parse(line) as unknown));
    }
  })();
  const stop = async () => {
    process.kill("SIGKILL");
    await process.stdin.close().catch(() => {});
    await process.status;
    await listening;
  };
  const first = await until(() => said[0] as { port: number } | undefined).catch(async (error) => {
    await stop();
    throw error;
  });
  return { port: first.port, said: () => said.slice(1) as T[], [Symbol.asyncDispose]: stop };
}

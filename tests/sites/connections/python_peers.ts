// Independent DICOM and HL7 software in Python: pydicom, pynetdicom, highdicom, hl7, hl7apy.
// `.ci/run` installs it.
import { until } from "@/tests/sites/until.ts";

const FOLDER = new URL("./peers/", import.meta.url).pathname;
const PROGRAM = `${Deno.env.get("HOME")}/.cache/sulcus-peers/bin/python`;

/** Reason why dcmqi's converters cannot be used; empty if they are installed. */
export const noDcmqi = await Deno.stat(PROGRAM.replace(/python$/, "paramap2itkimage")).then(
  () => "",
  () => "(skipped: no dcmqi of tests/sites/connections/peers/requirements.txt)",
);

const isThere = await new Deno.Command(PROGRAM, {
  args: ["-c", "import pydicom, pynetdicom, highdicom, hl7, hl7apy"],
  stdout: "null",
  stderr: "null",
}).output().then(({ success }) => success, () => false);

/** Reason why the Python packages cannot be used; empty if they are installed. */
export const noPython = isThere
  ? ""
  : "(skipped: no Python with tests/sites/connections/peers/requirements.txt)";

/** Runs a script. @returns the JSON that the script prints. @throws with the script's stderr. */
export async function runPython<T>(script: string, ...args: string[]): Promise<T> {
  const { success, stdout, stderr } = await new Deno.Command(PROGRAM, {
    args: [FOLDER + script, ...args],
  })
    .output();
  if (!success) throw new Error(new TextDecoder().decode(stderr));
  return JSON.parse(new TextDecoder().decode(stdout)) as T;
}

/** Starts a script that prints its port and then its events, each on one line of JSON. */
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

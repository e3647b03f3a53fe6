// deno task fuzz [--cases N] [--seed N] [npy|nifti|gate|process|dicom|api|postgres|upload|socket|port|tls-port …]: by
// default 1,000,000 cases of NPY, of NIfTI, of the process of the gate and of connections to a server's port, with and
// without TLS; 200,000 of the gate's readers, 100,000 of DICOM and API, 20,000 of the API on PostgreSQL, of whole uploads
// and of sockets. A failure prints the seed that makes it again; tests/fuzz/corpus keeps inputs that once failed.
import { withCore } from "@/tests/sites/core_site.ts";
import { addStudies, setCompleted } from "@/tests/sites/stored_studies.ts";
import { openPostgres } from "@/server/core/database/postgres.ts";
import { newPostgres } from "@/tests/sites/databases.ts";
import { Random } from "@/server/commands/demo/phantom/random.ts";
import { gateTarget } from "@/tests/fuzz/gate_target.ts";
import { processTarget } from "@/tests/fuzz/process_target.ts";
import { socketTarget } from "@/tests/fuzz/socket_target.ts";
import { fuzzPort } from "@/tests/fuzz/port_target.ts";
import { uploadTarget } from "@/tests/fuzz/upload_target.ts";
import {
  apiTarget,
  dicomTarget,
  niftiTarget,
  npyTarget,
  type Target,
} from "@/tests/fuzz/targets.ts";

/** Maximum duration of a case on a slow machine, ms. */
const SLOWEST_MS = 15_000;

/** Runs a target with random inputs, one seed each. @throws {Error} with a failing seed. */
export async function fuzz(name: string, target: Target, cases: number, seed = 1): Promise<void> {
  for (let n = 0; n < cases; n++) {
    const started = performance.now();
    try {
      await target(new Random(seed + n));
    } catch (error) {
      throw new Error(
        `Fuzzing ${name} failed at --seed ${seed + n}: ${
          error instanceof Error ? error.stack : error
        }`,
      );
    }
    const ms = performance.now() - started;
    if (ms > SLOWEST_MS) {
      throw new Error(`Fuzzing ${name} took ${ms.toFixed(0)} ms at --seed ${seed + n}`);
    }
    // lets timers of the core run
    if (n % 1000 === 999) await new Promise((resolve) => setTimeout(resolve));
  }
}

/** {@link fuzz} of the API, on a core with two studies; SQLite or a given PostgreSQL URL. */
export const fuzzApi = (cases: number, seed = 1, url?: string): Promise<void> =>
  withCore(
    async (test) => {
      await addStudies(test.dataDir, 2);
      await setCompleted(test.dataDir, 1, "2026-01-06T00:00:00Z");
      await fuzz("api", apiTarget(test), cases, seed);
    },
    { callsPerMinute: 0 },
    url === undefined ? undefined : { url, open: () => openPostgres(url) },
  );

/** {@link fuzz} of whole uploads, on a new core. */
export const fuzzUpload = (cases: number, seed = 1): Promise<void> =>
  withCore((test) => fuzz("upload", uploadTarget(test), cases, seed));

/** {@link fuzz} of WebSocket frames. */
export async function fuzzSocket(cases: number, seed = 1): Promise<void> {
  const { target, end } = await socketTarget();
  try {
    await fuzz("socket", target, cases, seed);
  } finally {
    await end();
  }
}

/** {@link fuzz} of all inputs of the gate process. */
export async function fuzzProcess(cases: number, seed = 1): Promise<void> {
  const { target, end } = await processTarget();
  try {
    await fuzz("process", target, cases, seed);
  } finally {
    await end();
  }
}

if (import.meta.main) {
  const optionOf = (name: string) => {
    const at = Deno.args.indexOf(name);
    return at < 0 ? undefined : Number(Deno.args[at + 1]);
  };
  const cases = optionOf("--cases"),
    seed = optionOf("--seed") ?? Math.floor(Date.now() / 86_400_000);
  const kinds: Record<string, [number, (cases: number) => Promise<void>]> = {
    npy: [1_000_000, (n) => fuzz("npy", npyTarget(), n, seed)],
    nifti: [1_000_000, (n) => fuzz("nifti", niftiTarget(), n, seed)],
    gate: [200_000, (n) => fuzz("gate", gateTarget(), n, seed)],
    dicom: [100_000, (n) => fuzz("dicom", dicomTarget(), n, seed)],
    api: [100_000, (n) => fuzzApi(n, seed)],
    upload: [20_000, (n) => fuzzUpload(n, seed)],
    socket: [20_000, (n) => fuzzSocket(n, seed)],
    port: [1_000_000, async (n) => void await fuzzPort(false, n, seed)],
    "tls-port": [1_000_000, async (n) => void await fuzzPort(true, n, seed)],
    process: [1_000_000, (n) => fuzzProcess(n, seed)],
    postgres: [20_000, async (n) => await fuzzApi(n, seed, await newPostgres())],
  };
  const asked = Deno.args.filter((arg) => Object.hasOwn(kinds, arg));
  for (const kind of asked.length > 0 ? asked : Object.keys(kinds)) {
    const [most, run] = kinds[kind]!, started = performance.now();
    await run(cases ?? most);
    const seconds = ((performance.now() - started) / 1000).toFixed(0);
    Deno.stdout.writeSync(
      new TextEncoder().encode(`${kind}: ${cases ?? most} cases in ${seconds} s, seed ${seed}\n`),
    );
  }
  // ends the process although the page renderer keeps a channel open
  Deno.exit();
}

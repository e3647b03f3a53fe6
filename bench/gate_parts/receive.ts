// deno task bench gate --receive [--files 384] [--pairs 5] [--folder PATH]
// A series by DCMTK's storescu to the gate, and to DCMTK's storescp whose files are then forced to disk one by one; in turns,
// the ratio of each pair. Bar: 1.5 times, 200 MB. Needs dcmtk.
import { optionOf } from "@/bench/record.ts";
import { type GateSettings, INBOX } from "@/gate/link/tasks.ts";
import { writeInstance } from "@/tests/phantom/dicom_writer.ts";
import { isListening } from "@/tests/sites/connections/gate_site.ts";
import { lastingPort } from "@/tests/sites/lasting_port.ts";
import { until } from "@/tests/sites/until.ts";

const BAR_RATIO = 1.5, BAR_BYTES = 200e6, SIDE = 256;
const SCRIPT = new URL("../../commands/start/gate.ts", import.meta.url).pathname;
/** Without it each answer of DCMTK waits 40 ms. */
const env = { TCP_NODELAY: "1" };
const files = Number(optionOf("files") ?? 384), pairs = Number(optionOf("pairs") ?? 5);
const folder = await Deno.makeTempDir({ prefix: "sulcus-receive-", dir: optionOf("folder") });
const say = (text: string) => void Deno.stdout.writeSync(new TextEncoder().encode(text + "\n"));

async function writeSeries(): Promise<void> {
  await Deno.mkdir(`${folder}/sent`);
  for (let at = 0; at < files; at++) {
    const pixels = new Int16Array(SIDE * SIDE).map((_, v) => (at * 104729 + v * 31) % 4000);
    const bytes = writeInstance(
      [
        [0x00080016, "UI", "1.2.840.10008.5.1.4.1.1.4"],
        [0x00080018, "UI", `1.2.826.0.1.3680043.8.498.7.${at + 1}`],
        [0x00080060, "CS", "MR"],
        [0x00100020, "LO", "RECEIVE"],
        [0x0020000d, "UI", "1.2.826.0.1.3680043.8.498.7"],
        [0x0020000e, "UI", "1.2.826.0.1.3680043.8.498.7.0"],
      ],
      { columns: SIDE, rows: SIDE, pixels },
      "explicit",
      "ISO_IR 192",
    );
    await Deno.writeFile(`${folder}/sent/${at}.dcm`, bytes);
  }
}

/** Sends the series. @returns seconds, with what `after` does. */
async function timed(port: number, after: () => Promise<void>): Promise<number> {
  const started = performance.now();
  const { code } = await new Deno.Command("storescu", {
    args: ["-aec", "SULCUS", "+sd", "-R", "-xe", "127.0.0.1", String(port), `${folder}/sent`],
    env,
    stdout: "null",
    stderr: "null",
  }).output();
  if (code !== 0) throw new Error(`storescu ended with ${code}`);
  await after();
  return (performance.now() - started) / 1000;
}

async function toStorescp(): Promise<number> {
  const port = lastingPort(), into = `${folder}/theirs`;
  await Deno.mkdir(into);
  const args = ["-aet", "SULCUS", "-od", into, "+B", String(port)];
  const process = new Deno.Command("storescp", { args, env, stdout: "null", stderr: "null" }).spawn();
  try {
    await until(() => isListening(port));
    return await timed(port, async () => {
      for (const { name } of Deno.readDirSync(into)) {
        using file = await Deno.open(`${into}/${name}`, { read: true, write: true });
        await file.sync();
      }
    });
  } finally {
    process.kill("SIGKILL");
    await process.status;
    await Deno.remove(into, { recursive: true });
  }
}

async function toGate(): Promise<{ seconds: number; bytes: number }> {
  const port = lastingPort(), inbox = `${folder}/inbox`;
  await Deno.mkdir(inbox);
  const settings: GateSettings = {
    aeTitle: "SULCUS",
    senders: [{ aeTitle: "STORESCU", addresses: [] }],
    isAccepting: true,
    maxAssociations: 8,
  };
  await Deno.writeTextFile(`${inbox}/${INBOX.settings}`, JSON.stringify(settings));
  const told = { host: "127.0.0.1", port, inbox, socket: `${folder}/gate.sock`, tls: null };
  const process = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", SCRIPT, JSON.stringify(told)],
    stdin: "piped",
    stdout: "null",
    stderr: "null",
  }).spawn();
  try {
    await until(() => isListening(port));
    const seconds = await timed(port, () => Promise.resolve());
    const received = [...Deno.readDirSync(`${inbox}/${INBOX.received}`)].length;
    if (received !== files) throw new Error(`${received} files arrived`);
    const status = await Deno.readTextFile(`/proc/${process.pid}/status`);
    return { seconds, bytes: 1024 * Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) };
  } finally {
    process.kill("SIGKILL");
    await process.status;
    await Deno.remove(inbox, { recursive: true });
  }
}

/** The middle one. */
const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!;
/** Sends in turns, says each pair and what they come to. */
export async function measureReceiving(): Promise<void> {
  try {
    await writeSeries();
    const ratios: number[] = [], peaks: number[] = [];
    for (let pair = 0; pair < pairs; pair++) {
      const theirs = await toStorescp(), { seconds, bytes } = await toGate();
      ratios.push(seconds / theirs);
      peaks.push(bytes);
      say(
        `pair ${pair + 1}: storescp ${theirs.toFixed(2)} s, gate ${seconds.toFixed(2)} s, ${
          (bytes / 1e6).toFixed(0)
        } MB`,
      );
    }
    const ratio = median(ratios), peak = Math.max(...peaks);
    const range = `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`;
    say(
      `${files} files: ${ratio.toFixed(2)} times storescp's time (${range}; bar 1.5), at most ${
        (peak / 1e6).toFixed(0)
      } MB (bar 200)`,
    );
    if (ratio > BAR_RATIO || peak > BAR_BYTES) Deno.exitCode = 1;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

// deno task bench gate --receive [--files 384] [--pairs 5] [--folder PATH] [--json FILE]
// DCMTK's storescu sends a series by turns to the gate and to DCMTK's storescp, which runs in two
// ways. Either storescp forces each file to disk before the answer, as the gate does
// (force_each_file.c); the gate may then take 1.5 times as long. Or all files are forced to disk
// after the last answer, so that an answer does not guarantee that the file is on disk.
// Needs dcmtk and cc.
import { finish, optionOf, rowMaker } from "@/bench/record.ts";
import { type GateSettings, INBOX } from "@/server/gate/link/tasks.ts";
import { writeInstance } from "@/server/commands/demo/phantom/dicom/dicom_writer.ts";
import { isListening } from "@/tests/sites/connections/gate_site.ts";
import { lastingPort } from "@/tests/sites/lasting_port.ts";
import { until } from "@/tests/sites/until.ts";

const BAR_RATIO = 1.5, BAR_MB = 200, SIDE = 256;
const SCRIPT = new URL("../../server/commands/start/gate.ts", import.meta.url).pathname;
const FORCING = new URL("force_each_file.c", import.meta.url).pathname;
/** Without this option each response of DCMTK is delayed by 40 ms. */
const env = { TCP_NODELAY: "1" };
const files = Number(optionOf("files") ?? 384), pairs = Number(optionOf("pairs") ?? 5);
const folder = await Deno.makeTempDir({ prefix: "sulcus-receive-", dir: optionOf("folder") });
const library = `${folder}/force_each_file.so`;
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

/** Sends the series, then calls `after`. @returns the time of both, seconds. */
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

async function compileForcing(): Promise<void> {
  const args = ["-O2", "-Wall", "-shared", "-fPIC", "-o", library, FORCING, "-ldl"];
  const { success } = await new Deno.Command("cc", { args }).output();
  if (!success) throw new Error("Cannot compile force_each_file.c");
}

async function toStorescp(forces: "each file" | "afterwards"): Promise<number> {
  const port = lastingPort(), into = `${folder}/theirs`, forced = `${folder}/forced`;
  await Deno.mkdir(into);
  const process = new Deno.Command("storescp", {
    args: ["-aet", "SULCUS", "-od", into, "+B", String(port)],
    env: forces === "each file" ? { ...env, LD_PRELOAD: library, FORCED_FILES: forced } : env,
    stdout: "null",
    stderr: "null",
  }).spawn();
  try {
    await until(() => isListening(port));
    const seconds = await timed(port, async () => {
      if (forces === "each file") return;
      for (const { name } of Deno.readDirSync(into)) {
        using file = await Deno.open(`${into}/${name}`, { read: true, write: true });
        await file.sync();
      }
    });
    const count = [...Deno.readDirSync(into)].length;
    if (count !== files) throw new Error(`${count} files arrived at storescp`);
    if (forces === "each file" && Deno.statSync(forced).size !== files) {
      throw new Error("Not every file was forced");
    }
    return seconds;
  } finally {
    process.kill("SIGKILL");
    await process.status;
    await Deno.remove(into, { recursive: true });
    await Deno.remove(forced).catch(() => {});
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

/** The median; the upper of two middle values. */
const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!;

/** Sends the series to each receiver by turns; prints each round and the summary. */
export async function measureReceiving(): Promise<void> {
  const each: number[] = [], afterwards: number[] = [], gate: number[] = [], peaksMb: number[] = [];
  try {
    await compileForcing();
    await writeSeries();
    for (let round = 0; round < pairs; round++) {
      afterwards.push(await toStorescp("afterwards"));
      each.push(await toStorescp("each file"));
      const { seconds, bytes } = await toGate();
      gate.push(seconds);
      peaksMb.push(bytes / 1e6);
      const [least, same, ours] = [afterwards, each, gate].map((times) => times.at(-1)!.toFixed(2));
      say(
        `${round + 1}: storescp ${same} s, forced afterwards ${least} s; gate ${ours} s, ${
          (bytes / 1e6).toFixed(0)
        } MB`,
      );
    }
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
  const make = rowMaker("gate");
  const timesOf = (name: string, theirs: readonly number[], bar?: number) => {
    const ratios = gate.map((seconds, round) => seconds / theirs[round]!), ratio = median(ratios);
    return [
      make(`times ${name}`, ratio, "times", bar === undefined ? {} : { bar, ok: ratio <= bar }),
      make(`times ${name}, least`, Math.min(...ratios), "times"),
      make(`times ${name}, most`, Math.max(...ratios), "times"),
    ];
  };
  const sameName = "storescp, each file forced before its answer",
    lessName = "storescp, files forced after the last answer";
  const peakMb = Math.max(...peaksMb);
  finish(
    `deno task bench gate --receive --files ${files} --pairs ${pairs}`,
    `${files} files of ${SIDE} × ${SIDE}, ${pairs} rounds`,
    [
      make("gate", median(gate), "s"),
      make(sameName, median(each), "s"),
      make(lessName, median(afterwards), "s"),
      ...timesOf(sameName, each, BAR_RATIO),
      ...timesOf(lessName, afterwards),
      make("memory of the gate", peakMb, "MB", { bar: BAR_MB, ok: peakMb <= BAR_MB }),
    ],
  );
}

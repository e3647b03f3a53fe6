// deno task bench gate --messages [--seconds 60] [--frames 100000] [--seed 1] [--json FILE]
// The gate, as a separate process, receives 50 HL7 messages a second and forces each to disk.
// Measures the time from the planned sending of a message to the AA. Then sends damaged frames,
// after which the gate must still run, answer, and use no more memory than before. Stored messages
// are removed once a second, as by a server.
import { finish, optionOf, rowMaker } from "@/bench/record.ts";
import { memoryOf } from "@/bench/machine/processes.ts";
import { type GateSettings, INBOX } from "@/server/gate/link/tasks.ts";
import { Random } from "@/server/commands/demo/phantom/random.ts";
import { isListening } from "@/tests/sites/connections/gate_site.ts";
import { adt } from "@/tests/sites/connections/hl7_messages.ts";
import { Hl7Sender } from "@/tests/sites/connections/hl7_sender.ts";
import { mutate } from "@/tests/fuzz/mutate.ts";
import { lastingPort } from "@/tests/sites/lasting_port.ts";
import { until } from "@/tests/sites/until.ts";

const SCRIPT = new URL("../../server/commands/start/gate.ts", import.meta.url).pathname;
const PER_SECOND = 50, BAR_MS = 100, BAR_GROWTH_MB = 32, SENDERS = 4;
/** Time to wait for an answer, ms: a damaged frame without an end gets no answer. */
const ANSWER_MS = 20;
/** Fraction of the damaged frames after which caches are full, and memory is first measured. */
const WARM_PART = 0.2;
const seconds = Number(optionOf("seconds") ?? 60), frames = Number(optionOf("frames") ?? 100_000);
const random = new Random(Number(optionOf("seed") ?? 1));

const message = (control: string) =>
  adt({ event: "A08", id: "4711", control, name: "Doe^Jane", birth: "19600520", sex: "F" });
const quantile = (values: readonly number[], part: number) =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * part)] ?? NaN;

/** Times from the planned sending of each message to its acknowledgement, ms. */
async function timesOf(port: number): Promise<number[]> {
  const times: number[] = [], start = performance.now() + 100;
  await Promise.all(
    Array.from({ length: SENDERS }, async (_, lane) => {
      const sender = await Hl7Sender.connect(port);
      for (let n = lane; n < seconds * PER_SECOND; n += SENDERS) {
        const dueMs = start + n * 1000 / PER_SECOND, waitMs = dueMs - performance.now();
        if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
        const answer = await sender.send(message(`T${n}`));
        if (answer !== "AA") throw new Error(`Message ${n} was answered by ${answer}`);
        times.push(performance.now() - dueMs);
      }
      sender.close();
    }),
  );
  return times;
}

/** Times in which this process forces a file and the folder to disk, ms, for comparison. */
async function forcedTimes(folder: string): Promise<number[]> {
  const times: number[] = [], end = performance.now() + seconds * 1000;
  for (let n = 0; performance.now() < end; n++) {
    const start = performance.now(), path = `${folder}/forced-${n}`;
    {
      using file = await Deno.open(path, { write: true, createNew: true });
      await file.write(new TextEncoder().encode(message(`B${n}`)));
      await file.sync();
    }
    using directory = await Deno.open(folder);
    await directory.sync();
    times.push(performance.now() - start);
    await Deno.remove(path);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return times;
}

/** Sends damaged frames; reconnects when the gate closes the connection or does not answer. */
async function sendDamaged(port: number, count: number): Promise<void> {
  for (let left = count; left > 0;) {
    const connection = await Deno.connect({ hostname: "127.0.0.1", port });
    const buffer = new Uint8Array(4096);
    try {
      for (let most = 20; most > 0 && left > 0; most--, left--) {
        const text = `\x0b${message(`F${left}`)}\x1c\r`;
        const bytes = mutate(new TextEncoder().encode(text), random);
        for (let done = 0; done < bytes.length;) {
          done += await connection.write(bytes.subarray(done));
        }
        let timer: ReturnType<typeof setTimeout> | undefined;
        const silence = new Promise<"silent">((resolve) => {
          timer = setTimeout(resolve, ANSWER_MS, "silent");
        });
        const read = await Promise.race([connection.read(buffer), silence]);
        clearTimeout(timer);
        if (read === "silent" || read === null) break;
      }
    } catch {
      // the gate has closed the connection; the frame that caused this is counted
      left--;
    } finally {
      try {
        connection.close();
      } catch { /* closed already */ }
    }
  }
}

/** Sends all damaged frames; after each part, the gate must answer a valid message. */
async function growthOf(port: number, pid: number): Promise<number> {
  const parts = 50;
  let warmMb = NaN;
  for (let part = 0; part < parts; part++) {
    if (part === Math.round(parts * WARM_PART)) warmMb = memoryOf(pid);
    const each = Math.ceil(frames / parts / SENDERS);
    await Promise.all(Array.from({ length: SENDERS }, () => sendDamaged(port, each)));
    const sender = await Hl7Sender.connect(port);
    const answer = await sender.send(message(`C${part}`));
    sender.close();
    if (answer !== "AA") throw new Error(`After ${part} parts a message got ${answer}`);
  }
  return memoryOf(pid) - warmMb;
}

export async function measureMessages(): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "sulcus-messages-" }), inbox = `${folder}/inbox`;
  const settings: GateSettings = {
    aeTitle: "SULCUS",
    senders: [],
    isAccepting: true,
    maxAssociations: 8,
    hl7: { senders: [{ name: "HIS", addresses: ["127.0.0.1"] }], encoding: "ISO_IR 192" },
  };
  await Deno.mkdir(inbox);
  await Deno.writeTextFile(`${inbox}/${INBOX.settings}`, JSON.stringify(settings));
  const hl7 = { port: lastingPort(), isTls: false };
  const told = {
    host: "127.0.0.1",
    port: lastingPort(),
    hl7,
    inbox,
    socket: `${folder}/gate.sock`,
    tls: null,
    reach: [],
  };
  const process = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", SCRIPT, JSON.stringify(told)],
    stdin: "piped",
    stdout: "null",
    stderr: "inherit",
  }).spawn();
  let isEnded = false;
  void process.status.then(() => isEnded = true);
  const make = rowMaker("gate", 1);
  let rows: ReturnType<typeof make>[], clearing: ReturnType<typeof setInterval> | undefined;
  try {
    await until(() => isListening(hl7.port));
    // the gate has created the folders
    clearing = setInterval(() => {
      for (const name of [INBOX.messages, INBOX.events]) {
        for (const file of Deno.readDirSync(`${inbox}/${name}`)) {
          Deno.removeSync(`${inbox}/${name}/${file.name}`);
        }
      }
    }, 1000);
    await timesOfWarmUp(hl7.port);
    const [times, forced] = await Promise.all([timesOf(hl7.port), forcedTimes(folder)]);
    const p99 = quantile(times, 0.99), forcedMs = quantile(forced, 0.99);
    const growth = await growthOf(hl7.port, process.pid), bar = `≤ ${BAR_GROWTH_MB}`;
    rows = [
      make("HL7 messages, 50 a second: median until AA", quantile(times, 0.5), "ms"),
      make("HL7 messages, 50 a second: p99 until AA", p99, "ms", {
        // a file forced to disk by another program at the same time
        baseline: forcedMs,
        bar: BAR_MS,
        ok: p99 <= BAR_MS,
      }),
      make("damaged MLLP frames", frames, "frames", { ok: !isEnded }),
      make("growth of the gate by the last 80 %", growth, "MB", {
        bar,
        ok: growth <= BAR_GROWTH_MB,
      }),
    ];
  } finally {
    clearInterval(clearing);
    process.kill("SIGKILL");
    await Deno.remove(folder, { recursive: true });
  }
  finish("deno task bench gate --messages", `${seconds} s; ${frames} damaged frames`, rows);
}

/** Sends the first messages, during which the code is compiled. */
async function timesOfWarmUp(port: number): Promise<void> {
  const sender = await Hl7Sender.connect(port);
  for (let n = 0; n < 200; n++) await sender.send(message(`W${n}`));
  sender.close();
}

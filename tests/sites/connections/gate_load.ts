// Senders that do not give up, a gate that is killed and lines that are cut: what was acknowledged must be there.
import { headBytesOf } from "@/gate/receive/part10.ts";
import { INBOX } from "@/gate/link/tasks.ts";
import { oneOf } from "@/gate/dimse/association.ts";
import { COMMAND } from "@/gate/dimse/command.ts";
import { Requestor } from "@/gate/send/requestor.ts";
import { writeInstance } from "@/tests/phantom/dicom_writer.ts";
import { Random } from "@/tests/phantom/random.ts";
import { isListening } from "@/tests/sites/connections/gate_site.ts";
import { lastingPort } from "@/tests/sites/lasting_port.ts";
import { until } from "@/tests/sites/until.ts";

const MR = "1.2.840.10008.5.1.4.1.1.4", EXPLICIT_LE = "1.2.840.10008.1.2.1";
const SCRIPT = new URL("../../../commands/start/gate.ts", import.meta.url).pathname;

export interface GateLoad {
  studies: number;
  instances: number;
  senders: number;
  /** of the gate, without a warning */
  kills: number;
  seed: number;
}

export interface GateLoadResult {
  sent: number;
  /** acknowledged, and not there or with other bytes */
  lost: number;
  changed: number;
  /** there, and never sent */
  doubled: number;
  kills: number;
  cuts: number;
  seconds: number;
}

/** A small image whose pixels say which it is. */
function instance(study: number, at: number): { uid: string; bytes: Uint8Array<ArrayBuffer> } {
  const uid = `1.2.826.0.1.3680043.8.498.${study + 1}.${at + 1}`, side = 48;
  const pixels = new Int16Array(side * side).map((_, v) => (study * 7919 + at * 104729 + v * 31) % 4000);
  const bytes = writeInstance(
    [
      [0x00080016, "UI", MR],
      [0x00080018, "UI", uid],
      [0x00080060, "CS", "MR"],
      [0x00100010, "PN", `Load^${study}`],
      [0x00100020, "LO", `L-${study}`],
      [0x0020000d, "UI", `1.2.826.0.1.3680043.8.498.${study + 1}`],
      [0x0020000e, "UI", `1.2.826.0.1.3680043.8.498.${study + 1}.0`],
    ],
    { columns: side, rows: side, pixels },
    "explicit",
    "ISO_IR 192",
  );
  return { uid, bytes: new Uint8Array(bytes) };
}

/** The gate as a site starts it, killed and started again on the same port. */
class KilledGate {
  #process: Deno.ChildProcess | null = null;
  kills = 0;

  constructor(private readonly folder: string, readonly port: number) {}

  async start(): Promise<void> {
    const told = { host: "127.0.0.1", port: this.port, inbox: `${this.folder}/inbox`, tls: null };
    const socket = `${this.folder}/gate-${this.kills}.sock`;
    this.#process = new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "--no-check", SCRIPT, JSON.stringify({ ...told, socket })],
      stdin: "piped",
      stdout: "null",
      stderr: "null",
    }).spawn();
    await until(() => isListening(this.port));
  }

  async kill(): Promise<void> {
    this.kills++;
    this.#process!.kill("SIGKILL");
    await this.#process!.status;
    await this.start();
  }

  async end(): Promise<void> {
    this.#process!.kill("SIGKILL");
    await this.#process!.status;
  }
}

/**
 * Sends studies by several senders at the same time while the gate is killed and associations are cut; a sender sends what
 * was not acknowledged until all of it is.
 */
export async function runGateLoad(
  folder: string,
  { studies, instances, senders, kills, seed }: GateLoad,
): Promise<GateLoadResult> {
  const inbox = `${folder}/inbox`, port = lastingPort(), gate = new KilledGate(folder, port);
  await Deno.mkdir(inbox, { recursive: true });
  const settings = { aeTitle: "SULCUS", senders: [{ aeTitle: "LOAD", addresses: [] }], isAccepting: true };
  await Deno.writeTextFile(`${inbox}/${INBOX.settings}`, JSON.stringify({ ...settings, maxAssociations: 8 }));
  await gate.start();
  const started = performance.now(), acknowledged = new Set<string>(), random = new Random(seed);
  let cuts = 0;
  const peer = { host: "127.0.0.1", port, called: "SULCUS", calling: "LOAD", tls: false };
  const context = [{ abstractSyntax: MR, transferSyntaxes: [EXPLICIT_LE] }];
  /** One association: as far as it comes. */
  const send = async (all: ReturnType<typeof instance>[]) => {
    const association = await Requestor.open(peer, context, null);
    try {
      const { id } = association.contextOf(MR);
      for (const { uid, bytes } of all) {
        // a cable that is pulled within an object
        if (random.uniform() < 0.01) {
          cuts++;
          return association.drop();
        }
        const command = { sopClassUid: MR, sopInstanceUid: uid, field: COMMAND.store, priority: 0 };
        await association.request(id, command, oneOf(bytes.subarray(headBytesOf(bytes)!)));
        if ((await association.response()).command.status === 0) acknowledged.add(uid);
      }
      await association.close();
    } catch (error) {
      association.drop();
      throw error;
    }
  };
  let next = 0;
  const sender = async () => {
    for (let study = next++; study < studies; study = next++) {
      const all = Array.from({ length: instances }, (_, at) => instance(study, at));
      for (;;) {
        const left = all.filter(({ uid }) => !acknowledged.has(uid));
        if (left.length === 0) break;
        // refused, cut or killed: what was not acknowledged is sent again
        await send(left).catch(() => new Promise((resolve) => setTimeout(resolve, 20)));
      }
    }
  };
  const total = studies * instances;
  const killer = async () => {
    for (let n = 1; n <= kills; n++) {
      while (acknowledged.size < n * total / (kills + 1)) {
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      await gate.kill();
    }
  };
  await Promise.all([...Array.from({ length: senders }, sender), killer()]);
  await gate.end();
  let lost = 0, changed = 0;
  for (let study = 0; study < studies; study++) {
    for (let at = 0; at < instances; at++) {
      const { uid, bytes } = instance(study, at);
      const there = await Deno.readFile(`${inbox}/${INBOX.received}/${uid}.dcm`).catch(() => null);
      if (there === null) lost++;
      else if (!isSame(there.subarray(headBytesOf(there)!), bytes.subarray(headBytesOf(bytes)!))) changed++;
    }
  }
  const found = [...Deno.readDirSync(`${inbox}/${INBOX.received}`)].length;
  const seconds = (performance.now() - started) / 1000;
  return { sent: total, lost, changed, doubled: found - (total - lost), kills: gate.kills, cuts, seconds };
}

const isSame = (a: Uint8Array, b: Uint8Array) =>
  a.length === b.length && a.every((value, at) => value === b[at]);

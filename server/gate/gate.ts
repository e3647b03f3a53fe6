import { setTimeout as sleep } from "node:timers/promises";
import { oneAtATime } from "@/server/gate/one_at_a_time.ts";
import { type Gate, type GateSettings, type GateState, INBOX } from "@/server/gate/link/tasks.ts";
import type { Timeouts } from "@/server/gate/dimse/association.ts";
import { listen, PortError } from "@/server/gate/listen.ts";
import { Acceptor } from "@/server/gate/receive/acceptor.ts";
import { MessageReceiver } from "@/server/gate/receive/message_receiver.ts";
import { InboxWriter } from "@/server/gate/receive/inbox_writer.ts";
import { gateOf } from "@/server/gate/run_task.ts";
import type { OwnCertificates } from "@/server/gate/send/requestor.ts";

const LOOK_MS = 1000, STATE_MS = 5000, REJECTED_MS = 60_000;
/** Settings until the server process has written a settings file: no sender is accepted. */
const CLOSED: GateSettings = { aeTitle: "", senders: [], isAccepting: false, maxAssociations: 8 };

interface GateOptions {
  host: string;
  /** port for DICOM; 0: any free port */
  port: number;
  /** port for HL7 messages (0: any free port), and whether TLS is used; absent: no HL7 */
  hl7?: { port: number; isTls: boolean } | null;
  /** absolute path of the inbox, the folder shared with the server process */
  folder: string;
  own: OwnCertificates | null;
  isAmong(address: string, networks: readonly string[]): boolean;
  /** whether a local or link-local address may be called; absent: no such address */
  isAllowed?: (address: string) => boolean;
  log(text: string): void;
  timeouts?: Timeouts;
  /** maximum size of a received object, bytes; default MAX_OBJECT_BYTES */
  maxObjectBytes?: number;
}

/** A running gate, the process that receives and sends DICOM and HL7. */
export interface OpenGate {
  port: number;
  /** port for HL7 messages; `null` if the gate receives no HL7 messages */
  hl7Port: number | null;
  /** Executes a task of the server process, such as sending files. */
  ask: Gate;
  close(): Promise<void>;
}

/** Opens the port for HL7 messages. @returns `null` if the gate receives no HL7 messages. */
async function openMessages(
  { host, folder, hl7, own, isAmong, log }: GateOptions,
  inbox: InboxWriter,
  settings: () => GateSettings,
) {
  if (!hl7) return null;
  const { port, isTls } = hl7;
  if (isTls && own === null) throw new TypeError("TLS for HL7 needs the certificates of the gate");
  const receiver = new MessageReceiver({ inbox, folder, settings, isAmong, log });
  await receiver.writer.open();
  const listening = await listen(
    host,
    port,
    isTls ? own : null,
    (wire) => void receiver.serve(wire),
  );
  return {
    receiver,
    port: listening.port,
    state: async () => {
      await receiver.writer.count();
      const { connections, totals, writer: { queued } } = receiver;
      return { port: listening.port, isTls, connections, ...totals, queued };
    },
    async close() {
      listening.close();
      await receiver.close();
      await receiver.tellRefused().catch(() => {});
    },
  };
}

/** Delay before another attempt to open a port that is in use. */
const PORT_RETRY_MS = 5000;

/**
 * Starts the gate (network process) as soon as its ports are free; logs each obstacle once.
 * @returns `null` if `leaving` was aborted before.
 */
export async function openGateWhenFree(
  options: GateOptions,
  leaving: AbortSignal,
  { ms, tried }: { ms: number; tried?: () => void } = { ms: PORT_RETRY_MS },
): Promise<OpenGate | null> {
  for (let logged = ""; !leaving.aborted;) {
    try {
      const gate = await openGate(options);
      if (logged) options.log("The ports are open now.");
      return gate;
    } catch (error) {
      if (!(error instanceof PortError)) throw error;
      if (error.message !== logged) {
        options.log(`${error.message}. It is tried again every ${ms / 1000} s.`);
      }
      logged = error.message;
      tried?.();
      await sleep(ms, undefined, { signal: leaving }).catch(() => {});
    }
  }
  return null;
}

/** Starts the gate: opens ports, reads the settings when they change, writes its state. */
export async function openGate(options: GateOptions): Promise<OpenGate> {
  const { host, folder, own, log, isAmong, timeouts, maxObjectBytes } = options;
  const inbox = new InboxWriter(folder, maxObjectBytes);
  await inbox.open();
  let settings = CLOSED, mark = "";
  const look = async () => {
    const path = `${folder}/${INBOX.settings}`, info = await Deno.stat(path).catch(() => null);
    const currentMark = `${info?.mtime?.getTime()}/${info?.ino}/${info?.size}`;
    if (info === null || currentMark === mark) return;
    try {
      settings = JSON.parse(await Deno.readTextFile(path)) as GateSettings;
      mark = currentMark;
    } catch (error) {
      log(`Cannot read the settings: ${error}`);
    }
  };
  await look();
  const acceptor = new Acceptor({ inbox, settings: () => settings, isAmong, log, timeouts });
  const listening = await listen(host, options.port, own, (wire) => void acceptor.serve(wire));
  const messages = await openMessages(options, inbox, () => settings).catch((error) => {
    listening.close();
    inbox.close();
    throw error;
  });
  const startedAt = new Date().toISOString();
  const say = async () => {
    const state: GateState = {
      at: new Date().toISOString(),
      startedAt,
      port: listening.port,
      isTls: own !== null,
      associations: acceptor.associations,
      ...acceptor.totals,
      rssBytes: Deno.memoryUsage().rss,
      ...messages && { hl7: await messages.state() },
    };
    const path = `${folder}/${INBOX.state}`;
    await Deno.writeTextFile(`${path}.part`, JSON.stringify(state), { mode: 0o600 });
    await Deno.rename(`${path}.part`, path);
  };
  const underWay = new Set<Promise<void>>();
  const quietly = (work: () => Promise<void>) => () => {
    const working = work().catch((error) => log(`Cannot write into the inbox: ${error}`))
      .finally(() => underWay.delete(working));
    underWay.add(working);
  };
  await say().catch(() => {});
  const timers = [
    setInterval(quietly(oneAtATime(look)), LOOK_MS),
    setInterval(quietly(oneAtATime(say)), STATE_MS),
    setInterval(quietly(() => acceptor.tellRejected()), REJECTED_MS),
    ...messages
      ? [
        setInterval(quietly(oneAtATime(() => messages.receiver.writer.count())), LOOK_MS),
        setInterval(quietly(() => messages.receiver.tellRefused()), REJECTED_MS),
      ]
      : [],
  ];
  return {
    port: listening.port,
    hl7Port: messages?.port ?? null,
    ask: gateOf(inbox, folder, own, options.isAllowed ?? (() => false)),
    async close() {
      timers.forEach(clearInterval);
      listening.close();
      await messages?.close();
      await acceptor.close();
      await acceptor.tellRejected().catch(() => {});
      await Promise.all(underWay);
      inbox.close();
    },
  };
}

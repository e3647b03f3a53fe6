import { oneAtATime } from "@/server/gate/one_at_a_time.ts";
import { type Gate, type GateSettings, type GateState, INBOX } from "@/server/gate/link/tasks.ts";
import type { Timeouts } from "@/server/gate/dimse/association.ts";
import { listen } from "@/server/gate/listen.ts";
import { Acceptor } from "@/server/gate/receive/acceptor.ts";
import { InboxWriter } from "@/server/gate/receive/inbox_writer.ts";
import { gateOf } from "@/server/gate/run_task.ts";
import type { OwnCertificates } from "@/server/gate/send/requestor.ts";

const LOOK_MS = 1000, STATE_MS = 5000, REJECTED_MS = 60_000;
/** Settings before the server has written any: no sender is accepted. */
const CLOSED: GateSettings = { aeTitle: "", senders: [], isAccepting: false, maxAssociations: 8 };

interface GateOptions {
  host: string;
  /** 0: any free one */
  port: number;
  /** the inbox, absolute */
  folder: string;
  own: OwnCertificates | null;
  isAmong(address: string, networks: readonly string[]): boolean;
  /** whether an address of this machine, or a link-local one, may be called; absent: none may */
  isAllowed?: (address: string) => boolean;
  log(text: string): void;
  timeouts?: Timeouts;
  /** of one object; see MAX_OBJECT_BYTES */
  maxObjectBytes?: number;
}

/** A gate at work. */
export interface OpenGate {
  port: number;
  /** does the server's tasks */
  ask: Gate;
  close(): Promise<void>;
}

/** Opens the gate: listens, follows the settings in the inbox, writes its state now and then. */
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
  ];
  return {
    port: listening.port,
    ask: gateOf(inbox, folder, own, options.isAllowed ?? (() => false)),
    async close() {
      timers.forEach(clearInterval);
      listening.close();
      await acceptor.close();
      await acceptor.tellRejected().catch(() => {});
      await Promise.all(underWay);
      inbox.close();
    },
  };
}

import type { Gate, GateEvent, GateSettings } from "@/server/gate/link/tasks.ts";
import { INBOX } from "@/server/gate/link/tasks.ts";
import { type OpenGate, openGate } from "@/server/gate/gate.ts";
import { oneOf } from "@/server/gate/dimse/association.ts";
import { COMMAND } from "@/server/gate/dimse/command.ts";
import { plainWire } from "@/server/gate/dimse/wire.ts";
import { Requestor } from "@/server/gate/send/requestor.ts";
import { headBytesOf, readMeta } from "@/server/gate/receive/part10.ts";
import { networkList } from "@/model/site/networks.ts";

/** A gate that is passed to a core before the data folder exists, and opened later by `open`. */
export class LateGate {
  #gate: OpenGate | null = null;
  /** the function that the core calls */
  readonly ask: Gate = (task, signal) => this.#gate!.ask(task, signal);

  async open(dataDir: string): Promise<OpenGate> {
    return this.#gate = await openTestGate(`${await Deno.realPath(dataDir)}/inbox`);
  }
  async close(): Promise<void> {
    await this.#gate?.close();
  }
}

/** A gate on a free port of this machine. */
const openTestGate = (folder: string): Promise<OpenGate> =>
  openGate({
    host: "127.0.0.1",
    port: 0,
    hl7: { port: 0, isTls: false },
    folder,
    own: null,
    isAmong: (address, networks) => networkList(networks).has(address),
    isAllowed: () => true,
    log: () => {},
  });

/** A PACS that stores all received objects: a second gate, with access to its files and events. */
export async function openArchive(aeTitle: string, senders: readonly string[]) {
  const folder = await Deno.makeTempDir({ prefix: "sulcus-archive-" });
  const settings: GateSettings = {
    aeTitle,
    senders: senders.map((aeTitle) => ({ aeTitle, addresses: [] })),
    isAccepting: true,
    maxAssociations: 8,
  };
  await Deno.writeTextFile(`${folder}/${INBOX.settings}`, JSON.stringify(settings));
  const gate = await openTestGate(folder);
  return {
    gate,
    files: () =>
      [...Deno.readDirSync(`${folder}/${INBOX.received}`)].map(({ name }) =>
        `${folder}/${INBOX.received}/${name}`
      ),
    events: () =>
      [...Deno.readDirSync(`${folder}/${INBOX.events}`)].map(({ name }) =>
        JSON.parse(Deno.readTextFileSync(`${folder}/${INBOX.events}/${name}`)) as GateEvent
      ),
    async close() {
      await gate.close();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

/** Sends files unchanged in one association. @returns the status of each file. */
export async function sendFiles(
  port: number,
  calling: string,
  files: readonly { bytes: Uint8Array<ArrayBuffer> }[],
): Promise<number[]> {
  const metas = await Promise.all(
    files.map(async ({ bytes }) => (await readMeta(oneOf(bytes))).meta!),
  );
  const contexts = [...new Map(metas.map(({ sopClassUid, transferSyntax }) => [
    `${sopClassUid} ${transferSyntax}`,
    { abstractSyntax: sopClassUid, transferSyntaxes: [transferSyntax] },
  ])).values()];
  const peer = { host: "127.0.0.1", port, called: "SULCUS", calling, tls: false };
  const association = await Requestor.open(peer, contexts, null);
  const statuses: number[] = [];
  for (const [at, { bytes }] of files.entries()) {
    const { sopClassUid, sopInstanceUid, transferSyntax } = metas[at]!;
    const { id } = association.contextOf(sopClassUid, transferSyntax);
    const command = { sopClassUid, sopInstanceUid, field: COMMAND.store, priority: 0 };
    await association.request(id, command, oneOf(bytes.subarray(headBytesOf(bytes)!)));
    statuses.push((await association.response()).command.status ?? -1);
  }
  await association.close();
  return statuses;
}

/** Whether a process listens on a port of this machine. */
export async function isListening(port: number): Promise<boolean> {
  try {
    plainWire(await Deno.connect({ hostname: "127.0.0.1", port })).close();
    return true;
  } catch {
    return false;
  }
}

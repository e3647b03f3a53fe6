// An information system that receives HL7 messages from a site.
import type { Api } from "@/client/api/http.ts";
import { getConnections, repeatResults, savePeer } from "@/client/api/connections/connections.ts";
import { insertOutbox } from "@/server/core/connections/storage/outbox.ts";
import type { Ledger } from "@/tests/endurance/crash/load.ts";
import { openBeside } from "@/tests/sites/core_site.ts";

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Parts of a rehearsal's scene that messages need. */
interface MessageScene {
  readonly api: Api;
  readonly dataDir: string;
  readonly ledger: Ledger;
  readonly isOver: boolean;
  proxied(api: Api): Api;
}

/** Starts an HL7 listener that acknowledges all messages. */
export function openListener(): { port: number; close(): void } {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const serve = async (connection: Deno.Conn) => {
    const buffer = new Uint8Array(1 << 16);
    for (let text = "";;) {
      const count = await connection.read(buffer);
      if (count === null) break;
      text = (text + new TextDecoder("latin1").decode(buffer.subarray(0, count))).slice(-1_000_000);
      if (!text.includes("\x1c")) continue;
      const id = /MSH\|(?:[^|]*\|){8}([^|]*)/.exec(text)?.[1] ?? "";
      const answer = `\x0bMSH|^~\\&|RIS|H|SULCUS|H|20260101||ACK|1|P|2.5\rMSA|AA|${id}\r\x1c\r`;
      await connection.write(new TextEncoder().encode(answer));
      text = "";
    }
    connection.close();
  };
  (async () => {
    for await (const connection of listener) serve(connection).catch(() => {});
  })().catch(() => {});
  return { port: listener.addr.port, close: () => listener.close() };
}

/** Adds the listener as a remote system, with results of the sent studies for it. */
export async function addListener(scene: MessageScene, port: number): Promise<number[]> {
  const config = { host: "127.0.0.1", port, results: ["hl7" as const], by_rule: true };
  const peerId = await savePeer(scene.api, null, { name: "RIS", kind: "hl7", config });
  const db = await openBeside(scene.dataDir), { sent } = scene.ledger.exchange!;
  try {
    const [run] = await db.selectFrom("outbox").select("run").limit(1).execute();
    const entries = sent.map(({ pid }) => ({ peerId, pid, run: run!.run, kind: "hl7" as const }));
    await insertOutbox(db, entries, "2026-01-06T10:00:00Z");
    const rows = await db.updateTable("outbox").set({ state: "nothing" }).where("kind", "=", "hl7")
      .returning("id").execute();
    return rows.map(({ id }) => id);
  } finally {
    await db.destroy();
  }
}

/** Requests the messages again whenever none is pending. */
export async function repeatMessages(scene: MessageScene, ids: readonly number[]): Promise<void> {
  while (!scene.isOver) {
    await pause(2000);
    const api = scene.proxied(scene.api);
    await getConnections(api).then(async ({ outbox }) => {
      const ready = outbox.filter(({ id, state }) =>
        ids.includes(id) && /sent|failed|nothing/.test(state)
      );
      if (ready.length > 0) await repeatResults(api, ready.map(({ id }) => id));
    }).catch(() => {});
  }
}

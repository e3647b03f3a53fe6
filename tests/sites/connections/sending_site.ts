// A core that sends results to archives, which are other gates of this program.
import assert from "node:assert/strict";
import { getConnections, getSentResults, savePeer } from "@/client/api/connections/connections.ts";
import type { PeerConfig } from "@/model/schema/connections/connections.ts";
import { insertOutbox } from "@/server/core/connections/storage/outbox.ts";
import { parsedFile } from "@/tests/sites/connections/dicom3tools.ts";
import { LateGate, openArchive } from "@/tests/sites/connections/gate_site.ts";
import { openBeside, type TestCore, withCore } from "@/tests/sites/core_site.ts";
import { until } from "@/tests/sites/until.ts";

/** DICOM objects by SOP class. */
export const objectsOf = (paths: readonly string[]) =>
  Map.groupBy(paths.map(parsedFile), (dataSet) => dataSet.string("x00080016") ?? "");

/** Sends results of a study to a new archive. @returns the paths of the files that it received. */
export type SendResults = (pid: number, config: Partial<PeerConfig>) => Promise<string[]>;

/** A test of a core that sends to archives; `received`: files that the newest archive has. */
export function sendingTest(
  name: string,
  body: (
    test: TestCore,
    send: SendResults,
    received: () => string[],
  ) => Promise<void>,
  isIgnored = false,
): void {
  Deno.test({ name, ignore: isIgnored }, () => {
    const gate = new LateGate();
    return withCore(async (test) => {
      const { api, dataDir } = test;
      await gate.open(dataDir);
      const archives: Awaited<ReturnType<typeof openArchive>>[] = [];
      try {
        await body(test, async (pid, config) => {
          const archive = await openArchive("PACS", ["SULCUS"]), db = await openBeside(dataDir);
          archives.push(archive);
          const peerId = await savePeer(api, null, {
            name: `PACS ${archives.length}`,
            kind: "dicom",
            config: { ae_title: "PACS", host: "127.0.0.1", port: archive.gate.port, ...config },
          });
          const entries = (config.results ?? []).map((kind) => ({ peerId, pid, run: "1,2", kind }));
          await insertOutbox(db, entries, "2026-01-06T10:00:00Z");
          await db.destroy();
          const sent = await until(async () => {
            const { results } = await getSentResults(api, pid);
            return results.every(({ state }) => state !== "waiting" && state !== "sending")
              ? results
              : null;
          });
          assert.deepEqual(sent.filter(({ state }) => state !== "sent"), []);
          return archive.files();
        }, () => archives.at(-1)!.files());
        assert.ok((await getConnections(api)).peers.every(({ last_error }) => last_error === null));
      } finally {
        for (const archive of archives) await archive.close();
        await gate.close();
      }
    }, { gate: { ask: gate.ask, aeTitle: "SULCUS" } });
  });
}

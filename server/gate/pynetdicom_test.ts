// The gate against pynetdicom, as sender and as archive.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { type GateEvent, type GateSettings, INBOX } from "@/server/gate/link/tasks.ts";
import { STATUS } from "@/server/gate/dimse/uids.ts";
import { oneOf } from "@/server/gate/dimse/association.ts";
import { openGate } from "@/server/gate/gate.ts";
import { headBytesOf, readMeta } from "@/server/gate/receive/part10.ts";
import { noPython, runPython, startPython } from "@/tests/sites/connections/python_peers.ts";
import { phantomSeries } from "@/tests/sites/phantom_series.ts";
import { until } from "@/tests/sites/until.ts";

interface Heard {
  stored?: string;
  syntax?: string;
  sha256?: string;
  reported?: number;
}

Deno.test({
  name:
    `pynetdicom's objects arrive as they are, ours arrive there, and it commits to them ${noPython}`,
  ignore: noPython !== "",
  fn: async () => {
    const folder = await Deno.makeTempDir({ prefix: "sulcus-pynetdicom-" });
    const senders = ["PEER", "PYNETDICOM"].map((aeTitle) => ({ aeTitle, addresses: [] }));
    const settings: GateSettings = {
      aeTitle: "SULCUS",
      senders,
      isAccepting: true,
      maxAssociations: 8,
    };
    await Deno.writeTextFile(`${folder}/${INBOX.settings}`, JSON.stringify(settings));
    const options = {
      host: "127.0.0.1",
      port: 0,
      folder,
      own: null,
      isAmong: () => true,
      isAllowed: () => true,
      log: () => {},
    };
    const gate = await openGate(options);
    try {
      const whole = phantomSeries("short", "P-1").slice(0, 5), sent = `${folder}/to_send`;
      await Deno.mkdir(sent);
      const files = await Promise.all(whole.map(async ({ bytes }, at) => {
        const path = `${sent}/${at}.dcm`,
          { sopInstanceUid, sopClassUid, transferSyntax } = (await readMeta(oneOf(bytes))).meta!;
        await Deno.writeFile(path, bytes);
        return {
          path,
          sopInstanceUid,
          sopClassUid,
          transferSyntax,
          dataSet: bytes.subarray(headBytesOf(bytes)!),
        };
      }));
      const said = await runPython("pynetdicom_send.py", String(gate.port), sent);
      assert.deepEqual(said, { statuses: Array(6).fill(STATUS.success), refused: true });
      for (const { sopInstanceUid, dataSet } of files) {
        const stored = await Deno.readFile(`${folder}/${INBOX.received}/${sopInstanceUid}.dcm`);
        assert.deepEqual(stored.subarray(headBytesOf(stored)!), dataSet);
      }

      await using archive = await startPython<Heard>("pynetdicom_archive.py", String(gate.port));
      const peer = {
        host: "127.0.0.1",
        port: archive.port,
        called: "PYNETDICOM",
        calling: "SULCUS",
        tls: false,
      };
      assert.equal((await gate.ask({ kind: "echo", peer })).status, STATUS.success);
      const waiting = await Promise.all(files.map(async ({ path, dataSet: _, ...file }, at) => {
        const waits = `${folder}/${INBOX.sent}/${at}.dcm`;
        await Deno.copyFile(path, waits);
        return { ...file, path: waits };
      }));
      assert.equal(
        (await gate.ask({ kind: "store", peer, files: waiting })).status,
        STATUS.success,
      );
      const instances = files.map(({ sopClassUid, sopInstanceUid }) => ({
        sopClassUid,
        sopInstanceUid,
      }));
      assert.equal(
        (await gate.ask({ kind: "commit", peer, transactionUid: "1.2.7", instances })).status,
        0,
      );
      await until(() => archive.said().some(({ reported }) => reported === STATUS.success));
      const shas = new Map(archive.said().map(({ stored, sha256 }) => [stored, sha256]));
      for (const { sopInstanceUid, dataSet } of files) {
        assert.equal(shas.get(sopInstanceUid), createHash("sha256").update(dataSet).digest("hex"));
      }
      const events = [...Deno.readDirSync(`${folder}/${INBOX.events}`)].map(({ name }) =>
        JSON.parse(Deno.readTextFileSync(`${folder}/${INBOX.events}/${name}`)) as GateEvent
      );
      const result = events.find((event) => event.type === "commit_result");
      assert.ok(result?.type === "commit_result");
      assert.deepEqual(
        result.committed.toSorted(),
        instances.map((one) => one.sopInstanceUid).sort(),
      );
    } finally {
      await gate.close();
      await Deno.remove(folder, { recursive: true });
    }
  },
});

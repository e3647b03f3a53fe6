// Several cores on one PostgreSQL database: changes of one core reach the others.
/// <reference path="../../../server/core/database/pg.d.ts" />
import assert from "node:assert/strict";
import pg from "pg";
import { login } from "@/client/api/accounts/auth.ts";
import { type Api, callJson } from "@/client/api/http.ts";
import { getLabels, saveLabels } from "@/client/api/worklist/labels.ts";
import { getUploadState } from "@/client/api/studies/upload.ts";
import { claimEdit, listPatients, updatePatient } from "@/client/api/studies/patients.ts";
import { type Core, createCore } from "@/server/core/mod.ts";
import type { ServerEvent } from "@/model/schema/site/events.ts";
import { openPostgres } from "@/server/core/database/postgres.ts";
import { addUser } from "@/server/core/accounts/service/users.ts";
import { EMAIL, PASSWORD } from "@/tests/sites/core_site.ts";
import { insertPatient } from "@/server/core/studies/storage/patients.ts";
import { postgresTest, type TestDatabase } from "@/tests/sites/databases.ts";
import { type PhantomFile, phantomSeries } from "@/tests/sites/phantom_series.ts";
import { uploadResponse } from "@/model/schema/studies/upload.ts";
import { newStudy } from "@/tests/sites/stored_studies.ts";
import { until } from "@/tests/sites/until.ts";

interface Peer {
  core: Core;
  api: Api;
  events: ServerEvent[];
}

/** Two cores with separate data folders and a common blob folder, each with another physician. */
async function withPeers(
  database: TestDatabase,
  body: (first: Peer, second: Peer) => Promise<void>,
): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "sulcus-test-" }), peers: Peer[] = [];
  const users = [EMAIL, "other@hospital.test"];
  try {
    Deno.mkdirSync(`${folder}/blobs`);
    for (const [n, email] of users.entries()) {
      const dataDir = `${folder}/${n}`;
      Deno.mkdirSync(dataDir);
      Deno.symlinkSync(`${folder}/blobs`, `${dataDir}/blobs`);
      const core = await createCore({
        dataDir,
        databaseUrl: database.url,
        workers: 0,
        adminEmail: EMAIL,
        adminPassword: PASSWORD,
      });
      if (n > 0) {
        const db = await openPostgres(database.url!);
        await addUser(db, { email, name: "Dr Other", password: PASSWORD });
        await db.destroy();
      }
      const events: ServerEvent[] = [], open: Api = { send: core.fetch, origin: "http://core" };
      core.subscribe((event) => void events.push(event));
      const { access_token } = await login(open, { email, password: PASSWORD });
      peers.push({ core, api: { ...open, token: access_token }, events });
    }
    await body(peers[0]!, peers[1]!);
  } finally {
    for (const { core } of peers) await core.close();
    await Deno.remove(folder, { recursive: true });
  }
}

async function addStudy(database: TestDatabase, n: number): Promise<void> {
  const db = await openPostgres(database.url!);
  await insertPatient(db, newStudy(n));
  await db.destroy();
}

// covers: S-65
postgresTest(
  "an edit in one core shows in the other's list and reaches its browsers; only numbers travel between them",
  (database) =>
    withPeers(database, async (first, second) => {
      await addStudy(database, 1);
      const told: string[] = [], wire = new pg.Client({ connectionString: database.url! });
      wire.on("notification", ({ payload }) => void told.push(payload!));
      await wire.connect();
      await wire.query("LISTEN sulcus");
      assert.equal((await listPatients(first.api, {})).total, 1);
      await claimEdit(second.api, 1);
      await assert.rejects(claimEdit(first.api, 1), { code: "study.being_edited", status: 409 });
      const update = {
        patient_id: "P-1",
        patient_name: "Renamed",
        patient_sex: "male" as const,
        patient_birthdate: "1960-05-20",
        study_date: "2026-01-05",
      };
      await assert.rejects(updatePatient(first.api, 1, update), {
        code: "study.being_edited",
        status: 409,
      });
      await updatePatient(second.api, 1, update);
      // the first core's index is current, whether or not the event has arrived
      assert.equal((await listPatients(first.api, { search_string: "renamed" })).total, 1);
      const heard = () => first.events.filter((event) => event.event.startsWith("study_"));
      await until(() => heard().length === 3);
      assert.deepEqual(heard(), [
        { event: "study_editing", pid: 1, uid: 2, user: "Dr Other" },
        { event: "study_editing", pid: 1, uid: 2, user: null },
        { event: "study_update", pid: 1, uid: 2 },
      ]);
      // a core does not receive its own events again
      assert.equal(second.events.filter((event) => event.event === "study_update").length, 1);
      await wire.end();
      assert.ok(
        told.length >= 3 && told.every((text) => !/Other|Renamed|P-1/.test(text)),
        told.join(),
      );
    }),
);

// covers: S-65
postgresTest(
  "labels saved in two cores from the same state: one is stored, the other is refused",
  (database) =>
    withPeers(database, async ({ api: first }, { api: second }) => {
      await addStudy(database, 1);
      const [a, b] = await Promise.all([getLabels(first), getLabels(second)]);
      const named = (label_name: string) => [{ id: -1, label_name, patients: [1], filters: [] }];
      const ends = await Promise.all([
        saveLabels(first, named("Stroke"), a.version).then(() => "stored", (error) => error.status),
        saveLabels(second, named("Trial"), b.version).then(() => "stored", (error) => error.status),
      ]);
      assert.deepEqual(ends.sort(), [409, "stored"]);
      const after = await getLabels(first);
      assert.equal(after.labels.length, 1);
      await assert.rejects(
        saveLabels(second, [...after.labels, ...named(after.labels[0]!.label_name)], after.version),
        { code: "label.duplicate", status: 409 },
      );
    }),
);

// covers: S-65
postgresTest(
  "a record that is claimed in two cores at once goes to one",
  (database) =>
    withPeers(database, async (first, second) => {
      for (let n = 1; n <= 4; n++) await addStudy(database, n);
      // both claim every study at the same time: exactly one succeeds
      for (const pid of [1, 2, 3, 4]) {
        const ends = await Promise.all(
          [first, second].map(({ api }) =>
            claimEdit(api, pid).then(() => "mine", (error) => error.code)
          ),
        );
        assert.deepEqual(ends.sort(), ["mine", "study.being_edited"]);
      }
    }),
);

// covers: S-16
postgresTest(
  "an upload that one core has begun is finished by another, with the files that the first took in",
  (database) =>
    withPeers(database, async (first, second) => {
      // the same user's session at both cores
      const api = { ...first.api, send: second.api.send }, id = "0123456789abcdef0123456789abcdef";
      const files = phantomSeries("short", "BOTH-1");
      const part = (to: Api, some: readonly PhantomFile[], is_last: string) => {
        const body = new FormData();
        for (const { fileName, bytes } of some) {
          body.append("dicom_files", new Blob([bytes]), fileName);
        }
        const query = { upload_id: id, is_last, file_count: files.length };
        return callJson(to, uploadResponse, "/api/v1/patients", { method: "POST", query, body });
      };
      await part(first.api, files.slice(0, 40), "0");
      assert.equal((await getUploadState(api, id)).received.length, 40);
      assert.equal((await part(api, files.slice(40), "1")).success, 1);
      // the last part repeated at the first core gives the same response
      assert.deepEqual((await part(first.api, [], "1")).pid_list, [1]);
      assert.equal((await listPatients(first.api, {})).total, 1);
    }),
);

// covers: D1-4.42, D1-5.14, D1-7.20, S-32
import assert from "node:assert/strict";
import { cpuUsage } from "node:process";
import type { Api } from "@/client/api/http.ts";
import { getLabels, listLabels, saveLabels } from "@/client/api/worklist/labels.ts";
import { getPatient } from "@/client/api/studies/patients.ts";
import { colleague, coreTest } from "@/tests/sites/core_site.ts";
import { addStudies } from "@/tests/sites/stored_studies.ts";

const item = (id: number, label_name: string, patients: number[] = []) => ({
  id,
  label_name,
  patients,
});
const names = async (api: Api, pid: number) =>
  (await getPatient(api, pid)).label_list.map(({ label_name }) => label_name);

// covers: D1-3.5
coreTest(
  "saveLabels() adds, renames, exchanges, removes and tells which studies changed",
  async ({ api, dataDir, events }) => {
    await addStudies(dataDir, 3);
    const first = await saveLabels(api, [item(-1, " Follow-up ", [1, 2]), item(-2, "추적", [1])]);
    assert.deepEqual(first.id_map, { "-1": 1, "-2": 2 });
    assert.deepEqual(first.labels, [
      { id: 1, label_name: "Follow-up", patients: [1, 2], filters: [] },
      { id: 2, label_name: "추적", patients: [1], filters: [] },
    ]);
    assert.deepEqual((await listLabels(api)).labels, [{ id: 1, label_name: "Follow-up" }, {
      id: 2,
      label_name: "추적",
    }]);
    assert.deepEqual(await names(api, 1), ["Follow-up", "추적"]);
    assert.deepEqual(events.at(-1)?.event, { event: "label_update", pid_list: [1, 2], uid: 1 });

    await saveLabels(api, [item(2, "Follow-up", [1]), item(1, "추적", [1, 2])]);
    assert.deepEqual(await names(api, 2), ["추적"]);
    // saving unchanged labels sends no event
    const count = events.length;
    await saveLabels(api, [item(2, "Follow-up", [1]), item(1, "추적", [1, 2])]);
    assert.equal(events.length, count);

    // study 9 does not exist; label 1 is omitted and thereby deleted
    const last = await saveLabels(api, [item(2, "Follow-up", [3, 9])]);
    assert.deepEqual(last.labels, [{ id: 2, label_name: "Follow-up", patients: [3], filters: [] }]);
    assert.deepEqual([await names(api, 1), await names(api, 3)], [[], ["Follow-up"]]);
    // ids of deleted labels are not reused
    assert.deepEqual((await saveLabels(api, [item(-5, "x")])).id_map, { "-5": 3 });
  },
);

coreTest(
  "saveLabels() refuses empty, long and repeated names and changes nothing",
  async ({ api, dataDir }) => {
    await addStudies(dataDir, 1);
    await saveLabels(api, [item(-1, "Stroke", [1])]);
    const before = await getLabels(api);
    const refused: [string, ReturnType<typeof item>[]][] = [
      ["label.duplicate", [item(1, "Stroke"), item(-1, " sTROKE ")]],
      ["label.duplicate", [item(-1, "가"), item(-2, "가".normalize("NFD"))]],
      ["input.invalid", [item(1, "   ")]],
      ["input.invalid", [item(1, "x".repeat(21))]],
      ["input.invalid", [item(1, "a"), item(1, "b")]],
      ["input.invalid", [item(0, "a")]],
      ["label.changed", [item(7, "a")]],
    ];
    for (const [code, items] of refused) await assert.rejects(saveLabels(api, items), { code });
    assert.deepEqual(await getLabels(api), before);
    // the limit is 20 characters, not 20 UTF-16 code units
    await saveLabels(api, [item(1, "🧠".repeat(20), [1])]);
  },
);

coreTest(
  "saveLabels() from an outdated state is refused instead of deleting a colleague's label",
  async ({ api, open, dataDir }) => {
    const other = await colleague(open, dataDir);
    const { version } = await getLabels(api);
    assert.ok(version);
    await saveLabels(other, [item(-1, "Theirs")], version);
    await assert.rejects(saveLabels(api, [item(-1, "Mine")], version), { code: "label.changed" });
    const now = await getLabels(api);
    const saved = await saveLabels(api, [...now.labels, item(-1, "Mine")], now.version);
    assert.deepEqual(saved.labels.map((label) => label.label_name), ["Theirs", "Mine"]);
    assert.equal(saved.version, (await getLabels(other)).version);
  },
);

coreTest(
  "labels of very many lists or numbers are refused before they fill the memory",
  async ({ core, api }) => {
    const labelsWith = (numbers: string) =>
      `[{"id":-1,"label_name":"a","filters":[],"patients":[${numbers}]}]`;
    const bodies = {
      lists: `[${"[],".repeat(400_000)}[]]`,
      "wrong numbers": labelsWith(`${"0,".repeat(200_000)}0`),
      "a million wrong numbers": labelsWith(`${"0,".repeat(999_990)}0`),
      "a wrong number after right ones": labelsWith(`${"1,".repeat(999_990)}0`),
      "a million texts": labelsWith(`${'"",'.repeat(999_990)}0`),
      "8 million wrong numbers": labelsWith(`${"0,".repeat(8_000_000)}0`),
    };
    for (const [name, body] of Object.entries(bodies)) {
      const headers = { "content-type": "application/json", authorization: `Bearer ${api.token}` };
      const before = Deno.memoryUsage().rss, started = cpuUsage();
      const request = new Request("http://core/api/v1/labels", { method: "PUT", body, headers });
      const answer = await core.fetch(request);
      const { user } = cpuUsage(started), addedMb = (Deno.memoryUsage().rss - before) / 1e6;
      assert.equal(answer.status, 400, name);
      assert.equal((await answer.json()).code, "input.invalid", name);
      assert.ok(user < 5_000_000, `${name}: ${user / 1000} ms`);
      assert.ok(addedMb < 200, `${name}: ${addedMb} MB`);
    }
  },
);

coreTest("saveLabels() takes as many studies as a large site has", async ({ api, dataDir }) => {
  await addStudies(dataDir, 2);
  const unknown = Array.from({ length: 60_000 }, (_, n) => n + 3);
  const { labels } = await saveLabels(api, [item(-1, "Stroke", [1, 2, ...unknown])]);
  assert.deepEqual(labels[0]?.patients, [1, 2]);
});

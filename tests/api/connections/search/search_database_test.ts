// covers: S-121
// Searches of DICOMweb are answered from the database: no file is read, and one that cannot be read is set aside.
import assert from "node:assert/strict";
import { uploadFiles } from "@/client/api/studies/patients.ts";
import { CatchUp } from "@/server/core/jobs/catch_up.ts";
import { DiskBlobs } from "@/server/core/blobs/blobs.ts";
import { blobPath } from "@/server/core/blobs/blob_file.ts";
import { headersCatchUp } from "@/server/core/studies/service/headers/series_headers.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { coreTest, openBeside, type TestCore } from "@/tests/sites/core_site.ts";
import { phantomSeries } from "@/tests/sites/phantom_series.ts";
import { until } from "@/tests/sites/until.ts";

const STUDIES = "/api/v1/dicomweb/studies";
type Attributes = Record<string, { Value?: unknown[] }>;

async function found({ core, api }: TestCore, path: string): Promise<Attributes[]> {
  const headers = { authorization: `Bearer ${api.token}` };
  const answer = await core.fetch(new Request(`http://core${path}`, { headers })),
    text = await answer.text();
  assert.ok([200, 204].includes(answer.status), `${path}: ${answer.status} ${text.slice(0, 300)}`);
  return text === "" ? [] : JSON.parse(text);
}

const valueOf = (one: Attributes | undefined, tag: string) => one?.[tag]?.Value?.[0];

/** What searches on every level answer. */
async function answers(test: TestCore): Promise<unknown[]> {
  const all = await found(test, `${STUDIES}?includefield=00181030`), results: unknown[] = [all];
  for (
    const query of [
      "PatientName=*%5E*",
      "StudyDate=19000101-",
      "PatientID=SEARCH-1",
      "PatientName=NOBODY",
    ]
  ) {
    results.push(await found(test, `${STUDIES}?${query}`));
  }
  for (const one of all) {
    const study = valueOf(one, "0020000D"),
      instances = await found(test, `${STUDIES}/${study}/instances`);
    results.push(await found(test, `${STUDIES}/${study}/series`), instances);
    const sop = valueOf(instances[3], "00080018");
    results.push(await found(test, `/api/v1/dicomweb/instances?SOPInstanceUID=${sop}`));
  }
  return results;
}

const upload = async (test: TestCore, name: string) =>
  (await uploadFiles(test.api, phantomSeries("short", name))).pid_list[0]!;

/** Runs the catch-up of headers over a site until it is over. @returns what it warned of. */
async function catchUp({ dataDir }: TestCore): Promise<Record<string, unknown>[]> {
  const db = await openBeside(dataDir),
    blobs = new DiskBlobs(`${dataDir}/blobs`, { isShared: true });
  const warnings: Record<string, unknown>[] = [];
  const log: ServiceContext["log"] = (level, message, fields) => {
    if (level === "warn") warnings.push({ message, ...fields });
  };
  const later = new CatchUp([headersCatchUp({ db, blobs, log } as unknown as ServiceContext)], log);
  later.begin();
  await until(() => later.waiting === 0);
  await later.close();
  await db.destroy();
  return warnings;
}

/** As an earlier version left the site: nothing is known of the headers, and a long one has said nothing. */
async function forgetHeaders({ dataDir }: TestCore): Promise<void> {
  const db = await openBeside(dataDir);
  await db.deleteFrom("series_headers").execute();
  await db.updateTable("instances").set({
    sop_class: null,
    instance_number: null,
    pixel_rows: null,
  })
    .execute();
  await db.updateTable("patients").set({ accession_number: "" }).execute();
  await db.destroy();
}

coreTest("searches answer the same when every stored file is gone", async (test) => {
  for (const name of ["SEARCH-1", "SEARCH-2"]) await upload(test, name);
  const before = await answers(test);
  assert.equal((before[0] as unknown[]).length, 2);
  assert.deepEqual((before.slice(1, 5) as unknown[][]).map(({ length }) => length), [2, 2, 1, 0]);
  const series = before[5] as Attributes[], instances = before[6] as Attributes[];
  assert.equal(valueOf(series[0], "00201209"), instances.length);
  assert.deepEqual(
    instances.map((one) => Number(valueOf(one, "00200013"))).sort((a, b) => a - b),
    instances.map((_, at) => at + 1),
  );
  // positions differ from image to image: the first one's is not given for another
  const everything = await found(
    test,
    `${STUDIES}/${valueOf(series[0], "0020000D")}/instances?includefield=all`,
  );
  assert.ok(
    everything.every((one) =>
      one["00200032"] === undefined && valueOf(one, "00100010") !== undefined
    ),
  );
  const db = await openBeside(test.dataDir);
  for (const { blob } of await db.selectFrom("instances").select("blob").execute()) {
    await Deno.remove(blobPath(`${test.dataDir}/blobs`, blob)).catch(() => {});
  }
  await db.destroy();
  assert.deepEqual(await answers(test), before);
});

coreTest(
  "after an upgrade the headers are read once, and a damaged file is set aside with its reason",
  async (test) => {
    await upload(test, "SEARCH-1");
    const damagedPid = await upload(test, "SEARCH-2");
    const before = await answers(test);
    await forgetHeaders(test);
    assert.equal((await found(test, STUDIES)).length, 2, "by their records until then");
    assert.deepEqual(await catchUp(test), []);
    assert.deepEqual(await answers(test), before);

    await forgetHeaders(test);
    const db = await openBeside(test.dataDir);
    const { blob } = await db.selectFrom("instances").select("blob").where("pid", "=", damagedPid)
      .orderBy(
        "id",
      )
      .executeTakeFirstOrThrow();
    await Deno.writeFile(blobPath(`${test.dataDir}/blobs`, blob), new Uint8Array(50_000));
    const warnings = await catchUp(test);
    assert.deepEqual(warnings.map(({ blob }) => blob), [blob]);
    const aside = await db.selectFrom("unreadable_files").selectAll().execute();
    assert.deepEqual(aside.map(({ blob, pid }) => [blob, pid]), [[blob, damagedPid]]);
    assert.ok(aside[0]!.reason.length > 0);
    const shown = await db.selectFrom("connection_log").select(["event", "details"]).execute();
    assert.deepEqual(shown.map(({ event, details }) => [event, JSON.parse(details)]), [
      ["unusable", { reason: "unreadable", file: blob }],
    ]);
    assert.deepEqual(await catchUp(test), [], "it is not read again");
    const unread = await db.selectFrom("instances").select("id").where("sop_class", "is", null)
      .execute();
    assert.deepEqual(unread, []);
    await db.destroy();
    assert.equal((await found(test, STUDIES)).length, 2);
    assert.equal((await found(test, `${STUDIES}?PatientID=SEARCH-2`)).length, 1);
  },
);

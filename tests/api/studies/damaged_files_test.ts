import assert from "node:assert/strict";
import { getVolume, listPatients } from "@/client/api/studies/patients.ts";
import { blobPath } from "@/server/core/blobs/blob_file.ts";
import { coreTest, openBeside } from "@/tests/sites/core_site.ts";
import { addStudyWithFiles, setCompleted } from "@/tests/sites/stored_studies.ts";

// covers: S-72
coreTest(
  "a damaged file of a result is refused with its code, before a byte is sent, and the rest works",
  async (test) => {
    const { core, api, dataDir } = test, pid = await addStudyWithFiles(dataDir, "A");
    await setCompleted(dataDir, pid, "2026-01-06T00:00:00Z", "t1", {} as never);
    const db = await openBeside(dataDir);
    const [file] = await db.selectFrom("instances").select("blob").execute();
    const analysis = await db.selectFrom("analyses").select("id").executeTakeFirstOrThrow();
    await db.insertInto("analysis_files").values({
      analysis_id: analysis.id,
      field: "t1w_file",
      blob: file!.blob,
      gzip_blob: file!.blob,
    }).execute();
    await db.destroy();
    const get = (headers: Record<string, string> = {}) =>
      core.fetch(
        new Request(`http://core/api/v1/patients/image/viewer/${pid}?file=t1w_file`, {
          headers: { authorization: `Bearer ${api.token}`, ...headers },
        }),
      );
    const path = blobPath(`${dataDir}/blobs`, file!.blob), bytes = await Deno.readFile(path);
    assert.deepEqual(await (await get()).bytes(), bytes);
    const blanks = `gzip${" ".repeat(30_000)}x`, startMs = performance.now();
    assert.deepEqual(await (await get({ "accept-encoding": blanks })).bytes(), bytes);
    assert.ok(performance.now() - startMs < 2000, "a long header is read in linear time");
    const image = await core.fetch(
      new Request(`http://core/api/v1/patients/image/viewer/${pid}`, {
        headers: { authorization: `Bearer ${api.token}` },
      }),
    );
    assert.deepEqual(
      [image.status, await image.bytes()],
      [200, bytes],
      "the image without ?file (D2 §7)",
    );

    const ways: Record<string, string>[] = [{}, { range: "bytes=0-9" }, {
      "accept-encoding": "gzip",
    }];
    const damage = [
      async () => await Deno.writeFile(path, bytes.map((byte, n) => n === 100 ? byte ^ 1 : byte)),
      async () => await Deno.truncate(path, 100),
      async () => await Deno.remove(path),
    ];
    for (const doIt of damage) {
      await doIt();
      for (const way of ways) {
        const answer = await get(way);
        assert.equal(answer.status, 422);
        assert.equal(answer.headers.get("content-type"), "application/problem+json");
        assert.equal((await answer.json()).code, "file.damaged");
      }
    }
    assert.equal((await listPatients(api, {})).total, 1);
    await assert.rejects(getVolume(api, pid + 1), { code: "entity.not_found" });
  },
);

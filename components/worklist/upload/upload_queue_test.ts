// covers: D1-7.18
import assert from "node:assert/strict";
import { AppError } from "@/model/errors.ts";
import type { UploadProgress } from "@/model/worklist/upload_progress.ts";
import type { Api } from "@/client/api/http.ts";
import { deletePatient, listPatients } from "@/client/api/studies/patients.ts";
import { discardUpload, findStoredStudies } from "@/client/api/studies/upload.ts";
import type { SendPart } from "@/components/worklist/upload/upload_study.ts";
import { nameOnWire } from "@/components/worklist/upload/upload_files.ts";
import { UploadQueue } from "@/components/worklist/upload/upload_queue.ts";
import { filesOf, sendOver, studiesOf } from "@/tests/sites/chosen_files.ts";
import { blobsOnDisk, openBeside, withCore } from "@/tests/sites/core_site.ts";
import { until } from "@/tests/sites/until.ts";

/** A TCP proxy that cuts a connection at each of the given totals of bytes towards the server. */
function cuttingProxy(target: Deno.NetAddr, cutsAt: number[]) {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 }), cuts = [...cutsAt];
  let passed = 0, done = 0;
  const running = new Set<Promise<void>>();
  const serve = async (client: Deno.Conn) => {
    const server = await Deno.connect({ hostname: "127.0.0.1", port: target.port });
    const end = () => {
      for (const side of [client, server]) {
        try {
          side.close();
        } catch { /* closed from the other end */ }
      }
    };
    const up = async () => {
      const buffer = new Uint8Array(16384);
      for (;;) {
        const count = await client.read(buffer);
        if (count === null) break;
        passed += count;
        if (cuts.length > 0 && passed >= cuts[0]!) {
          cuts.shift();
          done++;
          break;
        }
        for (let at = 0; at < count;) at += await server.write(buffer.subarray(at, count));
      }
    };
    const down = async () => {
      const buffer = new Uint8Array(16384);
      for (
        let count = await server.read(buffer);
        count !== null;
        count = await server.read(buffer)
      ) {
        for (let at = 0; at < count;) at += await client.write(buffer.subarray(at, count));
      }
    };
    await Promise.race([up(), down()]).catch(() => {});
    end();
  };
  const accepting = (async () => {
    for await (const client of listener) {
      const one: Promise<void> = serve(client).catch(() => {}).finally(() => running.delete(one));
      running.add(one);
    }
  })();
  return {
    port: (listener.addr as Deno.NetAddr).port,
    cuts: () => done,
    async [Symbol.asyncDispose]() {
      listener.close();
      await accepting;
      await Promise.all(running);
    },
  };
}

/** Passes requests to the core, and records the parts of their bodies that the core has read. */
function recordBodies(fetchCore: (request: Request) => Promise<Response>) {
  const bodies: Uint8Array[][] = [];
  return {
    fetch: (request: Request) => {
      if (!request.body) return fetchCore(request);
      const reader = request.body.getReader(), chunks: Uint8Array[] = [];
      bodies.push(chunks);
      const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
        async pull(controller) {
          const { done, value } = await reader.read();
          if (done) return controller.close();
          chunks.push(value);
          controller.enqueue(value);
        },
      }, { highWaterMark: 0 });
      return fetchCore(new Request(request, { body }));
    },
    /** Names of completely received files: a delimiter follows the content. */
    wholeFiles: () =>
      bodies.flatMap((chunks) => {
        const parts = Buffer.concat(chunks).toString("latin1").split(/\r\n--(?=----)/).slice(0, -1);
        return parts.flatMap((part) => /filename="([^"]*)"/.exec(part)?.[1] ?? []);
      }),
  };
}

// covers: S-15
Deno.test("UploadQueue sends no file that the server has named and loses none when the connection is cut three times", async () => {
  await withCore(async ({ core, api, dataDir }) => {
    const chosen = ["CUT-1", "CUT-2"].flatMap(filesOf), studies = await studiesOf(chosen);
    const totalBytes = studies.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    const recorded = recordBodies(core.fetch);
    await using server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen() {} },
      recorded.fetch,
    );
    const cutsAt = [0.2, 0.55, 0.9].map((part) => part * totalBytes);
    await using proxy = cuttingProxy(server.addr, cutsAt);
    const client = Deno.createHttpClient({ poolMaxIdlePerHost: 0 });
    /** files that the server reported as received, and files sent after they were reported */
    const named = new Set<string>(), repeated: string[] = [];
    const far: Api = {
      ...api,
      origin: `http://127.0.0.1:${proxy.port}`,
      send: async (request) => {
        const answer = await fetch(request, { client });
        const { received } = await answer.clone().json().catch(() => ({})) as {
          received?: string[];
        };
        received?.forEach((name) => named.add(name));
        return answer;
      },
    };
    const send: SendPart = (part, options) => {
      repeated.push(
        ...part.files.map(({ path }) => nameOnWire(path)).filter((name) => named.has(name)),
      );
      return sendOver(far)(part, options);
    };
    const states: UploadProgress["state"][] = [];
    const queue = new UploadQueue(studies, chosen, {
      api: far,
      send,
      onChange: ({ state }) => states.push(state),
      partBytes: totalBytes / 5,
      retryDelaysMs: [20],
    });
    await queue.run();
    client.close();

    assert.equal(proxy.cuts(), 3);
    assert.ok(states.includes("offline"));
    assert.deepEqual(queue.progress.studies.map(({ stage }) => stage), ["stored", "stored"]);
    assert.equal(queue.progress.sentBytes, totalBytes);
    const { patients } = await listPatients(api);
    assert.deepEqual(patients.map((p) => p.patient_id).sort(), ["CUT-1", "CUT-2"]);
    // all files of both studies, and the converted volume, which is equal in both
    assert.equal(blobsOnDisk(dataDir).length, chosen.length + 1);
    assert.deepEqual(repeated, []);
    // the server may receive a file twice only if its disk blocks after the connection was cut
    const arrived = [...new Set(recorded.wholeFiles())].sort();
    assert.deepEqual(arrived, chosen.map(({ path }) => path.replaceAll('"', "%22")).sort());
  });
});

// covers: S-19
Deno.test("UploadQueue can be paused, and a canceled study leaves nothing on the server", async () => {
  await withCore(async ({ api, dataDir }) => {
    const chosen = ["STAY-1", "GONE-1"].flatMap(filesOf).sort((a, b) => a.path < b.path ? -1 : 1);
    const studies = await studiesOf(chosen), sent: string[] = [];
    const send: SendPart = async (part, options) => {
      const answer = await sendOver(api)(part, options);
      sent.push(...part.files.map(({ path }) => nameOnWire(path)));
      if (sent.length === part.files.length) queue.pause();
      return answer;
    };
    const paused = Promise.withResolvers<void>();
    const queue = new UploadQueue(studies, chosen, {
      api,
      send,
      partBytes: studies[0]!.sizeBytes / 3,
      onChange: ({ state }) => state === "paused" && paused.resolve(),
    });
    assert.equal(studies[0]!.patientId, "GONE-1");
    const running = queue.run();
    await paused.promise;
    const before = sent.length;
    assert.ok(before > 0 && before < studies[0]!.files.length, "paused within the study");
    queue.cancel(0);
    queue.resume();
    await running;
    assert.deepEqual(queue.progress.studies.map(({ stage }) => stage), ["canceled", "stored"]);
    assert.equal(new Set(sent).size, sent.length, "nothing was sent twice");
    assert.deepEqual((await listPatients(api)).patients.map((p) => p.patient_id), ["STAY-1"]);
    // polls, as the server deletes the files after its response
    await until(() => [...Deno.readDirSync(`${dataDir}/blobs/incoming`)].length === 0);
    blobsOnDisk(dataDir);

    queue.retry(0);
    await queue.run();
    assert.deepEqual(queue.progress.studies.map(({ stage }) => stage), ["stored", "stored"]);
    assert.equal((await listPatients(api)).total, 2);
  });
});

// covers: S-19
Deno.test("UploadQueue fails a study with the server's code, goes on with the others, and tries again", async () => {
  await withCore(async ({ api }) => {
    const chosen = ["BUSY-1", "FREE-1"].flatMap(filesOf), studies = await studiesOf(chosen);
    let isBusy = true, sentAgain = 0;
    const send: SendPart = async (part, options) => {
      if (!isBusy) sentAgain += part.files.length;
      if (isBusy && part.isLast && part.files[0]?.path.includes("BUSY")) {
        throw new AppError("study.being_analyzed", "", { pid: 7, pid_list: ["7"] });
      }
      return await sendOver(api)(part, options);
    };
    const options = { api, send, onChange: () => {}, partBytes: studies[0]!.sizeBytes / 2.5 };
    const queue = new UploadQueue(studies, chosen, options);
    await queue.run();
    const [busy, free] = queue.progress.studies;
    assert.deepEqual([busy!.stage, busy!.code, busy!.pids], ["failed", "study.being_analyzed", [
      "7",
    ]]);
    assert.equal(free!.stage, "stored");
    isBusy = false;
    queue.retry(0);
    await queue.run();
    assert.equal(queue.progress.studies[0]!.stage, "stored");
    assert.ok(
      sentAgain < studies[0]!.files.length / 2,
      "the parts that had arrived are not sent again",
    );

    // after the session has ended nothing more is sent, and the caller gets the error
    const others = ["LATE-1", "LATE-2"].flatMap(filesOf);
    const signedOut = new UploadQueue(await studiesOf(others), others, {
      ...options,
      send: () => Promise.reject(new AppError("token.expired", "")),
    });
    await assert.rejects(signedOut.run(), { code: "token.expired" });
    assert.deepEqual(signedOut.progress.studies.map(({ stage }) => stage), ["failed", "failed"]);
  });
});

// covers: S-16
Deno.test("UploadQueue loses no file when the server forgets what has arrived between two parts", async () => {
  await withCore(async ({ api }) => {
    const chosen = filesOf("FORGET-1"), studies = await studiesOf(chosen);
    let parts = 0;
    const send: SendPart = async (part, options) => {
      const answer = await sendOver(api)(part, options);
      // as the server does with an abandoned upload
      if (parts++ === 0) await discardUpload(api, part.uploadId);
      return answer;
    };
    const partBytes = studies[0]!.sizeBytes / 1.5;
    const queue = new UploadQueue(studies, chosen, { api, send, onChange: () => {}, partBytes });
    await queue.run();
    assert.deepEqual(queue.progress.studies.map(({ stage }) => stage), ["stored"]);
    const question = studies.map(({ studyUid, patientId, files }) => (
      {
        study_uid: studyUid,
        patient_id: patientId,
        instances: files.map(({ tags }) => tags.instanceUid),
      }
    ));
    const { stored } = await findStoredStudies(api, { studies: question });
    assert.equal(stored.length, 1, "every slice is stored");
    assert.equal(parts, 3, "the first part, the last one, and again what was forgotten");
  });
});

// covers: S-16
Deno.test("UploadQueue sends nothing again when the server stored a study and started again before it answered", async () => {
  await withCore(async ({ api }) => {
    const chosen = filesOf("RESTART-1"), studies = await studiesOf(chosen);
    let sent = 0;
    const send: SendPart = async (part, options) => {
      sent += part.files.length;
      // a restarted server does not know the upload's name
      await sendOver(api)({ ...part, uploadId: "0".repeat(32) }, options);
      throw new AppError("network.offline", "");
    };
    const queue = new UploadQueue(studies, chosen, {
      api,
      send,
      onChange: () => {},
      retryDelaysMs: [1],
    });
    await queue.run();
    assert.deepEqual(queue.progress.studies.map(({ stage, code }) => [stage, code]), [[
      "stored",
      null,
    ]]);
    assert.deepEqual([sent, queue.progress.sentBytes], [chosen.length, studies[0]!.sizeBytes]);
  });
});

Deno.test("UploadQueue sends every file of those whose names are equal as far as the server reads them", async () => {
  await withCore(async ({ api }) => {
    // the server reads 512 characters of a name; the line separator U+2028 is part of the name
    const folder = `${"deep/".repeat(110)}\u2028`;
    const chosen = filesOf("LONG-1").map(({ path, file }) => ({ path: folder + path, file }));
    const studies = await studiesOf(chosen), names: string[] = [];
    const send: SendPart = (part, options) => {
      names.push(...part.files.map(({ path }) => nameOnWire(path)));
      return sendOver(api)(part, options);
    };
    const queue = new UploadQueue(studies, chosen, {
      api,
      send,
      onChange: () => {},
      partBytes: 1 << 20,
    });
    await queue.run();
    assert.deepEqual(queue.progress.studies.map(({ stage }) => stage), ["stored"]);
    assert.equal(new Set(names).size, chosen.length);
    assert.equal(names.length, chosen.length);
  });
});

Deno.test("UploadQueue goes on where a browser was that closed in the middle, and asks before bytes go", async () => {
  await withCore(async ({ api, dataDir }) => {
    const chosen = filesOf("CLOSED-1"), studies = await studiesOf(chosen), sent: string[] = [];
    const closed = Promise.withResolvers<void>();
    let parts = 0;
    const send: SendPart = async (part, options) => {
      // the browser closes while the third part is being sent: its files do not count as received
      if (++parts === 3) {
        closed.resolve();
        return await new Promise(() => {});
      }
      sent.push(...part.files.map(({ path }) => path));
      return await sendOver(api)(part, options);
    };
    const options = { api, send, onChange: () => {}, partBytes: studies[0]!.sizeBytes / 5 };
    void new UploadQueue(studies, chosen, options).run();
    await closed.promise;
    const again = new UploadQueue(await studiesOf(chosen), chosen, options);
    await again.run();
    assert.equal(again.progress.studies[0]!.stage, "stored");
    assert.equal(sent.length, chosen.length, "each file was sent once");
    assert.equal(new Set(sent).size, chosen.length);

    // after the study's deletion a third upload sends all files: the earlier response is not reused
    const db = await openBeside(dataDir);
    await db.updateTable("analyses").set({ status: "failed" }).execute();
    await db.destroy();
    const before = sent.length;
    await deletePatient(api, 1);
    const third = new UploadQueue(await studiesOf(chosen), chosen, options);
    await third.run();
    assert.deepEqual([third.progress.studies[0]!.stage, sent.length - before], [
      "stored",
      chosen.length,
    ]);

    // the study is being analysed: its new file would be refused, so it is not sent
    const more = [...chosen, { ...chosen[0]!, path: "more/1.dcm" }], found = await studiesOf(more);
    found[0]!.files.push({
      ...found[0]!.files[0]!,
      index: more.length - 1,
      path: "more/1.dcm",
      tags: { ...found[0]!.files[0]!.tags, instanceUid: "1.2.3.4" },
    });
    const busy = new UploadQueue(found, more, options);
    await busy.run();
    const [study] = busy.progress.studies;
    assert.deepEqual([study!.stage, study!.code, study!.pids], ["failed", "study.being_analyzed", [
      "2",
    ]]);
    assert.equal(sent.length - before, chosen.length);
  });
});

// covers: S-130, S-161
import assert from "node:assert/strict";
import { login } from "@/client/api/accounts/auth.ts";
import { savePeer } from "@/client/api/connections/connections.ts";
import type { Api } from "@/client/api/http.ts";
import { addStroke, changeStrokes } from "@/client/api/reading/strokes.ts";
import { getReport } from "@/client/api/report/report.ts";
import {
  getReportText,
  saveReportText,
  signReportText,
  withdrawSignature,
} from "@/client/api/report/report_text.ts";
import { restoreStudy } from "@/client/api/studies/bin.ts";
import { deletePatient, listPatients } from "@/client/api/studies/patients.ts";
import { MAX_REPORT_TEXT } from "@/model/schema/report/report_text.ts";
import { queueResults } from "@/server/core/connections/service/result_queue.ts";
import { outboxOf } from "@/server/core/connections/storage/outbox.ts";
import { colleague, coreTest, openBeside, PASSWORD } from "@/tests/sites/core_site.ts";
import { addQuickUser } from "@/tests/sites/sign_in/quick_user.ts";
import { addReadStudy, voxelAt } from "@/tests/sites/read_study.ts";
import { addStudies } from "@/tests/sites/stored_studies.ts";

const TEXT =
  'Left hippocampus small for age.\n\n1. Follow-up in 12 months & MRI | T1w.\n2. <see> ~ ^ \\ "R".';

/** Signs a text as the caller reads it now. */
async function sign(api: Api, pid: number, text: string) {
  const { version, results } = await getReportText(api, pid);
  return await signReportText(api, pid, { based_on: version, language: "en", text, results });
}
const statesOf = ({ versions }: Awaited<ReturnType<typeof getReportText>>) =>
  versions.map(({ version, state, author }) => `${version} ${state} ${author}`);

coreTest(
  "a text is edited, signed and withdrawn, and every version stays with author and time",
  async (site) => {
    const { api, open, dataDir, events } = site;
    const pid = await addReadStudy(dataDir), other = await colleague(open, dataDir);
    const first = await getReportText(api, pid, "ko");
    assert.deepEqual([first.version, first.signed, first.versions], [0, null, []]);
    assert.match(first.suggestion, /[가-힣]/);
    assert.doesNotMatch((await getReportText(api, pid, "en")).suggestion, /[가-힣]/);

    // ends of lines, spaces behind them and composed letters are as they will be printed
    const typed = `  ${TEXT.replaceAll("\n", "  \r\n")}\n\n e\u0301 \u0007`;
    const draft = await saveReportText(api, pid, { based_on: 0, language: "en", text: typed });
    const stored = `  ${TEXT}\n\n \u00e9`;
    assert.deepEqual(draft.versions.map(({ text }) => text), [stored]);
    assert.equal(draft.signed, null, "a draft is printed nowhere");
    assert.equal((await getReport(api, pid)).signed_text, undefined);

    const signed = await sign(other, pid, TEXT);
    assert.deepEqual(statesOf(signed), ["2 signed Other", "1 draft Administrator"]);
    assert.deepEqual(events.at(-1)?.event, { event: "study_reading", pid, uid: 2 });
    const { signed_text: printed } = await getReport(api, pid);
    assert.deepEqual([printed?.text, printed?.author, printed?.is_outdated], [
      TEXT,
      "Other",
      false,
    ]);
    assert.ok(Date.now() - Date.parse(printed!.signed_at) < 60_000);
    assert.equal((await getReport(api, pid, { anonymize: "true" })).signed_text!.author, "");

    // a draft after it is work in progress: what was signed stays printed
    await saveReportText(api, pid, { based_on: 2, language: "en", text: "Another" });
    assert.equal((await getReport(api, pid)).signed_text!.text, TEXT);
    const withdrawn = await withdrawSignature(api, pid, { based_on: 3, language: "en" });
    assert.deepEqual(statesOf(withdrawn), [
      "4 withdrawn Administrator",
      "3 draft Administrator",
      "2 signed Other",
      "1 draft Administrator",
    ]);
    assert.deepEqual([withdrawn.signed, withdrawn.versions[0]!.text], [null, TEXT]);
    assert.equal((await getReport(api, pid)).signed_text, undefined);
    await assert.rejects(withdrawSignature(api, pid, { based_on: 4, language: "en" }), {
      code: "input.invalid",
    });
  },
);

coreTest("of two who write at once the second is told, and neither loses a word", async (site) => {
  const { api, open, dataDir } = site;
  const pid = await addReadStudy(dataDir), other = await colleague(open, dataDir);
  const put = (text: string) => ({ based_on: 0, language: "en" as const, text });
  const both = await Promise.allSettled([
    saveReportText(api, pid, put("First")),
    saveReportText(other, pid, put("Second")),
  ]);
  assert.deepEqual(both.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
  const at = both.findIndex(({ status }) => status === "rejected");
  const { reason } = both[at] as PromiseRejectedResult, winner = ["Administrator", "Other"][1 - at];
  assert.deepEqual([reason.code, reason.status, reason.details.version, reason.details.author], [
    "text.changed",
    409,
    1,
    winner,
  ]);
  // saved again on what is there now
  const text = ["First", "Second"][at]!, loser = [api, other][at]!;
  const { versions } = await saveReportText(loser, pid, { ...put(text), based_on: 1 });
  assert.deepEqual(versions.map((one) => one.text), [text, ["First", "Second"][1 - at]]);
  // whose answer was lost asks again, and there is no second version of it
  const again = await saveReportText(loser, pid, { ...put(text), based_on: 1 });
  assert.equal(again.version, 2);
  const { results } = again;
  await assert.rejects(signReportText(loser, pid, { ...put(text), based_on: 1, results }), {
    code: "text.changed",
  });
  await assert.rejects(withdrawSignature(loser, pid, { based_on: 0, language: "en" }), {
    code: "input.invalid",
  });
  // many at once: one is written, and each of the others is refused as that
  const many = await Promise.allSettled(
    Array.from(
      { length: 8 },
      (_, n) =>
        saveReportText([api, other][n % 2]!, pid, {
          based_on: 2,
          language: "en",
          text: `Writer ${n}`,
        }),
    ),
  );
  const refused = many.flatMap((one) => one.status === "rejected" ? [one.reason.code] : []);
  assert.deepEqual(refused, Array(7).fill("text.changed"));
  assert.equal((await getReportText(api, pid)).version, 3);
});

coreTest(
  "a correction or another person after the signature marks it, and a new one is asked for",
  async (site) => {
    const { api, dataDir } = site, pid = await addReadStudy(dataDir);
    const before = await getReportText(api, pid),
      isOutdated = async () => (await getReport(api, pid)).signed_text!.is_outdated;
    await sign(api, pid, TEXT);
    await addStroke(api, pid, { series: "t1", runs: [voxelAt(24, 20, 16), 5], value: 0 });
    assert.equal(await isOutdated(), true);
    assert.equal((await getReport(api, pid)).signed_text!.text, TEXT);
    // the results that the author read are not those of now
    const stale = { based_on: 1, language: "en" as const, text: TEXT, results: before.results };
    await assert.rejects(signReportText(api, pid, stale), {
      code: "text.results_changed",
      status: 409,
    });
    await sign(api, pid, TEXT);
    assert.equal(await isOutdated(), false);
    await changeStrokes(api, pid, "t1", "undo");
    assert.equal(await isOutdated(), true, "undo is a change too");
    await sign(api, pid, TEXT);
    const db = await openBeside(dataDir);
    try {
      await db.updateTable("patients").set({ patient_birthdate: "1950-01-01" }).where(
        "pid",
        "=",
        pid,
      )
        .execute();
      assert.equal(await isOutdated(), true, "percentiles are of another age");
      const rows = await db.selectFrom("report_texts").select("created_at").orderBy("version")
        .execute();
      const times = rows.map(({ created_at }) => created_at);
      assert.deepEqual(times, [...new Set(times)].sort());
    } finally {
      await db.destroy();
    }
  },
);

coreTest(
  "the list marks a signed study, and one that was signed before a change, as its outputs do",
  async (site) => {
    const { api, dataDir } = site, pid = await addReadStudy(dataDir);
    await addStudies(dataDir, 3);
    const row = async () => {
      const { patients } = await listPatients(api, { page_size: 50 });
      assert.ok(patients.every((each) => each.pid === pid || each.signed === undefined));
      return patients.find((each) => each.pid === pid)!;
    };
    const agrees = async (mark: string | undefined, why: string) => {
      assert.equal((await row()).signed, mark, why);
      const printed = (await getReport(api, pid)).signed_text;
      assert.equal(printed?.is_outdated, mark && mark === "outdated", why);
    };
    await agrees(undefined, "no text");
    await saveReportText(api, pid, { based_on: 0, language: "en", text: "Draft" });
    await agrees(undefined, "a draft is no signature");
    await sign(api, pid, TEXT);
    await agrees("signed", "signed");
    await saveReportText(api, pid, { based_on: 2, language: "en", text: "Another draft" });
    await agrees("signed", "a draft after it");
    await addStroke(api, pid, { series: "t1", runs: [voxelAt(24, 20, 16), 5], value: 0 });
    await agrees("outdated", "a correction");
    await sign(api, pid, TEXT);
    await agrees("signed", "signed once more");
    const db = await openBeside(dataDir);
    try {
      const change = (column: string, value: string | null) =>
        db.updateTable("patients").set({ [column]: value }).where("pid", "=", pid).execute();
      for (
        const [column, value] of [
          ["patient_birthdate", "1950-01-01"],
          ["patient_sex", null],
          ["study_date", "2026-02-01"],
        ] as const
      ) {
        const before = (await db.selectFrom("patients").selectAll().where("pid", "=", pid)
          .executeTakeFirstOrThrow())[column];
        await change(column, value);
        await agrees("outdated", column);
        await change(column, before);
        await agrees("signed", `${column} as it was`);
      }
      // of versions that did not store when strokes changed the results
      const analysis = await db.selectFrom("analyses").select(["id", "results", "corrected_at"])
        .where("pid", "=", pid).where("kind", "=", "t1").executeTakeFirstOrThrow();
      await db.updateTable("analyses").set({ corrected_at: null }).where("id", "=", analysis.id)
        .execute();
      const { signed_text: printed } = await getReport(api, pid);
      assert.equal((await row()).signed, printed!.is_outdated ? "outdated" : "signed");
      await db.updateTable("analyses").set({ corrected_at: analysis.corrected_at })
        .where("id", "=", analysis.id).execute();
      const at = new Date(Date.now() + 1000).toISOString();
      await db.insertInto("result_changes").values(
        { pid, cause: "grade", changed_at: at, is_pending: 0, queued_ms: null },
      ).execute();
      await agrees("outdated", "a grade that a reader gave afterwards");
      await db.deleteFrom("result_changes").execute();
      await agrees("signed", "without it");
      await db.updateTable("analyses").set({ status: "processing" }).where("id", "=", analysis.id)
        .execute();
      assert.equal((await row()).signed, "outdated", "its results are being replaced");
      await db.updateTable("analyses").set({ status: "completed" }).where("id", "=", analysis.id)
        .execute();
    } finally {
      await db.destroy();
    }
    const { version } = await getReportText(api, pid);
    await withdrawSignature(api, pid, { based_on: version, language: "en" });
    await agrees(undefined, "withdrawn");
  },
);

coreTest(
  "who may read may not write, and each call leaves an entry of the audit log",
  async (site) => {
    const { api, open, dataDir } = site,
      pid = await addReadStudy(dataDir),
      db = await openBeside(dataDir);
    try {
      await addQuickUser(db, {
        email: "r@x.org",
        password: PASSWORD,
        name: "Reader",
        role: "reader",
      });
      const reader = {
        ...open,
        token: (await login(open, { email: "r@x.org", password: PASSWORD })).access_token,
      };
      const put = { based_on: 0, language: "en" as const, text: TEXT };
      const { results } = await getReportText(reader, pid);
      for (
        const refused of [
          () => saveReportText(reader, pid, put),
          () => signReportText(reader, pid, { ...put, results }),
          () => withdrawSignature(reader, pid, { based_on: 0, language: "en" }),
        ]
      ) await assert.rejects(refused, { code: "access.forbidden" });
      await saveReportText(api, pid, put);
      await sign(api, pid, TEXT);
      await withdrawSignature(api, pid, { based_on: 2, language: "en" });
      const entries = await db.selectFrom("audit").select(["event", "outcome", "pid", "details"])
        .where("event", "in", ["report.write", "report.sign", "report.withdraw"]).orderBy("seq")
        .execute();
      assert.deepEqual(
        entries.filter(({ outcome }) => outcome === "ok").map((one) =>
          `${one.event} ${one.pid} ${JSON.parse(one.details ?? "{}").version}`
        ),
        [`report.write ${pid} 1`, `report.sign ${pid} 2`, `report.withdraw ${pid} 3`],
      );
      assert.equal(entries.filter(({ outcome }) => outcome === "access.forbidden").length, 3);
      assert.ok(!JSON.stringify(entries).includes("hippocampus"), "the log has no text");
    } finally {
      await db.destroy();
    }
  },
);

coreTest("what is no text, and what is about no results, is refused", async ({ api, dataDir }) => {
  const pid = await addReadStudy(dataDir);
  await addStudies(dataDir, 1);
  const put = (text: string) => ({ based_on: 0, language: "en" as const, text });
  for (const text of ["x".repeat(MAX_REPORT_TEXT + 1), "a\n".repeat(60) + "a", "\ud800"]) {
    await assert.rejects(saveReportText(api, pid, put(text)), { code: "input.invalid" });
  }
  await assert.rejects(sign(api, pid, " \n "), { code: "input.invalid" });
  await assert.rejects(getReportText(api, pid + 1), { code: "study.not_analyzed" });
  await assert.rejects(saveReportText(api, pid + 1, put("x")), { code: "study.not_analyzed" });
  await assert.rejects(getReportText(api, 99), { code: "entity.not_found" });
  assert.equal((await saveReportText(api, pid, put("x".repeat(MAX_REPORT_TEXT)))).version, 1);
});

coreTest(
  "a deleted study takes its text along, and brings it back from the bin",
  async ({ api, dataDir }) => {
    const pid = await addReadStudy(dataDir);
    await saveReportText(api, pid, { based_on: 0, language: "en", text: "Draft" });
    const before = await sign(api, pid, TEXT), db = await openBeside(dataDir);
    try {
      await deletePatient(api, pid, "by mistake");
      assert.deepEqual(await db.selectFrom("report_texts").selectAll().execute(), []);
      await restoreStudy(api, pid);
      assert.deepEqual(await getReportText(api, pid, "en"), before);
      // of an account that is gone the name stays
      await db.updateTable("report_texts").set({ created_by: null }).execute();
      assert.equal((await getReportText(api, pid)).signed!.author, "Administrator");
    } finally {
      await db.destroy();
    }
  },
);

coreTest(
  "a signature queues the results that contain it, for whoever got them, at once",
  async (site) => {
    const { api, dataDir } = site,
      pid = await addReadStudy(dataDir),
      db = await openBeside(dataDir);
    try {
      const kinds = [
        "report",
        "measurements",
        "regions",
        "lesions",
        "key_images",
        "pages",
      ] as const;
      const config = { ae_title: "PACS", host: "127.0.0.1", port: 104, results: [...kinds] };
      await savePeer(api, null, { name: "PACS", kind: "dicom", config });
      const listed = async () =>
        (await outboxOf(db, pid)).map(({ kind, state }) => `${kind} ${state}`).sort();
      await sign(api, pid, "Before anything was sent");
      assert.deepEqual(await listed(), []);
      await db.transaction().execute((tx) => queueResults(tx, pid));
      await db.updateTable("outbox").set({ state: "sent", sent_at: "2026-01-06T10:00:00.000Z" })
        .execute();
      const sent = kinds.map((kind) => `${kind} sent`);
      await saveReportText(api, pid, {
        based_on: 1,
        language: "en",
        text: "A draft changes nothing",
      });
      assert.deepEqual(await listed(), [...sent].sort());
      await sign(api, pid, TEXT);
      await sign(api, pid, `${TEXT}!`);
      const waiting = ["measurements waiting", "pages waiting", "report waiting"];
      assert.deepEqual(await listed(), [...sent, ...waiting].sort(), "one of each");
      const due = await db.selectFrom("outbox").select("lease_ms").where("state", "=", "waiting")
        .execute();
      assert.ok(due.every(({ lease_ms }) => lease_ms! <= Date.now()));
      await db.updateTable("outbox").set({ state: "sent", sent_at: "2026-01-06T11:00:00.000Z" })
        .execute();
      await withdrawSignature(api, pid, { based_on: 4, language: "en" });
      assert.deepEqual((await listed()).filter((one) => one.endsWith("waiting")), waiting);
    } finally {
      await db.destroy();
    }
  },
);

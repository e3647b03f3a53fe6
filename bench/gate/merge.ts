// deno task bench gate --merge [--studies 200] [--rounds 5] [--json FILE]
// Merges two patients with `--studies` studies each by an A40 message to the gate (the process that
// receives HL7), with SQLite and with PostgreSQL. Measures the time from the first byte of the
// message until the acknowledgement, until the merge is committed, and until list, search and
// history show all studies under the surviving patient.
import assert from "node:assert/strict";
import { getConnections, savePeer } from "@/client/api/connections/connections.ts";
import { getHistory, listPatients } from "@/client/api/studies/patients.ts";
import { finish, optionOf, type Row, rowMaker } from "@/bench/record.ts";
import { refreshFindings } from "@/server/core/analyses/service/finding.ts";
import type { Database } from "@/server/core/database/database.ts";
import { openBeside, type TestCore, withCore } from "@/tests/sites/core_site.ts";
import { newPostgres, SQLITE, type TestDatabase } from "@/tests/sites/databases.ts";
import { LateGate } from "@/tests/sites/connections/gate_site.ts";
import { adt } from "@/tests/sites/connections/hl7_messages.ts";
import { Hl7Sender } from "@/tests/sites/connections/hl7_sender.ts";
import { addArchive, addStudy, person } from "@/tests/sites/connections/merged_studies.ts";
import { until } from "@/tests/sites/until.ts";

const STUDIES = Number(optionOf("studies") ?? 200), ROUNDS = Number(optionOf("rounds") ?? 5);
const BAR_S = 2, BAR_VISIBLE_S = 60;
/** Pause between two polls of the site, ms. */
const PAUSE_MS = 200;
const make = rowMaker("gate", 3);

interface Times {
  acknowledged: number;
  merged: number;
  visible: number;
}

/** Polls at a constant interval; the interval of `until` in the tests grows. */
async function poll(isTrue: () => Promise<boolean>): Promise<void> {
  while (!await isTrue()) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
}

const idOf = (kind: "KEPT" | "OLD", round: number) => `${kind}-${round}`;

async function addPatients(db: Database): Promise<void> {
  await addArchive(db);
  for (let round = 0; round < ROUNDS; round++) {
    await db.transaction().execute(async (tx) => {
      for (let n = 0; n < 2 * STUDIES; n++) {
        const number = 1 + round * 2 * STUDIES + n;
        await addStudy(tx, number, idOf(n < STUDIES ? "OLD" : "KEPT", round), n % 28 + 1);
      }
    });
    // as after an analysis
    const first = 1 + round * 2 * STUDIES;
    await refreshFindings(db, Array.from({ length: 2 * STUDIES }, (_, n) => first + n));
  }
}

/** Whether list, search and history show all studies of both patients under the surviving ID. */
async function isVisible({ api }: TestCore, round: number): Promise<boolean> {
  const kept = idOf("KEPT", round), old = idOf("OLD", round);
  const list = await listPatients(api, { search_string: kept, page_size: 10 });
  if (list.total !== 2 * STUDIES) return false;
  if ((await listPatients(api, { search_string: old, page_size: 10 })).total !== 0) return false;
  const history = await getHistory(api, list.patients[0]!.pid);
  return history.history.length >= 2 * STUDIES - 1;
}

async function timesOn(database: TestDatabase): Promise<Times[]> {
  const gate = new LateGate(), times: Times[] = [];
  await withCore(
    async (test) => {
      const { api, dataDir } = test, db = await openBeside(dataDir);
      await addPatients(db);
      const open = await gate.open(dataDir);
      await savePeer(api, null, {
        name: "HIS",
        kind: "hl7",
        config: { may_send: true, addresses: ["127.0.0.1"], id_authority: "" },
      });
      // the gate reads settings once a second, and may still refuse the first connections
      const sender = await until(async () => {
        const one = await Hl7Sender.connect(open.hl7Port!);
        const first = adt({ event: "A03", id: "", control: "0" });
        if (await one.send(first).catch(() => null)) return one;
        one.close();
      });
      try {
        for (let round = 0; round < ROUNDS; round++) {
          const control = `M${round}`, start = performance.now();
          const since = () => (performance.now() - start) / 1000;
          const ids = { id: idOf("KEPT", round), prior: idOf("OLD", round) };
          const answer = await sender.send(
            adt({ ...person, event: "A40", ...ids, control, at: "20260401120000" }),
          );
          assert.equal(answer, "AA");
          const acknowledged = since();
          await poll(async () =>
            (await getConnections(api)).messages.some((one) =>
              one.event.endsWith("A40") && one.control_id === control && one.state === "applied"
            )
          );
          const merged = since();
          await poll(() => isVisible(test, round));
          times.push({ acknowledged, merged, visible: since() });
        }
      } finally {
        sender.close();
        await gate.close();
        await db.destroy();
      }
    },
    { gate: { ask: gate.ask, aeTitle: "SULCUS" } },
    database,
  );
  return times;
}

function rowsOf(name: string, times: readonly Times[]): Row[] {
  const longest = (key: keyof Times) => Math.max(...times.map((each) => each[key]));
  const merged = longest("merged"), visible = longest("visible");
  const title = `${name}: ${STUDIES} studies become another patient's, longest of ${ROUNDS}`;
  return [
    make(`${title}, until AA`, longest("acknowledged"), "s"),
    make(`${title}, until it is committed`, merged, "s", { bar: BAR_S, ok: merged <= BAR_S }),
    make(`${title}, until list, search and history have it`, visible, "s", {
      bar: BAR_VISIBLE_S,
      ok: visible <= BAR_VISIBLE_S,
    }),
  ];
}

export async function measureMerges(): Promise<void> {
  const url = await newPostgres();
  const postgres: TestDatabase = { ...SQLITE, url };
  const rows = [
    ...rowsOf("SQLite", await timesOn(SQLITE)),
    ...rowsOf("PostgreSQL", await timesOn(postgres)),
  ];
  finish("deno task bench gate --merge", `${STUDIES} studies, ${ROUNDS} merges`, rows);
}

// Answers of a reading study if the server is killed between an answer and its acknowledgement.
// covers: S-254
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { login } from "@/client/api/accounts/auth.ts";
import type { Api } from "@/client/api/http.ts";
import {
  addReadingStudy,
  answerReading,
  getReadingTask,
} from "@/client/api/reading/reading_studies.ts";
import { Random } from "@/model/random.ts";
import { listReadings } from "@/server/core/reading/storage/reading_studies.ts";
import { verifyAudit } from "@/server/core/site/service/audit/audit.ts";
import { EMAIL, PASSWORD, ROOT, startSite } from "@/tests/e2e/site.ts";
import { openBeside } from "@/tests/sites/core_site.ts";
import { addReported } from "@/tests/sites/reported_studies.ts";
import { addQuickUser } from "@/tests/sites/sign_in/quick_user.ts";

const ROUNDS = 4, CASES = 20, LATEST_KILL = 8, READER = "reader@hospital.test";
const isBuilt = existsSync(`${ROOT}/static/build/manifest.json`);

/** Rating for a place in the reading order: differs by place, so that answers can be told apart. */
const ratingOf = (place: number): number => place % 101;

/** Answers readings until the server is killed. @returns places with an acknowledged answer. */
async function readUntilGone(api: Api, id: number, onAnswer: () => void): Promise<number[]> {
  const acknowledged: number[] = [];
  try {
    for (;;) {
      const { reading } = await getReadingTask(api, id);
      if (!reading) return acknowledged;
      const { place } = reading;
      const answer = { rating: ratingOf(place), decision: null, region: null };
      // the server may be killed before, during or after this call
      onAnswer();
      await answerReading(api, { id, place }, { ...answer, visible_ms: 1, pauses: 0 });
      acknowledged.push(place);
    }
  } catch {
    return acknowledged;
  }
}

Deno.test({
  name: `a server that is killed among answers of a reading study loses none and stores none twice${
    isBuilt ? "" : " (skipped: run deno task build first)"
  }`,
  ignore: !isBuilt,
  fn: async () => {
    const dataDir = await Deno.makeTempDir({ prefix: "sulcus-answers-" });
    const random = new Random(253);
    try {
      const before = await openBeside(dataDir);
      await addQuickUser(before, {
        email: EMAIL,
        password: PASSWORD,
        name: "First",
        isMaintenance: true,
      });
      await addQuickUser(before, {
        email: READER,
        password: PASSWORD,
        name: null,
        role: "reader",
      });
      await before.destroy();
      await addReported(dataDir, CASES, 8);
      const acknowledged = new Set<number>();
      let id = 0;
      for (let round = 0; round < ROUNDS; round++) {
        const site = await startSite({ dataDir });
        const open: Api = { send: (request) => fetch(request), origin: site.url };
        const tokenOf = async (email: string) =>
          (await login(open, { email, password: PASSWORD })).access_token;
        if (round === 0) {
          id = await addReadingStudy({ ...open, token: await tokenOf(EMAIL) }, {
            ...{ title: "Kills", question: "Atrophy?", scale: "hundred" },
            ...{ asks_decision: false, asks_region: false, arms: ["without", "with"] },
            ...{ washout_days: 0, readers: [2] },
            cases: Array.from({ length: CASES }, (_, n) => ({ pid: n + 1, reference: null })),
          });
        }
        const api = { ...open, token: await tokenOf(READER) };
        // kills the server after a random number of answers, which does not depend on the machine's
        // speed
        let left = 1 + Math.floor(random.uniform() * LATEST_KILL);
        let ending: Promise<void> | null = null;
        const answered = await readUntilGone(api, id, () => {
          if (--left <= 0) ending ??= site.stop("SIGKILL");
        });
        await ending;
        for (const place of answered) acknowledged.add(place);
        const db = await openBeside(dataDir);
        const stored = (await listReadings(db, id)).filter(({ answer }) => answer !== null);
        const places = stored.map(({ place }) => place);
        // the stored answers have no gap, and at most one of them was not acknowledged
        assert.deepEqual(places, places.map((_, n) => n));
        for (const place of acknowledged) assert.ok(places.includes(place), `lost ${place}`);
        for (const { place, answer } of stored) assert.equal(answer!.rating, ratingOf(place));
        for (const place of places) acknowledged.add(place);
        assert.equal((await verifyAudit(db)).broken, null);
        await db.destroy();
      }
      assert.ok(acknowledged.size >= ROUNDS - 1, String(acknowledged.size));
    } finally {
      await Deno.remove(dataDir, { recursive: true });
    }
  },
});

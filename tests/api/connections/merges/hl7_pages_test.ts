// covers: S-145, S-146
// An administrator can page through all messages and merges, regardless of their number.
import { getAudit } from "@/client/api/site/audit.ts";
import assert from "node:assert/strict";
import {
  dropMessage,
  getConnections,
  getMerges,
  getMessages,
  undoMerge,
} from "@/client/api/connections/connections.ts";
import { addManyMessages, MANY } from "@/tests/sites/connections/many_messages.ts";
import { coreTest, openBeside, type TestCore } from "@/tests/sites/core_site.ts";

async function addMany({ dataDir }: TestCore): Promise<void> {
  const db = await openBeside(dataDir);
  await addManyMessages(db);
  await db.destroy();
}

/** Ids on all pages, in page order. */
async function allOf(
  read: (after?: string) => Promise<{ ids: number[]; next: string | null }>,
  most: number,
) {
  const ids: number[] = [];
  for (let after: string | undefined, pages = 0;; pages++) {
    const page = await read(after);
    assert.ok(page.ids.length <= most && pages < MANY);
    ids.push(...page.ids);
    if (page.next === null) return ids;
    after = page.next;
  }
}

coreTest(
  "every HL7 message and merge is on exactly one page, open messages first",
  async (test) => {
    await addMany(test);
    const { api } = test,
      down = (from: number, to: number) =>
        Array.from({ length: from - to + 1 }, (_, n) => from - n);
    const messages = [...down(60, 1).reverse(), ...down(MANY, 61)];
    for (const limit of [undefined, 1, 7, 30, 60, 100]) {
      const most = limit ?? 50;
      assert.deepEqual(
        await allOf(async (after) => {
          const page = await getMessages(api, { after, limit });
          return { ids: page.messages.map(({ id }) => id), next: page.next };
        }, most),
        messages,
      );
      assert.deepEqual(
        await allOf(async (after) => {
          const page = await getMerges(api, { after, limit });
          return { ids: page.merges.map(({ id }) => id), next: page.next };
        }, most),
        down(MANY, 1),
      );
    }
    const first = await getConnections(api);
    assert.deepEqual(first.messages.map(({ id }) => id), messages.slice(0, 50));
    assert.deepEqual([first.messages_next, first.merges_next], ["open-50", "81"]);
    const second = await getMessages(api, { after: first.messages_next! });
    assert.deepEqual(second.messages.filter(({ state }) => state === "failed").length, 10);
  },
);

coreTest(
  "the oldest merge of many is undone, and the last failed message dropped",
  async (test) => {
    await addMany(test);
    const { api } = test;
    const { merges: [oldest] } = await getMerges(api, { after: "2" });
    assert.equal(oldest!.id, 1);
    assert.notEqual(oldest!.undo_until, null);
    await undoMerge(api, 1);
    assert.equal((await getMerges(api, { after: "2" })).merges[0]!.state, "undone");
    const { messages: [last] } = await getMessages(api, { after: "open-59" });
    assert.deepEqual([last!.id, last!.state], [60, "failed"]);
    await dropMessage(api, 60);
    // an auditor finds both identities through the control ID, and the log has no patient ID
    const [undone] = (await getAudit(api, { event: "merge.undo" })).entries;
    assert.equal(undone!.details.merge, 1);
    assert.equal(typeof undone!.details.control_id, "string");
    const [dropped] = (await getAudit(api, { event: "message.drop" })).entries;
    const { control_id, event } = last!;
    assert.deepEqual(dropped!.details, { message: 60, control_id, type: event });
    assert.equal((await getMessages(api, { after: "open-59" })).messages[0]!.id, MANY);
  },
);

coreTest("a page of messages is bounded, and begins at no other place", async ({ api }) => {
  const invalid = { code: "input.invalid" };
  for (const limit of [0, 101, 1e9, 1.5]) {
    await assert.rejects(getMessages(api, { limit }), invalid);
    await assert.rejects(getMerges(api, { limit }), invalid);
  }
  for (const after of ["x", "open-", "open--1", "7", "ended-1e3", "open-1234567890123456"]) {
    await assert.rejects(getMessages(api, { after }), invalid);
  }
  for (const after of ["x", "-1", "1234567890123456"]) {
    await assert.rejects(getMerges(api, { after }), invalid);
  }
  const largest = "9".repeat(15);
  assert.deepEqual(await getMessages(api, { after: `open-${largest}` }), {
    messages: [],
    next: null,
  });
  assert.deepEqual(await getMerges(api, { after: largest }), { merges: [], next: null });
});

// Context sharing (FHIRcast): studies that are opened or refused, and events sent to the hub.
// covers: S-221, S-209
import assert from "node:assert/strict";
import { login } from "@/client/api/accounts/auth.ts";
import { getAudit } from "@/client/api/site/audit.ts";
import {
  followContext,
  getContext,
  refuseContext,
  showContext,
} from "@/client/api/studies/context.ts";
import { AppError } from "@/model/errors.ts";
import { MAX_HUB_MESSAGE_BYTES } from "@/model/launch/hub_message.ts";
import { Random } from "@/model/random.ts";
import { EMAIL, openBeside, PASSWORD, type TestCore, withCore } from "@/tests/sites/core_site.ts";
import { databaseTest } from "@/tests/sites/databases.ts";
import { hubEvent, serveHub } from "@/tests/sites/connections/fhircast_hub.ts";
import { addStudies } from "@/tests/sites/stored_studies.ts";
import { until } from "@/tests/sites/until.ts";

const TOPIC = `session-${EMAIL}`;
type Hub = ReturnType<typeof serveHub>;

/** A site and a hub; studies 1 and 2 are of patient P-1, 3 and 4 of P-2, 5 has no ID. */
function contextTest(name: string, body: (test: TestCore & { hub: Hub }) => Promise<void>): void {
  databaseTest(name, async (database) => {
    await using hub = serveHub();
    await withCore(
      async (test) => {
        await addStudies(test.dataDir, 5, (n) => ({
          patientId: n <= 2 ? "P-1" : n <= 4 ? "P-2" : "",
          patientName: n <= 2 ? "Name 1" : n <= 4 ? "Name 2" : "Name 5",
        }));
        await body({ ...test, hub });
      },
      { contextHub: hub.settings },
      database,
    );
  });
}

/** Starts the caller's subscription and waits for it. */
const following = ({ api }: TestCore) =>
  until(async () => (await getContext(api)).state === "following");

/** Sends an event from the hub and waits until it can be followed. */
async function heard({ api, hub }: TestCore & { hub: Hub }, event: ReturnType<typeof hubEvent>) {
  hub.broadcast(event);
  assert.equal(await hub.replyTo(event.id), "202");
  assert.equal((await getContext(api)).event_id, event.id);
  return event.id;
}

contextTest(
  "a study that another application opens is opened once, with an audit entry",
  async (test) => {
    const { api, hub, events } = test;
    await following(test);
    assert.deepEqual(hub.topics(), [TOPIC]);
    const event = hubEvent(TOPIC, "ImagingStudy-open", { patientId: "P-1", studyUid: "1.2.3.1" });
    const event_id = await heard(test, event);
    assert.ok(
      events.some(({ event, audience }) =>
        event.event === "context_update" && audience.uid !== undefined
      ),
    );
    const step = await followContext(api, { event_id, shown_pid: null });
    assert.deepEqual([
      step.action,
      step.studies.map(({ pid }) => pid),
    ], ["open", [1]]);
    const again = await followContext(api, { event_id, shown_pid: null });
    assert.equal(again.action, "none", "another page does not follow it too");
    assert.equal((await getContext(api)).event_id, null);
    // a page that followed the hub's event does not report the study back to the hub
    await showContext(api, 1);
    assert.deepEqual(hub.posted, []);
    const { entries } = await getAudit(api, { event: "study.context" });
    assert.equal(entries.length, 1);
    assert.deepEqual(entries[0]!.details, { origin: `127.0.0.1:${hub.port}`, result: "open" });
  },
);

contextTest(
  "a study of another patient than the event's is never opened, and the hub hears it",
  async (test) => {
    const { api, hub } = test;
    await following(test);
    const cases = [
      [{ patientId: "P-2", studyUid: "1.2.3.1" }, "refused"],
      [{ patientId: "p-1", studyUid: "1.2.3.1" }, "refused"],
      [{ patientId: "P-1", studyUid: "1.2.3.1", birthDate: "1961-05-20" }, "refused"],
      // a study without an ID may belong to another patient
      [{ patientId: "P-1", studyUid: "1.2.3.5" }, "refused"],
      [{ studyUid: "1.2.3.1" }, "unnamed"],
      [{ patientId: "P-1" }, "unnamed"],
      [{ patientId: "P*", studyUid: "1.2.3.1" }, "unnamed"],
      [{ patientId: "P-1", studyUid: "1.2.3.99" }, "absent"],
      [{ patientId: "P-1", accession: "none" }, "absent"],
    ] as const;
    for (const [asked, action] of cases) {
      const event_id = await heard(test, hubEvent(TOPIC, "ImagingStudy-open", asked));
      const step = await followContext(api, { event_id, shown_pid: 3 });
      assert.equal(step.action, action, JSON.stringify(asked));
      if (action === "refused") {
        assert.equal(step.asked.patient_id, asked.patientId, "both are shown");
        assert.ok(step.studies.length > 0);
      }
      const refusal = await until(() =>
        hub.posted.find(({ event }) => JSON.stringify(event.context).includes(event_id))
      );
      assert.equal(refusal.event["hub.event"], "SyncError");
    }
  },
);

contextTest(
  "a patient's studies are chosen from, also a single one, and a shown one stays",
  async (test) => {
    const { api } = test;
    const follow = async (patientId: string, shown_pid: number | null) => {
      const event_id = await heard(test, hubEvent(TOPIC, "Patient-open", { patientId }));
      return await followContext(api, { event_id, shown_pid });
    };
    await following(test);
    const several = await follow("P-1", null);
    assert.deepEqual([several.action, several.studies.length], ["choose", 2]);
    assert.equal((await follow("P-1", 2)).action, "none");
    assert.equal((await follow("P-1", 3)).action, "choose");
    assert.equal((await follow("P-9", 3)).action, "absent");
    // even a single study is only offered, because the ID may have been reused for another person
    const db = await openBeside(test.dataDir);
    await db.updateTable("patients").set({ patient_id: "P-4" }).where("pid", "=", 4).execute();
    await db.destroy();
    const one = await follow("P-4", null);
    assert.deepEqual([one.action, one.studies.map(({ pid }) => pid)], ["choose", [4]]);
  },
);

contextTest("a page whose answer was lost gets it again, and no other page", async (test) => {
  const { api } = test;
  await following(test);
  const [page, other] = ["0".repeat(32), "1".repeat(32)];
  const asked = { patientId: "P-1", studyUid: "1.2.3.1" };
  const event_id = await heard(test, hubEvent(TOPIC, "ImagingStudy-open", asked));
  const follow = async (by?: string) =>
    (await followContext(api, { event_id, shown_pid: null, ...by ? { page: by } : {} })).action;
  assert.deepEqual([await follow(page), await follow(other), await follow()], [
    "open",
    "none",
    "none",
  ]);
  assert.equal(await follow(page), "open");
  // a newer event replaces the earlier one
  await heard(test, hubEvent(TOPIC, "ImagingStudy-open", { ...asked, studyUid: "1.2.3.2" }));
  assert.equal(await follow(page), "none");
});

contextTest("a hub that refuses this site's study is no longer called followed", async (test) => {
  const { api, hub, events } = test;
  await following(test);
  const stateOf = async () => (await getContext(api)).state;
  hub.faults.event = () => new Response("no", { status: 409 });
  const notices = () => events.filter(({ event }) => event.event === "context_update").length;
  const before = notices();
  await showContext(api, 1);
  assert.equal(await stateOf(), "unshared");
  await showContext(api, 1);
  assert.equal(notices() - before, 1, "a page that tries again is not called to try again");
  delete hub.faults.event;
  await showContext(api, 1);
  assert.equal(await stateOf(), "following");
  // the state also ends with an event of another application, or when the study is closed
  hub.faults.event = () => new Response("no", { status: 409 });
  await showContext(api, 3);
  assert.equal(await stateOf(), "unshared");
  await showContext(api, null);
  assert.equal(await stateOf(), "following");
  delete hub.faults.event;
});

contextTest("a close leaves the study that it names and no other", async (test) => {
  const { api } = test;
  await following(test);
  const follow = async (
    name: string,
    asked: { patientId: string; studyUid?: string },
    pid: number,
  ) => {
    const event_id = await heard(test, hubEvent(TOPIC, name, asked));
    return (await followContext(api, { event_id, shown_pid: pid })).action;
  };
  const study = { patientId: "P-1", studyUid: "1.2.3.1" };
  assert.equal(await follow("ImagingStudy-close", study, 1), "close");
  assert.equal(await follow("ImagingStudy-close", study, 2), "none");
  assert.equal(await follow("ImagingStudy-close", { ...study, patientId: "P-2" }, 1), "none");
  assert.equal(await follow("Patient-close", { patientId: "P-1" }, 2), "close");
  assert.equal(await follow("Patient-close", { patientId: "P-1" }, 3), "none");
});

contextTest(
  "own opens and closes are told to the hub, and do not come back as events",
  async (test) => {
    const { api, hub } = test;
    await following(test);
    await showContext(api, 1);
    await showContext(api, 1);
    assert.equal(hub.posted.length, 1);
    const [opened] = hub.posted;
    assert.equal(opened!.event["hub.topic"], TOPIC);
    assert.equal(opened!.event["hub.event"], "ImagingStudy-open");
    const [patient, study] = opened!.event.context.map(({ resource }) => resource);
    assert.ok(JSON.stringify(patient).includes('"P-1"'));
    assert.ok(JSON.stringify(study).includes("urn:oid:1.2.3.1"));
    assert.equal(await hub.replyTo(opened!.id), "200");
    assert.equal((await getContext(api)).event_id, null);
    await showContext(api, null);
    assert.equal(hub.posted[1]!.event["hub.event"], "ImagingStudy-close");
    await showContext(api, null);
    assert.equal(hub.posted.length, 2, "only an own study is closed");
    await showContext(api, 5);
    assert.equal(hub.posted.length, 2, "a study without an ID is not shared");
    await assert.rejects(showContext(api, 999), { code: "entity.not_found" });
  },
);

contextTest(
  "a study of the hub is the hub's: leaving it closes nothing for others",
  async (test) => {
    const { api, hub } = test;
    await following(test);
    await showContext(api, 3);
    const event_id = await heard(
      test,
      hubEvent(TOPIC, "ImagingStudy-open", { patientId: "P-1", studyUid: "1.2.3.1" }),
    );
    await followContext(api, { event_id, shown_pid: 3 });
    await showContext(api, null);
    assert.equal(hub.posted.length, 1, "the open of study 3 alone");
    // the user stays with study 3: the hub is informed once
    await refuseContext(api, event_id);
    await refuseContext(api, event_id);
    assert.deepEqual(hub.posted.map(({ event }) => event["hub.event"]), [
      "ImagingStudy-open",
      "SyncError",
    ]);
  },
);

contextTest(
  "other topics, repeated and malformed events change nothing",
  async (test) => {
    const { api, hub } = test;
    await following(test);
    const asked = { patientId: "P-1", studyUid: "1.2.3.1" };
    const first = hubEvent(TOPIC, "ImagingStudy-open", asked);
    const event_id = await heard(test, first);
    await followContext(api, { event_id, shown_pid: null });
    const refusedOrIgnored: [ReturnType<typeof hubEvent>, string][] = [
      [hubEvent("session-other@hospital.test", "ImagingStudy-open", asked), "400"],
      [hubEvent(TOPIC, "DiagnosticReport-open", asked), "200"],
      // closes the study that the other application showed before
      [hubEvent(TOPIC, "ImagingStudy-close", { patientId: "P-2", studyUid: "1.2.3.3" }), "200"],
    ];
    for (const [event, status] of refusedOrIgnored) {
      hub.sendRaw(JSON.stringify(event));
      assert.equal(await hub.replyTo(event.id), status, JSON.stringify(event.event["hub.event"]));
      assert.equal((await getContext(api)).event_id, null);
    }
    hub.sendRaw(JSON.stringify(first));
    for (const text of ["", "null", "[]", "{", '{"id":7}', '{"hub.mode":"other"}']) {
      hub.sendRaw(
        text,
      );
    }
    const last = hubEvent(TOPIC, "Patient-open", { patientId: "P-9" });
    assert.equal(await heard(test, last), last.id);
  },
);

/** Simulated page: shows a study, announces it, and follows events like pages in the browser. */
class TestPage {
  pid: number | null = null;
  /** id of the event in the notice; `null`: no notice */
  notice: string | null = null;
  #shown: number | null = null;

  constructor(private readonly test: TestCore) {}

  show(pid: number): void {
    this.pid = pid;
    this.notice = null;
  }

  /** Asks for an event and reacts, as a page does. @returns whether nothing remains to be done. */
  async step(): Promise<boolean> {
    const { api } = this.test, { event_id } = await getContext(api);
    if (event_id === null) {
      if (this.#shown === this.pid) return true;
      const { pid } = this;
      await showContext(api, pid);
      this.#shown = pid;
      return false;
    }
    const { action, studies } = await followContext(api, { event_id, shown_pid: this.pid });
    if (action === "none") this.notice = null;
    else if (action === "open") this.show(studies[0]!.pid);
    else this.notice = event_id;
    this.#shown = action === "open" ? null : this.pid;
    return false;
  }

  async settle(): Promise<void> {
    while (!await this.step());
  }
}
const uidOf = (pid: number) => `1.2.3.${pid}`;
const patientOf = (pid: number) => pid <= 2 ? "P-1" : "P-2";
const opened = (pid: number, atMs = Date.now(), id?: string) =>
  hubEvent(TOPIC, "ImagingStudy-open", {
    patientId: patientOf(pid),
    studyUid: uidOf(pid),
    atMs,
    id,
  });

contextTest("the order of arrival counts, and no clock hides a change of patient", async (test) => {
  const { hub } = test, page = new TestPage(test);
  await following(test);
  const random = new Random(68), nowMs = Date.now();
  const skew = () => Math.round((random.uniform() * 2 - 1) * 300_000);
  const clocks = [skew(), skew()];
  for (let n = 0; n < 45; n++) {
    if (n % 15 === 14) {
      // reconnecting also stays below the message limit per minute; the hub then sends its context
      hub.cut();
      await until(async () => (await getContext(test.api)).state === "unreachable");
      await following(test);
    }
    const who = Math.floor(random.uniform() * 4), pid = 1 + Math.floor(random.uniform() * 4);
    // 9: number of a study that is not stored
    const asked = random.uniform() < 0.1 ? 9 : pid;
    const event = opened(asked, nowMs + n * 1000 + (clocks[who] ?? 0));
    if (who === 3) page.show(pid);
    if (who === 2) page.show(1 + pid % 4);
    // if `who` is 2, the page and another application open studies at the same time
    const stepping = who >= 2 ? page.step() : null;
    if (who !== 3) {
      hub.broadcast(event);
      assert.equal(await hub.replyTo(event.id), "202");
    }
    await stepping;
    if (n % 10 === 5) clocks[n % 2] = skew();
    await until(async () => {
      await page.settle();
      // the hub has returned the events of this site
      return hub.posted.every(({ id, event }) =>
        event["hub.event"] === "SyncError" || hub.replies.some((reply) => reply.id === id)
      );
    });
    await page.settle();
    const shown = JSON.stringify(hub.current()?.event.context);
    assert.ok(
      page.notice === hub.current()?.id || shown.includes(`urn:oid:${uidOf(page.pid!)}"`),
      `step ${n}: the page shows ${page.pid}, the hub ${shown}`,
    );
  }
});

contextTest(
  "a redelivery is dropped, an identifier that is used again is not, nor one after a reconnect",
  async (test) => {
    const { api, hub } = test;
    const page = new TestPage(test);
    await following(test);
    const [first, second] = [opened(1), opened(3)];
    const send = async (event: typeof first, status: string) => {
      const before = hub.replies.length;
      hub.broadcast(event);
      await until(() => hub.replies.length > before);
      assert.deepEqual(hub.replies.at(-1), { id: event.id, status });
      await page.settle();
    };
    await send(first, "202");
    await send(second, "202");
    await send(first, "200");
    assert.equal(page.pid, 3);
    await send({ ...opened(1), id: second.id }, "202");
    assert.equal(page.pid, 1);
    await send(second, "200");
    // the hub sends its context after the connection was lost
    hub.cut();
    await until(async () => (await getContext(api)).state === "unreachable");
    await following(test);
    await until(async () => {
      await page.settle();
      return page.pid === 3;
    });
    hub.cut();
    await until(async () => (await getContext(api)).state === "unreachable");
    const before = hub.replies.length;
    await following(test);
    await until(() => hub.replies.length > before);
    assert.deepEqual(hub.replies.at(-1), { id: second.id, status: "200" }, "it is shown already");
  },
);

contextTest("an open that waits outlasts the close of the study before it", async (test) => {
  const { api, hub } = test, page = new TestPage(test);
  await following(test);
  await heard(test, opened(1));
  await page.settle();
  const event_id = await heard(test, opened(3));
  const close = hubEvent(TOPIC, "ImagingStudy-close", { patientId: "P-1", studyUid: uidOf(1) });
  hub.sendRaw(JSON.stringify(close));
  assert.equal(await hub.replyTo(close.id), "200");
  assert.equal((await getContext(api)).event_id, event_id);
  await page.settle();
  assert.equal(page.pid, 3);
});

contextTest("an open that cannot be read is shown as one that was not followed", async (test) => {
  const { api, hub } = test;
  await following(test);
  const event = opened(3);
  event.event.context = [];
  const event_id = await heard(test, { ...event, timestamp: "yesterday" });
  assert.equal((await followContext(api, { event_id, shown_pid: 1 })).action, "unnamed");
  await until(() => hub.posted.some(({ event }) => event["hub.event"] === "SyncError"));
});

contextTest("an event is for the one session that a person has", async (test) => {
  const { api, open } = test;
  await following(test);
  const { access_token } = await login(open, { email: EMAIL, password: PASSWORD });
  const event_id = await heard(
    { ...test, api: { ...open, token: access_token } },
    opened(3),
  );
  // a page in the background gets no event that belongs to the page in front
  await assert.rejects(followContext(api, { event_id, shown_pid: 1 }), AppError);
  const step = await followContext({ ...open, token: access_token }, { event_id, shown_pid: 1 });
  assert.equal(step.action, "open");
});

contextTest(
  "a hub that floods, sends too much or no text is cut off and asked again later",
  async (test) => {
    const { hub } = test;
    const faults: (() => void)[] = [
      () => hub.sendRaw(`"${"x".repeat(MAX_HUB_MESSAGE_BYTES)}"`),
      () => hub.sendRaw(new Uint8Array(10)),
      () => {
        for (let n = 0; n < 200; n++) hub.sendRaw("{}");
      },
    ];
    await following(test);
    for (const fault of faults) {
      const before = hub.modes.length;
      fault();
      // the state "unreachable" ends with the next request to the hub
      await until(() => hub.modes.length > before);
      await following(test);
    }
  },
);

contextTest(
  "a hub that is away, refuses or names another host is shown as unreachable",
  async (test) => {
    const { api, hub } = test, { faults } = hub;
    await following(test);
    const cases: (() => void)[] = [
      () => faults.answer = () => new Response("no", { status: 403 }),
      () => faults.answer = () => new Response("x".repeat(1 << 20), { status: 202 }),
      () => faults.answer = () => new Response("not JSON", { status: 202 }),
      () => faults.answer = () => Response.redirect("http://127.0.0.1:1/", 307),
      () => {
        delete faults.answer;
        faults.endpoint = "ws://127.0.0.1:1/other";
      },
      () => {
        delete faults.endpoint;
        faults.greeting = JSON.stringify({
          "hub.mode": "denied",
          "hub.topic": TOPIC,
          "hub.events": "",
        });
      },
    ];
    for (const begin of cases) {
      begin();
      hub.cut();
      await until(async () => (await getContext(api)).state === "unreachable");
      const before = hub.modes.length;
      await until(() => hub.modes.length > before);
      assert.equal((await getContext(api)).state, "unreachable");
      for (const key of Object.keys(faults)) delete faults[key as keyof typeof faults];
      await following(test);
    }
    assert.deepEqual(hub.refused, [], "each request has the token");
  },
);

databaseTest("without a hub nothing is shared", async (database) => {
  await withCore(
    async ({ api, dataDir }) => {
      await addStudies(dataDir, 1);
      assert.deepEqual(await getContext(api), { state: "off", hub: "", event_id: null });
      assert.equal((await followContext(api, { event_id: "1", shown_pid: null })).action, "none");
      await showContext(api, 1);
      await refuseContext(api, "1");
      const db = await openBeside(dataDir);
      await db.destroy();
    },
    {},
    database,
  );
});

Deno.test("a hub that does not answer does not hold up the end of the site", async () => {
  await using hub = serveHub();
  const { promise: answered, resolve: answer } = Promise.withResolvers<Response>();
  let askedMs = 0, waitedMs = Infinity;
  const cut = async () => {
    await until(() => hub.topics().length === 0);
    waitedMs = performance.now() - askedMs;
  };
  await withCore(async (test) => {
    await following({ ...test });
    hub.faults.answer = () => {
      askedMs = performance.now();
      void cut();
      return answered;
    };
  }, { contextHub: hub.settings });
  await until(() => waitedMs < Infinity);
  // a running site would wait 10 s
  assert.ok(waitedMs < 8000, `${waitedMs} ms`);
  answer(new Response(null, { status: 202 }));
});

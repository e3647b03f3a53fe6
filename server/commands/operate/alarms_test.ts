// covers: S-128
import assert from "node:assert/strict";
import { Alarms, lookAt } from "@/server/commands/operate/alarms.ts";
import { alarmText } from "@/model/text/site/alarms.ts";

const GOOD = {
  isReady: true,
  diskPercent: 40,
  isWritable: true,
  failed: 0,
  oldestQueuedS: 0,
  standing: 0,
  refused: 0,
  errors: 0,
  norms: 0,
  scanners: 0,
  stopped: 0,
};
const named = (alarms: ReturnType<Alarms["look"]>) =>
  alarms.map(({ name, state }) => `${name} ${state}`);

Deno.test("Alarms tell once that something begins, and once that it is over; one look away is no alarm", () => {
  const alarms = new Alarms(80);
  assert.deepEqual(named(alarms.look(GOOD)), []);
  assert.deepEqual(named(alarms.look({ ...GOOD, isReady: false })), []);
  assert.deepEqual(named(alarms.look({ ...GOOD, isReady: false })), ["site firing"]);
  assert.deepEqual(named(alarms.look({ ...GOOD, isReady: false, diskPercent: 85 })), [
    "disk firing",
  ]);
  assert.deepEqual(named(alarms.look({ ...GOOD, diskPercent: 85, oldestQueuedS: 8000 })), [
    "site over",
    "queue firing",
  ]);
  const readOnly = { ...GOOD, diskPercent: 85, oldestQueuedS: 8000, isWritable: false };
  assert.deepEqual(named(alarms.look(readOnly)), ["writing firing"]);
  assert.deepEqual(named(alarms.look({ ...readOnly, isWritable: null })), []);
  assert.deepEqual(named(alarms.look({ ...readOnly, isWritable: true })), ["writing over"]);
  // what is not known changes nothing
  assert.deepEqual(
    named(
      alarms.look({
        ...GOOD,
        diskPercent: null,
        isWritable: null,
        failed: null,
        oldestQueuedS: null,
        standing: null,
        refused: null,
      }),
    ),
    [],
  );
  assert.deepEqual(named(alarms.look({ ...GOOD, standing: 1 })), [
    "disk over",
    "queue over",
    "connections firing",
  ]);
  assert.deepEqual(named(alarms.look({ ...GOOD, standing: 2 })), []);
  assert.deepEqual(named(alarms.look(GOOD)), ["connections over"]);
});

Deno.test("Alarms count failures between two looks, also of a process that began anew", () => {
  const alarms = new Alarms(80);
  assert.deepEqual(named(alarms.look({ ...GOOD, failed: 7 })), []);
  assert.deepEqual(named(alarms.look({ ...GOOD, failed: 9 })), []);
  assert.deepEqual(named(alarms.look({ ...GOOD, failed: 12 })), ["jobs firing"]);
  assert.deepEqual(named(alarms.look({ ...GOOD, failed: 12 })), ["jobs over"]);
  assert.deepEqual(named(alarms.look({ ...GOOD, failed: 3 })), ["jobs firing"]);
  assert.deepEqual(named(alarms.told("backup", true, "The backup failed")), ["backup firing"]);
  assert.deepEqual(named(alarms.told("backup", true, "The backup failed")), []);
  assert.deepEqual(named(alarms.told("backup", false, "whole")), ["backup over"]);
  assert.deepEqual(named(alarms.told("server", true, "137")), ["server firing"]);
  assert.deepEqual(named(alarms.told("server", true, "137")), ["server firing"]);
});

Deno.test("Alarms tell of more refusals between two looks than are usual, also of a process that began anew", () => {
  const alarms = new Alarms(80, 100);
  // what was refused before the first look is nobody's news
  assert.deepEqual(named(alarms.look({ ...GOOD, refused: 5000 })), []);
  assert.deepEqual(named(alarms.look({ ...GOOD, refused: 5100 })), []);
  assert.deepEqual(named(alarms.look({ ...GOOD, refused: null })), []);
  assert.deepEqual(named(alarms.look({ ...GOOD, refused: 5201 })), ["refusals firing"]);
  assert.deepEqual(named(alarms.look({ ...GOOD, refused: 5202 })), ["refusals over"]);
  assert.deepEqual(named(alarms.look({ ...GOOD, refused: 101 })), ["refusals firing"]);
});

Deno.test("Alarms tell of errors of the program that nothing handled, and that there are no more", () => {
  const alarms = new Alarms(80);
  assert.deepEqual(named(alarms.look({ ...GOOD, errors: 4 })), []);
  assert.deepEqual(named(alarms.look({ ...GOOD, errors: 5 })), ["errors firing"]);
  assert.deepEqual(named(alarms.look({ ...GOOD, errors: 6 })), []);
  assert.deepEqual(named(alarms.look({ ...GOOD, errors: null })), []);
  assert.deepEqual(named(alarms.look({ ...GOOD, errors: 6 })), ["errors over"]);
});

Deno.test("Alarms are sentences in the site's language, also when they are over", () => {
  const texts = (["en", "ko"] as const).map((language) => {
    const alarms = new Alarms(80, Infinity, language);
    return [{ ...GOOD, diskPercent: 85 }, GOOD].flatMap((look) => alarms.look(look)).map((
      { text },
    ) => text);
  });
  assert.deepEqual(texts, [
    ["The disk is 85\u00a0% full", alarmText.disk_over.en],
    ["디스크 사용량이 85\u00a0%입니다", alarmText.disk_over.ko],
  ]);
});

Deno.test("norms of routine studies that have left their interval are an alarm until they fit again", () => {
  const alarms = new Alarms(80);
  assert.deepEqual(named(alarms.look(GOOD)), []);
  assert.deepEqual(named(alarms.look({ ...GOOD, norms: 1 })), ["norms firing"]);
  assert.deepEqual(named(alarms.look({ ...GOOD, norms: null })), []);
  assert.deepEqual(named(alarms.look({ ...GOOD, norms: 2 })), []);
  assert.deepEqual(named(alarms.look(GOOD)), ["norms over"]);
});

Deno.test("scanners with results that have changed are an alarm until their charts are restarted", () => {
  const alarms = new Alarms(80);
  assert.deepEqual(named(alarms.look({ ...GOOD, scanners: 2 })), ["scanners firing"]);
  assert.deepEqual(named(alarms.look({ ...GOOD, scanners: null })), []);
  assert.deepEqual(named(alarms.look({ ...GOOD, stopped: 1, scanners: 2 })), ["stopped firing"]);
  assert.deepEqual(named(alarms.look({ ...GOOD, scanners: 2 })), ["stopped over"]);
  assert.deepEqual(named(alarms.look(GOOD)), ["scanners over"]);
});

Deno.test("lookAt() reads the figures, and counts no end that somebody asked for as a failure", () => {
  const text = `# HELP x y
sulcus_disk_free_bytes 25
sulcus_disk_size_bytes 100
sulcus_disk_writable 0
sulcus_oldest_queued_job_seconds 1.5
sulcus_connection_queues_standing 1
sulcus_local_norms_left_interval 2
sulcus_scanners_changed 1
sulcus_scanners_stopped 2
sulcus_jobs_ended_total{kind="analysis",outcome="done"} 10
sulcus_jobs_ended_total{kind="analysis",outcome="job.canceled"} 2
sulcus_jobs_ended_total{kind="analysis",outcome="engine.crashed"} 3
sulcus_http_requests_total{status="200"} 9000
sulcus_http_requests_total{status="401"} 40
sulcus_http_requests_total{status="403"} 2
sulcus_http_requests_total{status="429"} 1
sulcus_unhandled_errors_total{origin="exception"} 1
sulcus_unhandled_errors_total{process="gate"} 2
`;
  assert.deepEqual(lookAt(true, text), {
    isReady: true,
    diskPercent: 75,
    isWritable: false,
    failed: 3,
    oldestQueuedS: 1.5,
    standing: 1,
    refused: 43,
    errors: 3,
    norms: 2,
    scanners: 1,
    stopped: 2,
  });
  assert.deepEqual(lookAt(false, null), {
    isReady: false,
    diskPercent: null,
    isWritable: null,
    failed: null,
    oldestQueuedS: null,
    standing: null,
    refused: null,
    errors: null,
    norms: null,
    scanners: null,
    stopped: null,
  });
});

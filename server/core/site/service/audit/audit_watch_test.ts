// covers: S-103
import assert from "node:assert/strict";
import { openSite } from "@/server/core/mod.ts";
import { appendAudit } from "@/server/core/site/service/audit/audit.ts";
import { watchAudit } from "@/server/core/site/service/audit/audit_watch.ts";
import { entryMessage, syslogTarget } from "@/server/core/site/service/audit/syslog.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";
import { addStudies } from "@/tests/sites/stored_studies.ts";
import { CERTIFICATE, KEY } from "@/server/edge/web/tls/tls_certificate_fixture.ts";

/** Messages of a stream framed by octet counts. */
function messagesIn(bytes: Uint8Array): string[] {
  const messages: string[] = [];
  for (let at = 0; at < bytes.length;) {
    const space = bytes.indexOf(0x20, at),
      size = Number(new TextDecoder().decode(bytes.subarray(at, space)));
    messages.push(new TextDecoder().decode(bytes.subarray(space + 1, space + 1 + size)));
    at = space + 1 + size;
  }
  return messages;
}

Deno.test("the audit log goes to a receiver over TLS, each entry once, also what waited while it was away", async () => {
  const dataDir = await Deno.makeTempDir();
  const db = await openSite({ dataDir });
  const warned: string[] = [],
    log = (level: string, text: string) => void (level === "warn" && warned.push(text));
  const services = { db, log } as unknown as ServiceContext;
  const listener = Deno.listenTls({ hostname: "127.0.0.1", port: 0, cert: CERTIFICATE, key: KEY });
  const { port } = listener.addr as Deno.NetAddr;
  const received = new Array<string>();
  const serving = (async () => {
    for await (const connection of listener) {
      const bytes = new Uint8Array(
        await new Response(connection.readable).arrayBuffer().catch(() => new ArrayBuffer()),
      );
      received.push(...messagesIn(bytes));
    }
  })();
  const target = { hostname: "127.0.0.1", port, isTls: true };
  // a certificate that nobody trusts gets nothing
  const distrusting = watchAudit(services, target, 1e9);
  await distrusting.look();
  await appendAudit(db, { event: "auth.login", userId: 1, address: '10.0.0.1"]' });
  await distrusting.close();
  assert.equal(warned.length > 0, true);
  assert.equal(received.length, 0);

  const watch = watchAudit(services, { ...target, caCerts: [CERTIFICATE] }, 1e9);
  await watch.look();
  await appendAudit(db, { event: "study.view", userId: 1 }, [7, 8]);
  await watch.close();
  listener.close();
  await serving.catch(() => {});
  const told = received.filter((text) => !text.includes("audit.anchor"));
  assert.deepEqual(told.map((text) => /seq="(\d+)"/.exec(text)?.[1]), ["1", "2", "3"]);
  assert.match(
    told[0]!,
    /^<109>1 \S+Z - sulcus - auth\.login \[sulcus@32473 seq="1" user="1" address="10\.0\.0\.1\\"\\\]"/,
  );
  assert.match(received.at(-1)!, /audit\.anchor \[sulcus@32473 seq="3" hash="[0-9a-f]{64}"\]$/);
  await db.destroy();
  await Deno.remove(dataDir, { recursive: true });
});

Deno.test("messages of DICOM name the study as it is, framed by their bytes", async () => {
  const dataDir = await Deno.makeTempDir();
  await addStudies(dataDir, 1);
  const db = await openSite({ dataDir });
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const received = new Array<string>();
  const serving = (async () => {
    for await (const connection of listener) {
      received.push(
        ...messagesIn(new Uint8Array(await new Response(connection.readable).arrayBuffer())),
      );
    }
  })();
  const { port } = listener.addr as Deno.NetAddr;
  const services = { db, log: () => {} } as unknown as ServiceContext;
  const watch = watchAudit(services, { hostname: "127.0.0.1", port, isTls: false }, 1e9, {
    isDicom: true,
    enterprise: 60123,
  });
  await watch.look();
  await appendAudit(db, { event: "study.view", userId: 1, details: { title: "홍길동" } }, [1, 99]);
  await watch.close();
  listener.close();
  await serving.catch(() => {});
  const { study_uid, patient_id } = await db.selectFrom("patients")
    .select(["study_uid", "patient_id"]).where("pid", "=", 1).executeTakeFirstOrThrow();
  assert.ok(received[0]!.includes(`ParticipantObjectID="${study_uid}"`), received[0]);
  assert.ok(received[0]!.includes(`ParticipantObjectID="${patient_id}"`));
  assert.ok(received[1]!.includes(`ParticipantObjectID="99"`));
  assert.ok(received.slice(0, 2).every((text) => text.endsWith("</AuditMessage>")));
  assert.match(received[2]!, /audit\.anchor \[sulcus@60123 /);
  await db.destroy();
  await Deno.remove(dataDir, { recursive: true });
});

Deno.test("entryMessage() makes one line of whatever stands in an entry", () => {
  const row = {
    seq: 1,
    at: "2026-01-01T00:00:00.000Z",
    user_id: null,
    address: "a\nb",
    event: "auth.login",
    pid: null,
  };
  const text = entryMessage({
    ...row,
    outcome: "auth.invalid",
    details: "{}",
    request_id: null,
    hash: "0",
    mac: null,
  });
  assert.equal(text.includes("\n"), false);
  assert.match(text, /^<108>1 /);
});

Deno.test("syslogTarget() takes tls and tcp with a port, and nothing else", () => {
  assert.deepEqual(syslogTarget("tls://siem.hospital:6514"), {
    hostname: "siem.hospital",
    port: 6514,
    isTls: true,
  });
  for (const text of ["udp://x:1", "tls://x", "tls://u:p@x:1", "tls://x:1/a", "x:1"]) {
    assert.equal(syslogTarget(text), null, text);
  }
});

// Audit messages of DICOM PS3.15 A.5, validated by xmllint against the schema of the standard.
// covers: S-219
import assert from "node:assert/strict";
import { auditEventText } from "@/model/text/site/audit_events.ts";
import { Random } from "@/model/random.ts";
import { auditMessage, eventKindOf } from "@/server/core/site/service/audit/audit_message.ts";
import { entryMessage } from "@/server/core/site/service/audit/syslog.ts";
import type { StoredAudit } from "@/server/core/site/storage/audit.ts";

const SCHEMA = new URL("../../../../../tests/sites/audit/audit_message.rng", import.meta.url);
const xmllint = await new Deno.Command("xmllint", { args: ["--version"], stderr: "null" })
  .output().then(({ success }) => success, () => false);

const entry = (more: Partial<StoredAudit> = {}): StoredAudit => ({
  seq: 7,
  at: "2026-01-06T01:00:00.000Z",
  user_id: 3,
  address: "10.0.0.1",
  event: "study.view",
  pid: 12,
  outcome: "ok",
  details: "{}",
  request_id: null,
  hash: "0".repeat(64),
  mac: null,
  ...more,
});
const STUDY = { studyUid: "1.2.3", patientId: "P-1" };

/** Lines in which xmllint finds fault with messages, by file; empty: all are valid. */
async function faultsOf(messages: readonly string[]): Promise<string> {
  const folder = await Deno.makeTempDir();
  try {
    const names = messages.map((_, at) => `${folder}/${at}.xml`);
    for (const [at, text] of messages.entries()) await Deno.writeTextFile(names[at]!, text);
    const { code, stderr } = await new Deno.Command("xmllint", {
      args: ["--noout", "--nonet", "--relaxng", SCHEMA.pathname, ...names],
      stdout: "null",
      stderr: "piped",
    }).output();
    const lines = new TextDecoder().decode(stderr).split("\n")
      .filter((line) => line !== "" && !line.endsWith(" validates"));
    assert.equal(code === 0, lines.length === 0, lines.join("\n"));
    return lines.join("\n");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test({
  name: `every event of the audit log is a valid message of PS3.15${
    xmllint ? "" : " (skipped: no xmllint)"
  }`,
  ignore: !xmllint,
  fn: async () => {
    const messages = Object.keys(auditEventText).flatMap((event) => [
      auditMessage(entry({ event }), STUDY),
      auditMessage(entry({ event, outcome: "access.forbidden", user_id: null }), null),
      auditMessage(entry({ event, pid: null, address: null, details: '{"norm":1}' }), null),
    ]);
    assert.equal(await faultsOf(messages), "");
    // the schema finds fault where there is one
    const [good] = messages as [string];
    for (
      const [from, to] of [
        ["<EventID ", "<EventId "],
        ['EventOutcomeIndicator="0"', 'EventOutcomeIndicator="1"'],
        [/<ActiveParticipant.*?<AuditSource/, "<AuditSource"],
        [/<ParticipantObjectName>.*?<\/ParticipantObjectName>/, ""],
        ['EventDateTime="2026', 'EventDateTime="06'],
      ] as const
    ) {
      assert.notEqual(await faultsOf([good.replace(from, to)]), "", String(from));
    }
  },
});

Deno.test({
  name: `whatever stands in an entry cannot break its message${
    xmllint ? "" : " (skipped: no xmllint)"
  }`,
  ignore: !xmllint,
  fn: async () => {
    const random = new Random(3);
    const pieces = [
      "<",
      "&",
      '"',
      "'",
      "]]>",
      "<!--",
      "\u0000",
      "\ud800",
      "\uffff",
      "홍길동",
      "\n",
    ];
    const wild = () =>
      Array.from({ length: 12 }, () => pieces[Math.floor(random.uniform() * pieces.length)]).join(
        "",
      );
    const messages = Array.from({ length: 100 }, () =>
      auditMessage(
        entry({
          event: `study.${wild()}`,
          address: wild(),
          outcome: wild(),
          details: wild(),
          request_id: wild(),
          hash: wild(),
        }),
        { studyUid: wild(), patientId: wild() },
      ));
    assert.equal(await faultsOf(messages), "");
  },
});

Deno.test("a message has the code of its event, the study's UID, and our structured data before it", () => {
  const form = { isDicom: true, enterprise: 60123 };
  const text = entryMessage(entry(), form, STUDY);
  assert.match(
    text,
    /^<85>1 2026-01-06T01:00:00\.000Z - sulcus - DICOM\+RFC3881 \[sulcus@60123 event="study\.view" seq="7" user="3" /,
  );
  const xml = text.slice(text.indexOf("\uFEFF") + 1);
  assert.match(xml, /^<\?xml version="1\.0" encoding="UTF-8"\?><AuditMessage>/);
  assert.match(xml, /<EventID csd-code="110103" codeSystemName="DCM" /);
  assert.match(xml, /ParticipantObjectID="1\.2\.3"/);
  assert.match(xml, /ParticipantObjectID="P-1" ParticipantObjectTypeCode="1"/);
  // a study that is deleted is named by its number
  assert.match(auditMessage(entry(), null), /ParticipantObjectID="12"/);
  assert.match(auditMessage(entry({ outcome: "internal" }), null), /EventOutcomeIndicator="8"/);
  assert.deepEqual(
    [
      "auth.login",
      "auth.logout",
      "study.delete",
      "audit.view",
      "user.add",
      "connection.save",
      "norm.view",
    ]
      .map((event) => [eventKindOf(event).id[0], eventKindOf(event).type?.[0]]),
    [
      ["110114", "110122"],
      ["110114", "110123"],
      ["110105", undefined],
      ["110101", undefined],
      ["110113", "110137"],
      ["110113", "110129"],
      ["rules", undefined],
    ],
  );
});

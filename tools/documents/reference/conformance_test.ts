// covers: S-220
import assert from "node:assert/strict";
import { STORAGE_SYNTAXES } from "@/server/gate/dimse/uids.ts";
import { SOP_CLASS } from "@/server/core/dicom/write/derived_object.ts";
import { eventsOf, kindOf } from "@/model/hl7/adt.ts";
import { controlsOf, isOrder, ORDER_EVENTS } from "@/model/hl7/order.ts";
import type { Hl7Header } from "@/model/hl7/message.ts";
import { auditEventText } from "@/model/text/site/audit_events.ts";
import { eventKindOf } from "@/server/core/site/service/audit/audit_message.ts";
import { integration } from "@/tools/documents/reference/integration.ts";
import { conformance } from "@/tools/documents/reference/conformance.ts";

Deno.test("the integration statement holds each event of HL7, each audit event and each kind of result, by the code", () => {
  for (const action of ["update", "merge", "ignore"] as const) {
    assert.ok(eventsOf(action).length > 0);
    for (const event of eventsOf(action)) {
      assert.equal(integration.split(`ADT^${event}`).length, 2, event);
      assert.equal(
        kindOf({ type: "ADT", event } as Hl7Header),
        action,
      );
    }
  }
  for (const [type, event] of Object.entries(ORDER_EVENTS)) {
    assert.equal(integration.split(`${type}^${event}`).length, 2, event);
    assert.ok(isOrder({ type, event } as Hl7Header));
  }
  for (const action of ["set", "cancel"] as const) {
    assert.ok(controlsOf(action).length > 0);
    for (const code of controlsOf(action)) assert.match(integration, new RegExp(`\\b${code}\\b`));
  }
  for (const event of Object.keys(auditEventText)) {
    const rows = integration.split("\n").filter((line) => line.includes(`\`${event}\``));
    assert.equal(rows.length, 1, event);
    assert.ok(rows[0]!.startsWith(`| ${eventKindOf(event).id[0]} |`), rows[0]);
  }
  // the statement claims exactly the objects that the program writes
  const { enhancedSr, segmentation, keyObjectSelection, parametricMap } = SOP_CLASS;
  for (const uid of [enhancedSr, segmentation, keyObjectSelection, parametricMap]) {
    assert.match(integration, new RegExp(`\\| yes, \`${uid.replaceAll(".", "\\.")}\` \\|`));
  }
  assert.match(integration, /\| presentation state \| no \|/);
});

Deno.test("the conformance statement names every transfer syntax that is taken and every object that is sent", () => {
  for (const [uid, name] of Object.entries(STORAGE_SYNTAXES)) {
    assert.ok(conformance.includes(`| ${name} | \`${uid}\` |`), name);
  }
  const table = conformance.split("### Objects that are sent")[1]!.split("###")[0]!;
  const writers = new URL("../../../server/core/dicom/write/", import.meta.url);
  const written = new Set<string>();
  for (const { name } of Deno.readDirSync(writers)) {
    if (!name.endsWith(".ts") || name.endsWith("_test.ts")) continue;
    const code = Deno.readTextFileSync(new URL(name, writers));
    for (const [, kind] of code.matchAll(/SOP_CLASS\.(\w+)/g)) {
      written.add(SOP_CLASS[kind as keyof typeof SOP_CLASS]);
    }
    // a class that a writer names by its UID
    for (const [uid] of code.matchAll(/1\.2\.840\.10008\.5\.1\.4\.1\.1(\.\d+)+/g)) written.add(uid);
  }
  assert.ok(written.size >= Object.keys(SOP_CLASS).length);
  for (const uid of written) assert.ok(table.includes(`\`${uid}\``), uid);
  assert.doesNotMatch(conformance, /undefined|NaN/);
});

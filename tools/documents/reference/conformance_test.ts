import assert from "node:assert/strict";
import { STORAGE_SYNTAXES } from "@/server/gate/dimse/uids.ts";
import { SOP_CLASS } from "@/server/core/dicom/write/derived_object.ts";
import { conformance } from "@/tools/documents/reference/conformance.ts";

Deno.test("the conformance statement names every transfer syntax that is taken and every object that is sent", () => {
  for (const [uid, name] of Object.entries(STORAGE_SYNTAXES)) {
    assert.ok(conformance.includes(`| ${name} | \`${uid}\` |`), name);
  }
  for (const [name, uid] of Object.entries(SOP_CLASS)) {
    assert.ok(conformance.includes(`\`${uid}\``), name);
  }
  assert.doesNotMatch(conformance, /undefined|NaN/);
});

import assert from "node:assert/strict";
import { addressOf } from "@/components/administration/RemoteSystems.tsx";

Deno.test("a system without an address has no port in the table", () => {
  const config = { url: "", ae_title: "", host: "", port: 0 };
  const of = (more: Partial<typeof config>) =>
    addressOf({ ...config, ...more } as Parameters<typeof addressOf>[0]);
  assert.equal(of({}), "-");
  assert.equal(of({ host: "10.0.0.7", port: 2575 }), "10.0.0.7:2575");
  assert.equal(of({ ae_title: "PACS", host: "pacs", port: 104 }), "PACS pacs:104");
  assert.equal(of({ ae_title: "PACS", port: 104 }), "PACS");
  assert.equal(of({ url: "https://pacs/dicom-web" }), "https://pacs/dicom-web");
});

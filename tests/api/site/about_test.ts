import assert from "node:assert/strict";
import {
  getManual,
  getManualFile,
  getManualText,
  getOpenSource,
  getTerms,
} from "@/client/api/site/about.ts";
import { getDocument } from "@/client/api/site/documents.ts";
import { call } from "@/client/api/http.ts";
import { isLabelRevision, manualFileName, shownLink } from "@/model/dicom/device_label.ts";
import { FRONT_END } from "@/server/core/site/service/about.ts";
import { setLabelRevision } from "@/server/core/studies/service/label_revision.ts";
import { setLicense } from "@/server/core/site/service/license_grant.ts";
import { certType } from "@/model/schema/studies/study.ts";
import { openBeside, withCore } from "@/tests/sites/core_site.ts";

// covers: D1-7.15
Deno.test("About names product and certificate, and gives manual, terms and packages in both languages", () =>
  withCore(async ({ api }) => {
    const manual = await getManual(api);
    assert.deepEqual([manual.product, manual.cert_type], ["Sulcus", "DEMO"]);
    for (const language of ["en", "ko"] as const) {
      const file = await getManualFile(api, language);
      assert.equal(await file.slice(0, 5).text(), "%PDF-");
      assert.ok(file.size > 5000);
      assert.equal(/[가-힣]/.test((await getManualText(api, language)).content), language === "ko");
      assert.equal(/[가-힣]/.test((await getTerms(api, language)).content), language === "ko");
    }
    const answer = await call(api, "/api/v1/about/manual/file");
    const name = encodeURIComponent(manualFileName(manual)).replace(
      /[()]/g,
      (c) => c === "(" ? "%28" : "%29",
    );
    assert.ok(answer.headers.get("content-disposition")!.includes(name));
    const { licenses, front_end } = await getOpenSource(api);
    for (const name of FRONT_END) {
      assert.ok(front_end!.some((item) => item.name.startsWith(`${name} `)), name);
    }
    assert.ok(licenses.length > front_end!.length);
    for (const { link, license_type } of licenses) {
      assert.ok(/^(https?:\/\/|$)/.test(link) && license_type, link);
    }
    await assert.rejects(getManual({ ...api, token: undefined }), { code: "token.missing" });
  }));

Deno.test("documents for administrators are those of the list, and no other file", () =>
  withCore(async ({ api }) => {
    const { content, documents } = await getDocument(api, "site/pacs");
    assert.match(content, /^# /);
    const paths = documents.map(({ path }) => path);
    for (const path of ["site/install", "reference/index", "accuracy", "security"]) {
      assert.ok(paths.includes(path), path);
    }
    for (const { path, title } of documents) assert.ok(title.length > 2, path);
    for (const path of ["../SECURITY", "site/../security", "adr/README", "site/nginx.conf"]) {
      await assert.rejects(getDocument(api, path), { code: "entity.not_found" }, path);
    }
    await assert.rejects(getDocument({ ...api, token: undefined }, "site/pacs"), {
      code: "token.missing",
    });
  }));

// covers: D1-9.7
Deno.test("About follows the certificate of the licence, each with the label's revision that was entered for it", () =>
  withCore(async ({ api, dataDir }) => {
    const db = await openBeside(dataDir);
    try {
      for (const cert of certType.options) await setLabelRevision(db, cert, `REV ${cert}`);
      for (const cert of certType.options) {
        await setLicense(db, { certType: cert });
        const { cert_type, label_revision } = await getManual(api);
        assert.deepEqual([cert_type, label_revision], [cert, `REV ${cert}`]);
      }
      await setLabelRevision(db, "DEMO", null);
      assert.equal((await getManual(api)).label_revision, null);
    } finally {
      await db.destroy();
    }
  }));

// covers: D1-7.13
Deno.test("the manual's file name, links and label revisions follow their rules", () => {
  const manual = { product: "Sulcus", version: "1.2.3", cert_type: "KR" } as const;
  assert.equal(manualFileName(manual), "Sulcus 1.2.3 User Manual (KR).pdf");
  assert.equal(manualFileName(null), "User Manual.pdf");
  assert.equal(shownLink("git+https://github.com/a/b.git"), "https://github.com/a/b.git");
  assert.equal(shownLink("git+http://a.b/c"), "http://a.b/c");
  assert.equal(shownLink("javascript:alert(1)"), "");
  for (const code of ["A", "VN-M-06 KR rev. 2", "2026/01"]) assert.ok(isLabelRevision(code), code);
  for (const code of ["", " A", "<b>", "x".repeat(40)]) assert.ok(!isLabelRevision(code), code);
});

import assert from "node:assert/strict";
import { encodePng } from "@/report/pdf/png.ts";
import { renderPdf } from "@/report/pdf/pdf.ts";
import { PdfBinder } from "@/report/pdf/pdf_binder.ts";
import { hasPoppler, hasQpdf, runOnPdf } from "@/report/pdf/pdf_tools_fixture.ts";
import { imageKey } from "@/model/schema/report/report.ts";
import { fullReport } from "@/server/core/reports/service/report_fixture.ts";

const picture = encodePng(new Uint8Array(3 * 16 * 16).fill(90), 16, 16);
const pictures = Object.fromEntries(imageKey.options.map((key) => [key, picture]));

Deno.test({
  name: "PdfBinder keeps every page, its words and its structure" +
    (hasPoppler ? "" : " (skipped: no poppler)"),
  ignore: !hasPoppler,
  fn: async () => {
    const reports = [
      fullReport("ko", { pages: [1] }),
      fullReport("en", { pages: [32] }, { name: "A (b) \\ 3 0 R" }),
    ];
    const files = [];
    for (const report of reports) files.push(await renderPdf(report, pictures));
    const parts: Uint8Array[] = [];
    const binder = new PdfBinder((bytes) => Promise.resolve(void parts.push(bytes)), {
      title: "리포트",
      language: "ko",
      producer: "Sulcus",
    });
    await assert.rejects(binder.finish());
    for (const [index, file] of files.entries()) await binder.add(file, `환자 ${index + 1}`);
    await binder.finish();
    const bound = new Uint8Array(await new Blob(parts as Uint8Array<ArrayBuffer>[]).arrayBuffer());
    const whole = (of: Uint8Array, command: string, args: string[]) => runOnPdf(command, args, of);
    for (const mode of ["-raw", "-layout"]) {
      const words = (of: Uint8Array) => whole(of, "pdftotext", [mode, "", "-"]);
      assert.equal(await words(bound), (await Promise.all(files.map(words))).join(""));
    }
    const structure = async (of: Uint8Array) =>
      (await whole(of, "pdfinfo", ["-struct-text", ""])).trimEnd();
    assert.equal(
      await structure(bound),
      (await Promise.all(files.map(structure))).join("\n"),
    );
    const info = await whole(bound, "pdfinfo", [""]);
    assert.match(info, /Title: +리포트/);
    assert.match(info, /Tagged: +yes/);
    if (hasQpdf) {
      assert.match(
        await whole(bound, "qpdf", ["--check", ""]),
        /No syntax or stream encoding errors/,
      );
    }
  },
});

Deno.test("PdfBinder refuses what is not a report", async () => {
  const binder = new PdfBinder(() => Promise.resolve(), {
    title: "",
    language: "en",
    producer: "",
  });
  await assert.rejects(binder.add(new TextEncoder().encode("%PDF-1.7\n"), "x"), /cross-reference/);
});

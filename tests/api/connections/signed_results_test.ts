// covers: S-130, S-121, S-260
// The signed text in everything that leaves the site: byte by byte, or under the mark that it is from before a change.
import assert from "node:assert/strict";
import dicomParser from "dicom-parser";
import { getSentResults, renewSystemKey, savePeer } from "@/client/api/connections/connections.ts";
import { addStroke } from "@/client/api/reading/strokes.ts";
import { getDicom } from "@/client/api/report/dicom.ts";
import { getReport, getReportPdf } from "@/client/api/report/report.ts";
import { getReportsPdf } from "@/client/api/report/report_job.ts";
import {
  getReportText,
  signReportText,
  withdrawSignature,
} from "@/client/api/report/report_text.ts";
import { conclusionText } from "@/model/text/report/conclusion.ts";
import { hasPoppler, runOnPdf } from "@/report/pdf/pdf_tools_fixture.ts";
import { writeSettings } from "@/server/core/settings/storage/settings.ts";
import { SITE } from "@/server/core/site/service/context.ts";
import { queueResults } from "@/server/core/connections/service/result_queue.ts";
import { openBeside, withCore } from "@/tests/sites/core_site.ts";
import { LateGate } from "@/tests/sites/connections/gate_site.ts";
import { analysedPhantom, studyFiles } from "@/tests/sites/dicom_study.ts";

const TEXT =
  'Left hippocampus small | T1w & FLAIR ^ ~ \\ "R".\n\n1. 해마 위축: 12개월 후 추적 검사.\n2. Correlate clinically.';
const LABEL = /^Signed by Administrator, \d{4}-\d\d-\d\d/;

/** Impressions of a message, as a receiver reads them. */
const impressionsOf = (message: string) =>
  message.split("\r").map((segment) => segment.split("|"))
    .filter(([name, , , code]) => name === "OBX" && code!.startsWith("19005-8"))
    .map((
      [, , type, , , value],
    ) => [
      type,
      value!.replaceAll("\\.br\\", "\n").replaceAll(
        /\\([FSTRE])\\/g,
        (_, key: string) => ({ F: "|", S: "^", T: "&", R: "~", E: "\\" })[key]!,
      ),
    ]);

/** Texts of an SR document by the code of their concept. */
function textsOf(bytes: Uint8Array): [string, string][] {
  const utf8 = (data: dicomParser.DataSet, tag: string) => {
    const element = data.elements[tag];
    return element
      ? new TextDecoder().decode(
        data.byteArray.subarray(element.dataOffset, element.dataOffset + element.length),
      )
        .replace(/ $/, "")
      : "";
  };
  const walk = (data: dicomParser.DataSet): [string, string][] =>
    (data.elements.x0040a730?.items ?? []).flatMap(({ dataSet }) => [
      [
        dataSet!.elements.x0040a043?.items?.[0]?.dataSet?.string("x00080100") ?? "",
        utf8(dataSet!, "x0040a160"),
      ] as [string, string],
      ...walk(dataSet!),
    ]);
  return walk(dicomParser.parseDicom(bytes)).filter(([, text]) => text !== "");
}
const bytesOf = async (answer: Promise<Response>) =>
  new Uint8Array(await (await answer).arrayBuffer());
const words = (text: string) => text.split(/\s+/).filter(Boolean);

Deno.test("a signed text is byte for byte the same wherever it leaves, and a change marks it everywhere", () => {
  const gate = new LateGate(), messages: string[] = [], reports: Record<string, unknown>[] = [];
  const ask: typeof gate.ask = (task, signal) => {
    if (task.kind !== "mllp") return gate.ask(task, signal);
    messages.push(task.message);
    return Promise.resolve({ body: "MSH|^~\\&|EHR\rMSA|AA|1\r" });
  };
  return withCore(async (test) => {
    const { api, core, dataDir } = test;
    await gate.open(dataDir);
    const db = await openBeside(dataDir);
    const server = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      async (request) => {
        reports.push(await request.json());
        return new Response("{}", { status: 201 });
      },
    );
    try {
      const pid = await analysedPhantom(test, studyFiles());
      // reports of the site and of the reader have one page more than the Main Page
      for (const uid of [SITE.uid, 1]) {
        await writeSettings(db, `user:${uid}`, {
          report: { page_list: { t1: [1], t2: [1], t1t2: [1] } },
        });
      }
      const hl7 = { host: "127.0.0.1", port: 2575, results: ["hl7" as const] };
      await savePeer(api, null, { name: "EHR", kind: "hl7", config: hl7 });
      const fhir = { url: `http://127.0.0.1:${server.addr.port}`, results: ["fhir" as const] };
      const id = await savePeer(api, null, { name: "FHIR", kind: "fhir", config: fhir });
      const authorization = `Bearer ${await renewSystemKey(api, id)}`;
      const readReport = async () => {
        const address = `http://core/api/v1/fhir/DiagnosticReport/${pid}`;
        return await (await core.fetch(new Request(address, { headers: { authorization } })))
          .json();
      };
      // each system's message holds a PDF of its own
      const allSent = async () => {
        for (let left = 3_000; left > 0; left--) {
          if ((await getSentResults(api, pid)).results.every(({ state }) => state === "sent")) {
            return;
          }
          await new Promise((resolve) => setTimeout(resolve, 100));
        }
        assert.fail("the results were not sent in five minutes");
      };
      const sign = async () => {
        const { version, results } = await getReportText(api, pid);
        await signReportText(api, pid, { based_on: version, language: "ko", text: TEXT, results });
      };
      const inSr = async () => textsOf(await bytesOf(getDicom(api, pid, "measurements")));
      const inPdf = (pdf: Uint8Array) => runOnPdf("pdftotext", ["-raw", "", "-"], pdf);

      const flagsOf = async () => {
        const file = dicomParser.parseDicom(await bytesOf(getDicom(api, pid, "measurements")));
        const observer = file.elements.x0040a073?.items?.[0]?.dataSet;
        const flags = [file.string("x0040a496"), file.string("x0040a493")];
        return [...flags, ...observer ? [observer.string("x0040a075")] : []].join();
      };
      const statusesOf = (message: string) =>
        message.split("\r").map((segment) => segment.split("|")).flatMap((fields) =>
          fields[0] === "OBR" ? fields[25]! : fields[0] === "OBX" ? fields[11]! : []
        );
      /** Status of the results last sent by HL7 and FHIR, and read here. */
      const lastStatus = async () => {
        const hl7 = new Set(statusesOf(messages.at(-1)!));
        return [...hl7, reports.at(-1)!.status, (await readReport()).status].join();
      };

      // unsigned: everywhere under the label of the software
      await db.transaction().execute((tx) => queueResults(tx, pid));
      await allSent();
      const suggested = conclusionText.automatic.en;
      assert.equal(impressionsOf(messages[0]!)[0]![1], suggested);
      assert.ok(String(reports[0]!.conclusion).startsWith(suggested));
      assert.equal(await lastStatus(), "P,preliminary,preliminary");
      assert.equal(await flagsOf(), "PRELIMINARY,UNVERIFIED");
      const first = await inSr();
      assert.ok(first.some(([code, text]) => code === "121106" && text === suggested));
      await sign();
      await allSent();
      const [label, text, ...rest] = impressionsOf(messages[1]!);
      assert.match(label![1]!, LABEL);
      assert.deepEqual([text, rest], [["FT", TEXT], []]);
      for (const report of [reports[1]!, await readReport()]) {
        assert.equal(report.conclusion, TEXT);
        assert.deepEqual(report.resultsInterpreter, [{ display: "Administrator" }]);
      }
      assert.equal(await lastStatus(), "F,final,final");
      assert.equal(await flagsOf(), "FINAL,UNVERIFIED", "no hospital is named");
      await writeSettings(db, "group", { hospital_name: "Hospital" });
      assert.equal(await flagsOf(), "FINAL,VERIFIED,Administrator");
      const signed = await inSr();
      assert.deepEqual(signed.filter(([code]) => code === "121073"), [["121073", TEXT]]);
      assert.ok(!signed.some(([, text]) => text === suggested));
      assert.equal((await getReport(api, pid)).signed_text!.text, TEXT);
      if (hasPoppler) {
        for (const pdf of [getReportPdf(api, pid, { language: "en" }), getReportsPdf(api, [pid])]) {
          const printed = words(await inPdf(await bytesOf(pdf))).join(" ");
          assert.ok(printed.includes(words(TEXT).join(" ")), printed);
          assert.ok(!printed.includes(suggested));
        }
      }
      const uidOf = async () =>
        dicomParser.parseDicom(await bytesOf(getDicom(api, pid, "measurements"))).string(
          "x00080018",
        );
      const document = await uidOf();
      assert.equal(await uidOf(), document, "the same text is the same object");

      // a correction: the text stays, marked, and the suggestion is there again
      await addStroke(api, pid, { series: "t1", runs: [0, 1], value: 19 });
      await db.updateTable("outbox").set({ lease_ms: null }).where("state", "=", "waiting")
        .execute();
      await allSent();
      assert.equal(await lastStatus(), "C,corrected,corrected");
      assert.equal(await flagsOf(), "PRELIMINARY,UNVERIFIED");
      const after = impressionsOf(messages.at(-1)!);
      assert.match(after[0]![1]!, /^Signed by Administrator, .*; the results have changed since/);
      assert.deepEqual([after[1], after[2]![1]], [["FT", TEXT], suggested]);
      const { conclusion } = await readReport();
      assert.ok(conclusion.startsWith(`${after[0]![1]}\n${TEXT}\n${suggested}`), conclusion);
      const marked = await inSr();
      assert.ok(
        marked.some(([, text]) => text === suggested) && marked.some(([, text]) => text === TEXT),
      );
      assert.notEqual(await uidOf(), document);

      await withdrawSignature(api, pid, { based_on: 1, language: "en" });
      await allSent();
      assert.equal(impressionsOf(messages.at(-1)!)[0]![1], suggested);
      assert.ok(!(await inSr()).some(([, text]) => text === TEXT));
      assert.equal(await lastStatus(), "C,corrected,corrected");
      assert.equal(await flagsOf(), "PRELIMINARY,UNVERIFIED");
      const sentBefore = messages.length;
      await sign();
      await allSent();
      assert.equal(messages.length, sentBefore + 1, "a signature is sent, also after a withdrawal");
      assert.equal(await flagsOf(), "FINAL,VERIFIED,Administrator");
      assert.equal(await lastStatus(), "C,corrected,corrected");
      await sign();
      await allSent();
      assert.equal(await lastStatus(), "C,amended,amended", "nothing but the text is new");
    } finally {
      await db.destroy();
      await server.shutdown();
      await gate.close();
    }
  }, { gate: { ask, aeTitle: "SULCUS" } });
});

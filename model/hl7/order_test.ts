// covers: S-203, S-208
import assert from "node:assert/strict";
import { headerOf, Hl7Error, readMessage } from "@/model/hl7/message.ts";
import { readHospitalMessage } from "@/model/hl7/hospital_message.ts";
import { mayBeMri, type OrderMessage } from "@/model/hl7/order.ts";
import { order } from "@/tests/sites/connections/hl7_messages.ts";

const read = (text: string): OrderMessage => {
  const message = readMessage(new TextEncoder().encode(text));
  return readHospitalMessage(message, headerOf(message)) as OrderMessage;
};
const placeOf = (text: string): string => {
  try {
    read(text);
  } catch (error) {
    if (error instanceof Hl7Error) return `${error.condition} ${error.place}`;
    throw error;
  }
  return "";
};

const MSH = "MSH|^~\\&|RIS|HOSP|S|MR|20260301120000||OMI^O23|1|P|2.5";
const PID = "PID|1||P-1||Kim^Minsu||19500101|M";

Deno.test("readOrders() reads the orders of an imaging order message, each with its own numbers", () => {
  const { patient, orders, eventMs } = read([
    MSH,
    PID,
    "PV1|1|O||||||77^Lee^Jiwon^^^Dr",
    "ORC|NW|PL1|FI1",
    "TQ1|1||||||202603021030",
    "OBR|1|PL1|FI1|B1^MRI brain^LOCAL",
    "IPC|ACC1|RP1|1.2.3|SPS1|MR",
    "ORC|CA|PL2",
    "OBR|2|PL2||B2^MRA^LOCAL",
    "ORC|SC|PL3",
  ].join("\r"));
  assert.equal(patient.name, "Kim^Minsu");
  assert.equal(eventMs, Date.UTC(2026, 2, 1, 12));
  assert.deepEqual(orders[0], {
    control: "set",
    isChange: false,
    accessionNumber: "ACC1",
    isNamed: true,
    placer: "PL1",
    authority: "",
    filler: "FI1",
    number: "PL1",
    procedure: "MRI brain",
    referrer: "Lee^Jiwon^^Dr",
    plannedOn: "2026-03-02",
    modality: "MR",
  });
  assert.deepEqual(
    orders.slice(1).map(({ control, accessionNumber, number }) => [
      control,
      accessionNumber,
      number,
    ]),
    [["cancel", "", "PL2"], ["ignore", "", "PL3"]],
  );
});

Deno.test("readOrders() takes the filler's number for the accession number where there is no other", () => {
  const [one] = read(`${MSH}\r${PID}\rORC|NW||FI1\rOBR|1||FI1|B1`).orders;
  assert.deepEqual([one!.accessionNumber, one!.number, one!.procedure], ["FI1", "FI1", "B1"]);
  assert.deepEqual([one!.isNamed, one!.placer], [false, ""]);
});

const HEAD = [MSH, PID, "ORC|NW|PL1|FI1", "OBR|1|PL1|FI1|B1^Brain^LOCAL"];
const numbersIn = (...lines: string[]) =>
  read([...HEAD, ...lines].join("\r")).orders.map((one) =>
    [one.accessionNumber, one.number, one.procedure, one.modality].join(" ")
  );

Deno.test("readOrders() takes each accession number of the IPC segments of one order", () => {
  assert.deepEqual(numbersIn("IPC|A1|R1|1.2|S1|MR", "IPC|A2|R2|1.3|S2|MR"), [
    "A1 PL1 Brain MR",
    "A2 PL1 Brain MR",
  ]);
  // two steps of a procedure, one of them an MRI step, and a step without an accession number
  assert.deepEqual(numbersIn("IPC|A1|R1|1.2|S1|CT", "IPC|A1|R1|1.2|S2|MR", "IPC||R1|1.2|S3|MR"), [
    "A1 PL1 Brain MR",
  ]);
  assert.deepEqual(numbersIn("IPC||R1|1.2|S1|CT", "IPC||R1|1.2|S2|MR"), ["FI1 PL1 Brain MR"]);
});

Deno.test("readOrders() prefers the accession number of any IPC segment to OBR-18 and the filler's", () => {
  const numbers = ["", "A1", "A2"], named = `OBR|1|||B1^Brain^LOCAL|${"|".repeat(13)}B9`;
  for (const obr of [named, "OBR|1|||B1^Brain^LOCAL"]) {
    for (const filler of ["FI1", ""]) {
      for (const steps of numbers.flatMap((a) => numbers.map((b) => [a, b, "A1"]))) {
        const lines = [
          `ORC|NW|PL1|${filler}`,
          obr,
          ...steps.map((one) => `IPC|${one}|R1|1.2|S1|MR`),
        ];
        const { orders } = read([MSH, PID, ...lines].join("\r"));
        const given = [...new Set(steps.filter(Boolean))];
        assert.deepEqual(orders.map(({ accessionNumber }) => accessionNumber), given);
        assert.ok(orders.every(({ isNamed, procedure }) => isNamed && procedure === "Brain"));
      }
    }
  }
});

Deno.test("readOrders() keeps the order of commands about one order", () => {
  const one = (code: string, accession: string, procedure: string) => [
    `ORC|${code}|PL1|FI1`,
    `OBR|1|PL1|FI1|B1^${procedure}^LOCAL|${"|".repeat(13)}${accession}`,
  ];
  const commandsIn = (...lines: string[][]) =>
    read([MSH, PID, ...lines.flat()].join("\r")).orders.map((one) =>
      [one.isChange ? "change" : one.control, one.accessionNumber, one.procedure].join(" ")
    );
  assert.deepEqual(commandsIn(one("NW", "A1", "X"), one("CA", "A1", "X"), one("NW", "A1", "Y")), [
    "set A1 X",
    "cancel A1 X",
    "set A1 Y",
  ]);
  assert.deepEqual(commandsIn(one("CA", "A1", "X"), one("XO", "A1", "X"), one("CA", "A1", "X")), [
    "cancel A1 X",
    "change A1 X",
    "cancel A1 X",
  ]);
  // the same order again, after another accession number of the same order number
  assert.deepEqual(commandsIn(one("NW", "A1", "X"), one("NW", "A2", "Z"), one("NW", "A1", "Y")), [
    "set A1 X / Y",
    "set A2 Z",
  ]);
});

Deno.test("readOrders() joins groups with the same numbers, of which the last would replace the others", () => {
  const second = ["ORC|NW|PL1|FI1", "OBR|2|PL1|FI1|B2^MRA^LOCAL"];
  assert.deepEqual(numbersIn(...second), ["FI1 PL1 Brain / MRA "]);
  assert.deepEqual(numbersIn("IPC|A1|R1|1.2|S1|MR", ...second, "IPC|A2|R2|1.3|S2|MR"), [
    "A1 PL1 Brain MR",
    "A2 PL1 MRA MR",
  ]);
});

Deno.test("readOrders() takes a change with an order number and no accession number", () => {
  const [one] = read(`${MSH}\r${PID}\rORC|XO|PL1\rOBR|1`).orders;
  assert.deepEqual([one!.accessionNumber, one!.number, one!.isNamed], ["", "PL1", false]);
});

Deno.test("readOrders() refuses orders that no site could apply, with the place", () => {
  const of = (...lines: string[]) => placeOf([MSH, PID, ...lines].join("\r"));
  assert.equal(of(), "sequence ORC");
  assert.equal(of("OBR|1", "ORC|NW"), "sequence OBR");
  assert.equal(of("ORC", "OBR|1"), "required ORC^1^1");
  assert.equal(of("ORC|NW|PL1", "OBR|1"), "required OBR^1^18");
  assert.equal(of("ORC|XO", "OBR|1"), "required OBR^1^18");
  assert.equal(of("ORC|CA", "OBR|1"), "required ORC^1^2");
  assert.equal(of(`ORC|NW||${"9".repeat(65)}`), "type ORC^1^3");
  assert.equal(of("ORC|NW||A\\E\\B"), "type ORC^1^3");
  assert.equal(of("ORC|NW||A", "OBR|1", "OBR|2"), "sequence OBR");
  assert.equal(of(...Array.from({ length: 51 }, (_, n) => `ORC|NW||A${n}`)), "limit ORC");
  assert.equal(placeOf(`${MSH}\rORC|NW||A`), "sequence PID");
  assert.equal(placeOf(order({}).replace("ORM^O01", "ORM^O02")), "event MSH^1^9");
  assert.equal(placeOf(order({}).replace("ORM^O01", "OMG^O19")), "message MSH^1^9");
  // an order control code must not be looked up as a property of Object.prototype
  assert.equal(read(order({ code: "constructor" })).orders[0]!.control, "ignore");
});

Deno.test("readOrders() holds texts to their lengths, without control characters, and impossible days back", () => {
  const [one] = read(
    order({ procedure: `A\\X0D0A1B\\${"b".repeat(300)}`, planned: "20260231", referrer: "A=B^C" }),
  ).orders;
  assert.equal(one!.procedure.length, 200);
  assert.doesNotMatch(one!.procedure, /\p{Cc}/u);
  assert.equal(one!.plannedOn, null);
  assert.equal(one!.referrer, "A B^C");
});

/** Diagnostic service sections of HL7 table 0074 (HL7 2.5, 4.5.3.24). */
const SECTIONS = (
  "AU BG BLB CG CUS CTH CT CH CP EC EN GE HM ICU IMG IMM LAB MB MCB MYC NMS NMR NRS OUS OT OTH OSL " +
  "PAR PAT PHR PT PHY PF RAD RX RUS RC RT SR SP TX URN VUS VR XRC"
).split(" ");

Deno.test("mayBeMri() takes orders of MRI and radiology and none of another department", () => {
  const isOf = (modality: string) => mayBeMri(read(order({ modality })).orders[0]!);
  assert.deepEqual(SECTIONS.filter(isOf), ["IMG", "NMR", "RAD"]);
  // DICOM terms (PS3.3, C.7.3.1.1.1), a hospital's spelling, and a code that no standard defines
  assert.deepEqual(["MR", "mr", "MRI", "", "CT", "NM", "PT", "US", "XA", "ENDO"].map(isOf), [
    true,
    true,
    true,
    true,
    ...Array.from({ length: 6 }, () => false),
  ]);
});

Deno.test("readOrders() reads the authority that assigned a placer's number", () => {
  const authorityOf = (orc: string, obr = "") =>
    read([MSH, PID, `ORC|NW|${orc}`, `OBR|1|${obr}|F1`].join("\r")).orders[0]!.authority;
  assert.equal(authorityOf("N1"), "");
  assert.equal(authorityOf("N1^WARD"), "WARD");
  assert.equal(authorityOf("N1^WARD^1.2.3^ISO"), "WARD");
  assert.equal(authorityOf("N1^^1.2.3^ISO"), "1.2.3");
  assert.equal(authorityOf("", "N1^CLINIC"), "CLINIC");
  // ORC-2 has the order number, so the assigning authority in OBR-2 is not used
  assert.equal(authorityOf("N1", "N1^CLINIC"), "");
});

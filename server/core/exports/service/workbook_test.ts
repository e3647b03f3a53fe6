// covers: S-81
import assert from "node:assert/strict";
import { columnsSheet } from "@/server/core/exports/service/columns_sheet.ts";
import {
  csvText,
  safeText,
  type SheetCell,
  type SheetColumn,
  writeCsv,
} from "@/server/core/exports/service/workbook.ts";
import {
  columnName,
  serialOf,
  type Sheet,
  writeXlsx,
  xmlText,
} from "@/server/core/exports/service/xlsx.ts";
import { readSheet, xlsxPieces } from "@/tests/workbook_reader.ts";

const ATTACKS = [
  "=1+1",
  "+1",
  "-1",
  "@SUM(A1)",
  "\t=1",
  "\r=1",
  '"=1+1',
  "'=1",
  ' "" @x',
  "\ufeff=1",
  "＝1+1",
  "\tx",
];

async function withFile(body: (path: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  await body(`${folder}/sheet`).finally(() => Deno.remove(folder, { recursive: true }));
}

async function* rowsOf(rows: SheetCell[][]): AsyncGenerator<SheetCell[]> {
  for (const row of rows) yield await Promise.resolve(row);
}

const ONE: Omit<Sheet, "rows"> = { title: "x", columns: [{ title: "a", type: "text" }] };

Deno.test("safeText() takes the edge off every formula and leaves names alone", () => {
  for (const text of ATTACKS) assert.equal(safeText(text), `'${text}`);
  for (const text of ["Kim Haneul", "O'Neil", "김 하늘", "A-1", "a@b", ""]) {
    assert.equal(safeText(text), text);
  }
});

Deno.test("writeCsv() writes what a spreadsheet program reads back", () =>
  withFile(async (path) => {
    await writeCsv(path, ["a", "b,c"], rowsOf([['say "hi"', -1.5], ["=1\n2", null], ["김", 0]]));
    const bytes = await Deno.readFile(path);
    assert.deepEqual([...bytes.slice(0, 3)], [0xef, 0xbb, 0xbf]);
    assert.equal(
      new TextDecoder().decode(bytes),
      'a,"b,c"\r\n"say ""hi""",-1.5\r\n"\'=1\n2",\r\n김,0\r\n',
    );
  }));

Deno.test("writeXlsx() writes texts as texts and numbers as numbers", () =>
  withFile(async (path) => {
    await writeXlsx(
      path,
      [{
        title: "Worklist",
        columns: [{ title: "a", type: "text" }, { title: "b", type: "number" }],
        rows: rowsOf([...ATTACKS.map((text, n) => [text, n]), ["김", null]]),
      }],
    );
    const { sheet, data: [head, ...rows] } = await readSheet(await Deno.readFile(path));
    assert.deepEqual([sheet, head], ["Worklist", ["a", "b"]]);
    assert.equal(rows.length, ATTACKS.length + 1);
    ATTACKS.forEach((_, n) => {
      const [text, number] = rows[n]!;
      assert.ok(typeof text === "string" && text.startsWith("'"));
      assert.equal(number, n);
    });
    assert.deepEqual(rows.at(-1), ["김", null]);
    // what a reader of values does not tell: the head stays, columns have widths, and everything can be filtered
    const xml = (await Array.fromAsync(xlsxPieces((await Deno.open(path)).readable))).join("");
    assert.match(xml, /<pane ySplit="1"[^>]* state="frozen"\/>/);
    assert.equal(xml.match(/<col [^>]*width="\d+"[^>]*customWidth="1"\/>/g)?.length, 2);
    assert.match(xml, new RegExp(`<autoFilter ref="A1:B${rows.length + 1}"/>`));
  }));

Deno.test("writeCsv() and writeXlsx() pass on what breaks their rows", () =>
  withFile(async (path) => {
    // deno-lint-ignore require-yield -- it breaks before the first row
    const broken = async function* (): AsyncGenerator<SheetCell[]> {
      await Promise.resolve();
      throw new RangeError("broken");
    };
    await assert.rejects(writeCsv(path, ["a"], broken()), RangeError);
    await assert.rejects(writeXlsx(path, [{ ...ONE, rows: broken() }]), RangeError);
    await assert.rejects(writeXlsx(`${path}/no/folder`, [{ ...ONE, rows: rowsOf([]) }]), {
      code: "ENOTDIR",
    });
  }));

Deno.test("writeXlsx() ends when the disk is full", async () => {
  const rows = (async function* () {
    for (let n = 0; n < 50_000; n++) yield [n, crypto.randomUUID()];
  })();
  await assert.rejects(
    writeXlsx("/dev/full", [{
      title: "Full",
      columns: [{ title: "n", type: "number" }, { title: "text", type: "text" }],
      rows,
    }]),
    /ENOSPC|no space/i,
  );
});

Deno.test("csvText() is safe for programs that part by semicolon or tab, and keeps numbers of patients as texts", () => {
  for (
    const attack of ['a;=HYPERLINK("http://x")', "a\t=1", "a; +1", 'x;"=1', "a\n=1", "a;@x", "a|-1"]
  ) {
    const line = csvText([["1", attack, "x"]]).trimEnd();
    for (const separator of [",", ";", "\t", "|"]) {
      for (const cell of line.split(/\r?\n/).flatMap((part) => part.split(separator))) {
        assert.equal(
          /^[\s"]*[=+\-@]/.test(cell),
          false,
          `${JSON.stringify(line)} by ${JSON.stringify(separator)}`,
        );
      }
    }
  }
  for (const id of ["00123", "123456789012345678", "1E5", "3-4", "12/05"]) {
    assert.equal(csvText([[id]]), `'${id}\r\n`);
  }
  for (const text of ["2026-01-05", "12345", "P-001", "7.5"]) {
    assert.equal(csvText([[text]]), `${text}\r\n`);
  }
});

Deno.test("xmlText() keeps every character, also those that XML does not take", () => {
  assert.equal(xmlText(`a<b & "c"`), "a&lt;b &amp; &quot;c&quot;");
  assert.equal(xmlText("one\ttwo\n김\r\0"), "one\ttwo\n김_x000D__x0000_");
  assert.equal(xmlText("_x000D_ stays"), "_x005F_x000D_ stays");
});

Deno.test("columnName() counts as spreadsheets do", () => {
  assert.deepEqual([0, 25, 26, 51, 52, 701, 702, 16_383].map(columnName), [
    "A",
    "Z",
    "AA",
    "AZ",
    "BA",
    "ZZ",
    "AAA",
    "XFD",
  ]);
});

Deno.test("writeXlsx() writes days as days, keeps numbers of patients as texts, and explains in a second sheet", () =>
  withFile(async (path) => {
    const columns: SheetColumn[] = [
      { title: "ID", type: "text", meaning: "of the patient" },
      { title: "Day", type: "date" },
      { title: "When", type: "time", unit: "h" },
    ];
    const about = columnsSheet(columns, "en", { atMs: 0, timeZone: "Asia/Seoul" });
    const rows = rowsOf([["00123", "2026-01-05", "2026-01-05 18:30"], ["1", "once", null]]);
    await writeXlsx(path, [{ title: "Worklist", columns, rows }, about]);
    const bytes = await Deno.readFile(path);
    const { data } = await readSheet(bytes);
    const [, first, second] = data as [unknown, unknown[], unknown[]];
    assert.equal(first[0], "00123");
    assert.equal((first[1] as Date).toISOString(), "2026-01-05T00:00:00.000Z");
    assert.equal((first[2] as Date).toISOString(), "2026-01-05T18:30:00.000Z");
    assert.deepEqual(second, ["1", "once", null]);
    const explained = (await readSheet(bytes, 1)).data;
    assert.deepEqual(explained[1], ["ID", null, "of the patient"]);
    assert.deepEqual(explained.at(-1), [null, null, "Exported 1970-01-01 09:00 (Asia/Seoul)"]);
  }));

Deno.test("serialOf() counts days as spreadsheets do, and none that they count differently", () => {
  assert.equal(serialOf("2026-01-05"), 46_027);
  assert.equal(serialOf("2026-01-05 12:00"), 46_027.5);
  assert.deepEqual(["1899-12-31", "1900-02-28", "x", "2026-13-01"].map(serialOf), [
    null,
    null,
    null,
    null,
  ]);
});

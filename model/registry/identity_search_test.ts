// covers: S-211
import assert from "node:assert/strict";
import { plainText, type TextProblem, textProblem } from "@/model/registry/identity_search.ts";

const NONE = { names: [], identifiers: [] };
const named = (text: string, ...names: string[]) => textProblem(text, { ...NONE, names });

Deno.test("textProblem() finds a name in any script, order, case, width, accent and inflection", () => {
  const found: [text: string, name: string][] = [
    ["Discussed with Mr. KIM.", "Kim^Minsu"],
    ["Min Su was seen", "Kim^Min-su"],
    ["minsu kim", "Kim^Min-su"],
    ["환자 김민수님의 해마", "Kim^Minsu=김^민수"],
    ["김 민수 환자", "김민수"],
    ["민수씨", "김^민수"],
    ["金民秀さん", "Kim^Minsu=金^民秀"],
    ["Muller's hippocampus", "Müller^Jörg"],
    ["MÜLLER", "Mu\u0308ller^Jo\u0308rg"],
    ["Ｍüller", "Müller^Jörg"],
    ["Mül\u00adler", "Müller^Jörg"],
    ["у Ивановой", "Иванова^Анна"],
    ["السيد محمدي", "محمدي^علي"],
    ["นายสมชาย", "สมชาย"],
    ["An Do presented", "An^Do"],
    ["Papadopoulos’ scan", "Papadopoulos"],
  ];
  for (const [text, name] of found) assert.equal(named(text, name), "name", `${text}: ${name}`);
  for (
    const [text, name] of [
      ["Atrophy of the hippocampus in both sides.", "Kim^Minsu=김^민수"],
      ["No sign of an infarct", "An^Jisu"],
      ["해마 위축이 있습니다.", "Kim^Minsu=김^민수"],
      ["Volume 3.25 mL, 12th percentile (4–29)", "X^Y"],
      ["normal", ""],
      ["normal", "^^="],
    ]
  ) {
    assert.equal(named(text!, name!), null, `${text}: ${name}`);
  }
});

Deno.test("textProblem() finds identifiers, dates, numbers and addresses, and lets volumes pass", () => {
  const of = (text: string) =>
    textProblem(text, {
      names: [],
      identifiers: ["P-1", "AB 12-34", "1.2.840.1.5"],
      phrases: ["Saint Mary Hospital"],
    });
  const cases: [text: string, problem: TextProblem | null][] = [
    ["see P-1", "identifier"],
    ["see ab1234", "identifier"],
    ["see AB-12-34.", "identifier"],
    ["as at Saint-Mary hospital", "name"],
    ["compared with 2025-01-05", "date"],
    ["2025. 1. 5. 검사와 비교", "date"],
    ["2025년 1월", "date"],
    ["１２월 검사", "date"],
    ["on 5/1/25", "date"],
    ["05.01.2025", "date"],
    ["since Jan 5", "date"],
    ["5th of March", "date"],
    ["٢٠٢٥-٠١-٠٥", "date"],
    ["call 010-1234-5678", "number"],
    ["series 1.3.12.2.1107", "number"],
    ["number 80412", "number"],
    ["mail a@b.org", "address"],
    ["https://x", "address"],
    ["Hippocampi of 3.25 and 3.31 mL, 12th and 4–29.", null],
    ["ICV 1480.5 mL; march of the lesions; may be an early sign 1", null],
    ["map 1 is shown", null],
  ];
  for (const [text, problem] of cases) assert.equal(of(text), problem, text);
});

Deno.test("plainText() gives the digits of every script their value", () => {
  assert.equal(plainText("٠١٩ ०९ ０９ 𝟎𝟗 ๙"), "019 09 09 09 9");
});

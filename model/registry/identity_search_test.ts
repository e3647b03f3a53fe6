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
    ["4 of 10 lesions, 10 out of 20, 2 years ago, 3-5 mm, a ratio of 28/30", null],
    ["Verlauf über 2 Jahre, 3.25 mL; suivi de 5 ans; 마지막 검사 2년 후", null],
    ["stage 3, score 95 and the 90th percentile; age-related change", null],
  ];
  for (const [text, problem] of cases) assert.equal(of(text), problem, text);
});

Deno.test("textProblem() finds days and months in the languages of sites, with and without a year", () => {
  const months: Record<string, string> = {
    en: "January February March April May June July August September October November December",
    de: "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    fr: "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    es: "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    it:
      "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    pt: "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    nl: "januari februari maart april mei juni juli augustus september oktober november december",
    pl:
      "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia",
  };
  for (const [language, names] of Object.entries(months)) {
    assert.equal(names.split(" ").length, 12);
    for (const month of names.split(" ")) {
      for (
        const text of [
          `5. ${month} 2025`,
          `12. ${month}`,
          `3 ${month.toUpperCase()}`,
          `5 de ${month} de 2024`,
          `${month} 2024`,
          `5-${month}-24`,
        ]
      ) assert.equal(textProblem(text, NONE), "date", `${language}: ${text}`);
    }
  }
  for (
    const text of [
      ...["3월 5일", "2025年3月", "三月五日", "十二月", "令和7年3月", "5 日"],
      ...["5/1", "seen on 31/12", "12/31 study", "12.03.", "vom 12.03", "am 5. 1."],
      ...["1er avril", "1º de mayo", "5 d’avril", "5 set 2024", "10 out 24", "5. Okt."],
    ]
  ) assert.equal(textProblem(text, NONE), "date", text);
});

Deno.test("textProblem() finds ages above 89, and exact ages, in the languages of sites", () => {
  for (
    const text of [
      ...["A 93-year-old woman", "101 years", "90 y", "in her nineties", "a nonagenarian"],
      ...["93 Jahre", "93-jährige Patientin", "93 ans", "93 anni", "93 años", "93 anos"],
      ...["93 jaar", "93 lata", "93세", "93살", "93歳", "93岁", "９３歳", "아흔 살"],
      ...["63-year-old man", "63 years of age", "63 y/o", "63yo", "aged 63", "Age: 63", "63세"],
      ...["63 Jahre alt", "Alter 63", "âgée de 63 ans", "63 años de edad", "M/63", "63/F", "여/63"],
    ]
  ) assert.equal(textProblem(text, NONE), "age", text);
});

Deno.test("plainText() gives the digits of every script their value", () => {
  assert.equal(plainText("٠١٩ ०९ ０９ 𝟎𝟗 ๙"), "019 09 09 09 9");
});

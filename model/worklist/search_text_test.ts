// covers: D1-3.3
import assert from "node:assert/strict";
import { foldText, matchesSearch, searchableText } from "@/model/worklist/search_text.ts";
import { SEARCH_NAMES, SEARCHES } from "@/model/worklist/search_cases_fixture.ts";

Deno.test("matchesSearch() finds what people mean, in every row of the table", () => {
  for (const [search, expected] of SEARCHES) {
    const matched = SEARCH_NAMES.flatMap((values, index) =>
      matchesSearch(search, values) ? [index] : []
    );
    assert.deepEqual(matched, [...expected], JSON.stringify(search));
  }
});

Deno.test("matchesSearch() finds what people copy, and letters that keyboards write otherwise", () => {
  const found: [search: string, value: string][] = [
    ["o’connor", "O'Connor"],
    ["o'connor", "O’Connor"],
    ["anne\u2011marie", "Anne-Marie"],
    ["\u200bkim\ufeff", "Kim"],
    ["\u202akim\u202c", "Kim"],
    ["kim^haneul", "Kim Haneul"],
    ["Kim, Haneul", "Kim Haneul"],
    ["A,B", "A,B"],
    ["高橋", "髙橋 太郎"],
    ["髙橋", "高橋"],
    ["山崎", "山﨑"],
    ["吉田", "𠮷田"],
  ];
  assert.deepEqual(found.filter(([search, value]) => !matchesSearch(search, [value])), []);
});

Deno.test("foldText() is stable, and leaves letters that marks make others", () => {
  for (const text of ["Müller", "İstanbul", "Straße", "ﾔﾏﾀﾞ", "Ἀθηνᾶ", "김하늘", "ก็", "কি", "𠮷"]) {
    assert.equal(foldText(foldText(text)), foldText(text));
    assert.equal(foldText(text.normalize("NFD")), foldText(text.normalize("NFC")));
  }
  assert.notEqual(foldText("か"), foldText("が"));
  assert.notEqual(foldText("กา"), foldText("กำ"));
  assert.equal(foldText("ﾔﾏﾀﾞ"), "ヤマダ");
  assert.equal(searchableText("山田\u3000太郎"), "山田太郎");
  assert.equal(searchableText("Kim 하늘"), "kim 하늘");
});

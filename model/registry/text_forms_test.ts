// covers: S-211
import assert from "node:assert/strict";
import { type TextProblem, textProblem } from "@/model/registry/identity_search.ts";

const KNOWN = {
  names: ["Kim^Minsu"],
  identifiers: ["SP-0001"],
  phrases: ["Saint Mary Hospital"],
};
const problemOf = (text: string) => textProblem(text, KNOWN);

const TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split(" ");
const ONES = "one two three four five six seven eight nine".split(" ");
const WORDS = [
  ...TENS,
  ...TENS.flatMap((ten) => ONES.flatMap((one) => [`${ten}-${one}`, `${ten} ${one}`])),
];
const KOREAN_TENS = "스물 서른 마흔 쉰 예순 일흔 여든 아흔".split(" ");
const KOREAN_ONES = "한 두 세 네 다섯 여섯 일곱 여덟 아홉".split(" ");
const SINO = "이 삼 사 오 육 칠 팔 구".split(" ");
const DIGITS = [18, 45, 67, 87, 91, 103];

/** Ages as physicians write them. */
const ages = (): string[] => [
  ...WORDS.flatMap((
    age,
  ) => [`${age}-year-old woman`, `aged ${age}`, `a woman of ${age}`, `at age ${age}`]),
  ...TENS.flatMap((ten) =>
    ["late", "early", "mid"].map((part) => `in her ${part} ${ten.replace(/y$/, "ies")}`)
  ),
  ...KOREAN_TENS.flatMap((ten) =>
    KOREAN_ONES.flatMap((one) => [`${ten}${one} 살`, `${ten}${one}살 환자`])
  ),
  ...SINO.flatMap((ten) => SINO.flatMap((one) => [`${ten}십${one}세`, `${ten}십${one} 세 여자`])),
  ...DIGITS.flatMap((n) => [
    ...[`${n}F`, `F${n}`, `WF ${n}`, `${n} y.o.`, `${n} yo`, `H.K., ${n}`, `${n}M.`, `M ${n}`],
    ...[`${n} y/o`, `${n}-year-old`, `aged ${n}`, `Age ${n}`, `age of ${n}`, `${n}/F`, `F/${n}`],
    ...[
      `female, ${n}`,
      `${n} male`,
      `${n} (f)`,
      `man of ${n}`,
      `woman aged ${n}`,
      `${n}세`,
      `만 ${n}`,
    ],
    ...[`${n}살`, `여 ${n}`, `여자 ${n}`, `남/${n}`, `${n} 남자`, `${n}/여`],
  ]),
  ...[
    "born in 1937",
    "born 1937",
    "b. 5, DOB 1937",
    "YOB: 1937",
    "1937년생",
    "37년생",
    "year of birth 1937",
  ],
  ...["80대 여성", "팔십대 여성", "an octogenarian", "in his 80s", "eighty-seven years"],
];

const dates = (): string[] => {
  const months = Array.from({ length: 12 }, (_, n) => n + 1);
  return [
    ...months.flatMap((n) =>
      ["/", ".", "-"].flatMap((sign) => [
        `comparison with MRI of ${String(n).padStart(2, "0")}${sign}2024`,
        `prior from ${n}${sign}2024`,
      ])
    ),
    ...[
      "2024-W10",
      "2024W10",
      "week 10 of 2024",
      "KW 10/2024",
      "Q1 2024",
      "2024 Q3",
      "2024년",
      "2024년 봄",
    ],
    ...[
      "spring 2024",
      "winter of 2023",
      "in 2021",
      "since 2019",
      "prior 2022",
      "before 2020.",
      "2024년 1분기",
    ],
  ];
};

const others: readonly (readonly [string, TextProblem])[] = [
  ...[
    "MRN 1234",
    "MRN: 12",
    "accession 987",
    "accession number A987",
    "ID 12",
    "patient no. 17",
    "study # 4",
  ]
    .map((text) => [text, "identifier"] as const),
  ...[
    "SP-O001",
    "sp-oo01",
    "spO0O1",
    "chart 33",
    "등록번호 123",
    "환자번호: 77",
    "room no 3",
    "AB-4711",
  ]
    .map((text) => [text, "identifier"] as const),
  ...[
    "Drkim",
    "Dr.Kim",
    "ProfKim",
    "MrsKim saw",
    "seen at SMH",
    "SMH scan",
    "seen at Asan",
    "Dr. Park",
  ]
    .map((text) => [text, "name"] as const),
  ...["Asan Hospital", "서울병원에서 촬영", "박영수 교수"].map((text) => [text, "name"] as const),
];

/** Dates, ages, birth years, telephone numbers, addresses and roles outside the lists above. */
const UNLISTED = [
  ..."Phone 06 12 34 56 78.;2024 03 05;5 3 2024;12_05_2024;2024_03_05;5|3|2024;Mar '24".split(";"),
  ..."the third of March;66 year male;66yr male;sixtyish;6O-year-old;67 ans;67 años".split(";"),
  ..."67 anni;67 anos;67 Jahre;in ihren Sechzigern;Jahrgang 57;Jg. 1957;classe 1957".split(";"),
  ..."*1957;b. 1957;Hauptstrasse 12;12 Main Street;Wife of the mayor".split(";"),
];

/** Sentences of radiology reports with measurements, which the search must accept. */
const HARMLESS = [
  "ICV 1990 mL, brain 1021.5 mL.",
  "ICV of 1990 mL; total volume 2024.5 mL.",
  "Left hippocampus 3.25 mL (12th percentile), right 3.31 mL (4–29).",
  "Volumes at the 67th percentile.",
  "The 5th percentile is 2.87 mL.",
  "Hippocampal volume below the 1st percentile for age and sex.",
  "Evans index 0.31, callosal angle 87°.",
  "A ratio of 28/30, asymmetry of 12 %.",
  "T1 and T2 weighted images at 3 T.",
  "1.5 T, voxels of 1 × 1 × 1 mm.",
  "TR 2300, TE 3, TI 900 ms, b1000.",
  "Acquired at 3 T with a slice thickness of 5 mm.",
  "Narrowing of M1 and A2 segments; F1 gyrus.",
  "Disc protrusion at L4/L5 and C5-C6.",
  "Brodmann areas 4 and 6; Fazekas 2, MTA 3.",
  "GCA 1, Koedam 2, Scheltens 4.",
  "Lesions: 12 periventricular, 4 juxtacortical, 3 infratentorial.",
  "4 of 10 lesions enhance.",
  "Follow-up in 12 months; two years ago there were fewer lesions.",
  "3-5 mm lesions, the largest 14 mm.",
  "Cortical thickness 2.41 mm on the left, 2.38 mm on the right.",
  "Annual change of 1.2 % (80 % interval 0.4 to 2.1).",
  "No infarct. One old lacune in the left thalamus.",
  "Case of normal pressure hydrocephalus is possible.",
  "No case of 2 lesions seen on MRI.",
  "The study is limited by motion; grade B.",
  "Normal for age.",
  "Age-related volume loss, stage 3.",
  "Atrophy in one of three regions; ten lesions.",
  "Temporal horns 6 and 7 mm wide.",
  "Compared with MNI152 and DKT40 regions.",
  "Two lesions in the left frontal lobe, eleven in the right.",
  "ACC 3.2 mL, PCC 4.1 mL.",
  "Score 95; z = -1.87.",
  "This may represent small vessel disease.",
  "Performed at 3 T; seen from T2 images.",
  "Referred to MRI because of memory loss.",
  "White matter lesions 14.5 mL, 23 lesions.",
  "Findings in women and men differ by 2 mL.",
  "Her hippocampi are small.",
  "좌측 해마 3.25 mL (12백분위), 우측 3.31 mL.",
  "병변 12개, 가장 큰 것은 14 mm입니다.",
  "3 T에서 촬영한 T1 강조영상입니다.",
  "해마 위축이 있습니다(MTA 3).",
  "2년 후 추적 검사를 권합니다.",
  "백질 고신호 병변은 Fazekas 2입니다.",
  "세 개의 열공경색이 있습니다.",
  "피질 두께 2.41 mm, 하위 5백분위.",
  "뇌실 크기는 정상 범위이며 Evans 지수 0.28입니다.",
  "두개내 용적 1990 mL입니다.",
  "3 mm.",
  "5 lesions.",
  "Volumes of 3.2 and 3.4 mL.",
  "12 of 15 lesions are unchanged.",
  "Grade 2 3 4 in three regions.",
  "Lesions of 2, 3 and 11 mm.",
  "A 14 mm meningioma, previously 12 mm.",
  "Fifteen new lesions, 22 lesions in total.",
  "24 microbleeds, 12 lacunar infarcts.",
  "MMSE 28/30, MoCA of 26.",
  "z score of -2.14 on the left and -1.95 on the right.",
  "Mean thickness 2.45 mm (SD 0.12).",
  "Follow-up after 18 months.",
  "Seen 10 years ago.",
  "Scan of 64 directions, b 1000.",
  "32 channels, 176 slices of 1 mm.",
  "Asymmetry of 11.5 %.",
  "Between the 25th and 75th percentile.",
  "Evans index 0.34, angle of 95 degrees.",
  "White matter lesions of 12.3 mL, 45 of 60 deep.",
  "C5 to C7, L4/L5, T12.",
  "NIHSS 12, ASPECTS 10.",
  "Ventricles 45.2 mL, above the 95th percentile.",
  "Brodmann areas 17 and 18.",
  "Slice 88 shows the largest diameter, 21 x 15 mm.",
  "좌측 해마 2.95 mL, 우측 3.12 mL.",
  "12개월 후 추적 검사.",
  "미세출혈 15개.",
  "MMSE 24점, 10백분위 미만.",
  "가장 큰 병변은 21 mm이고 모두 34개입니다.",
];

Deno.test("textProblem() finds ages, dates, identifiers and names in the forms of physicians", () => {
  const missed: string[] = [];
  const cases = [
    ...ages().map((text) => [text, "age"] as const),
    ...dates().map((text) => [text, "date"] as const),
    ...others,
  ];
  assert.ok(cases.length > 900);
  for (const [text, problem] of cases) {
    // the reason may be another one that applies too
    for (const whole of [text, `Clinical history: ${text}. No infarct.`, text.toUpperCase()]) {
      if (
        textProblem(whole, KNOWN) === null && (whole !== text.toUpperCase() || problem !== "name")
      ) {
        missed.push(whole);
      }
    }
  }
  assert.deepEqual(missed, []);
});

Deno.test("textProblem() withholds numbers and roles that no list of forms has", () => {
  const passed = UNLISTED.flatMap((text) => [text, `Clinical history: ${text}. No infarct.`])
    .filter((text) => problemOf(text) === null);
  assert.deepEqual(passed, []);
});

Deno.test("textProblem() lets sentences pass whose numbers identify nobody", () => {
  const refused = HARMLESS.filter((text) => problemOf(text) !== null)
    .map((text) => `${problemOf(text)}: ${text}`);
  assert.deepEqual(refused, []);
});

import assert from "node:assert/strict";
import { renderToStaticMarkup } from "react-dom/server";
import { type AnalysisStatus, analysisStatus } from "@/model/schema/studies/study.ts";
import type { PatientRow } from "@/model/schema/studies/patients.ts";
import { textIn } from "@/model/text.ts";
import { stageText } from "@/model/text/stages.ts";
import { LanguageContext } from "@/client/page/language.ts";
import { UserContext } from "@/client/page/user.ts";
import CardList from "@/components/worklist/table/CardList.tsx";
import { HistoryTable } from "@/components/worklist/table/HistoryTable.tsx";
import { COLUMNS } from "@/components/worklist/table/columns.tsx";
import { LabelTags } from "@/components/worklist/table/LabelTags.tsx";
import { pagesAround, Pagination } from "@/components/Pagination.tsx";
import { SeriesIndicator } from "@/components/worklist/table/SeriesIndicator.tsx";
import { percentOf, StatusCell } from "@/components/worklist/table/StatusCell.tsx";
import { toastText } from "@/model/text/toasts.ts";
import { worklistSelectionText } from "@/model/text/worklist/worklist_selection.ts";
import { findingText } from "@/model/text/worklist/finding.ts";
import { worklistText } from "@/model/text/worklist/worklist.ts";

const rowOf = (t1: AnalysisStatus | null, t2: AnalysisStatus | null): PatientRow => ({
  pid: 1,
  patient_id: "P-1",
  patient_name: "Kim Haneul",
  patient_age: 67,
  patient_birthdate: "1958-03-12",
  patient_sex: "female",
  study_date: "2026-01-05",
  label_list: [],
  is_t1_uploaded: t1 !== null,
  is_t2_uploaded: t2 !== null,
  t1_analysis_date: null,
  t1_analysis_status: t1,
  t2_analysis_date: null,
  t2_analysis_status: t2,
  history_count: 1,
  t1_analysis_percent: null,
  t2_analysis_percent: null,
});

Deno.test("cards and histories mark a study as the table does, and name it as it is read", () => {
  const row: PatientRow = {
    ...rowOf("completed", null),
    patient_name: "Kim Haneul / 金하늘 / 김하늘",
    is_unread: true,
    is_reported: true,
    quality_grade: "B",
    editing_user: "Dr Lee",
    editing_uid: 7,
  };
  const actions = { check: () => {}, open: () => {}, report: () => {} };
  const card = <CardList rows={[row]} checked={new Set()} actions={actions} empty={null} />;
  const history = (
    <HistoryTable rows={[row]} currentPid={2} language="en" onOpen={() => {}} onReport={() => {}} />
  );
  for (const html of [card, history].map((each) => renderToStaticMarkup(each))) {
    for (
      const mark of [
        worklistText.unread.en,
        "Report printed",
        "Segmentation quality B",
        textIn(worklistText.editing, "en", { user: "Dr Lee" }),
      ]
    ) {
      assert.ok(html.includes(mark), mark);
    }
  }
  for (
    const [sent, word] of [["waiting", "To be sent"], ["sent", "Sent"], [
      "failed",
      "Not delivered",
    ]] as const
  ) {
    const of = (
      <CardList rows={[{ ...row, sent }]} checked={new Set()} actions={actions} empty={null} />
    );
    assert.match(renderToStaticMarkup(of), new RegExp(`<button[^>]*>${word}</button>`));
  }
  const [early, late] = ["2026-01-07T10:00:00.000Z", "2026-01-08T10:00:00.000Z"];
  for (
    const [change, isByHospital] of [
      [{ hospital_at: early }, true],
      [{ hospital_at: late, edited_at: early }, true],
      [{ hospital_at: early, edited_at: late }, false],
      [{ edited_at: late }, false],
    ] as const
  ) {
    const of = (
      <CardList rows={[{ ...row, ...change }]} checked={new Set()} actions={actions} empty={null} />
    );
    assert.equal(renderToStaticMarkup(of).includes(worklistText.byHospital.en), isByHospital);
  }
  const korean = renderToStaticMarkup(
    <LanguageContext.Provider value="ko">{card}</LanguageContext.Provider>,
  );
  assert.match(korean, /<h2[^>]*>.*김하늘 \/ Kim Haneul \/ 金하늘/);
});

// covers: S-245
Deno.test("a history says which of its studies are recorded under another name or for another person", () => {
  const current = { ...rowOf("completed", null), pid: 2, patient_name: "Kim Haneul / 김하늘" };
  const noteOf = (change: Partial<PatientRow>, more: PatientRow[] = []) => {
    const rows = [current, { ...rowOf("completed", null), ...change }, ...more];
    const table = (
      <HistoryTable
        rows={rows}
        currentPid={2}
        language="en"
        onOpen={() => {}}
        onReport={() => {}}
      />
    );
    const html = renderToStaticMarkup(table);
    const isCompared = html.includes("?compare=1");
    for (const key of ["otherPerson", "recordedAs"] as const) {
      const start = worklistSelectionText[key].en.split("{facts}");
      const facts = html.split(start[0]!)[1]?.split("<")[0] ?? "";
      if (facts.endsWith(start[1]!)) return [key, facts.slice(0, -start[1]!.length), isCompared];
    }
    return [null, "", isCompared];
  };
  assert.deepEqual(noteOf({}), [null, "", true]);
  assert.deepEqual(noteOf({ patient_name: "KIM HANEUL" }), [null, "", true]);
  assert.deepEqual(noteOf({ patient_name: "김하늘" }), [null, "", true]);
  assert.deepEqual(noteOf({ patient_name: "", patient_birthdate: null, patient_sex: null }), [
    null,
    "",
    true,
  ]);
  assert.deepEqual(noteOf({ patient_name: "Lee Mina" }), ["recordedAs", "Lee Mina", true]);
  assert.deepEqual(noteOf({ patient_birthdate: "1981-01-02" }), [
    "otherPerson",
    "Kim Haneul, F, 1981-01-02",
    false,
  ]);
  assert.deepEqual(noteOf({ patient_sex: "male", patient_name: "" }), [
    "otherPerson",
    "M, 1958-03-12",
    false,
  ]);
  // a study that may belong to either of two people is compared with neither
  const foreign = { ...current, pid: 3, patient_birthdate: "1981-01-02" };
  const unknown = { patient_birthdate: null };
  assert.deepEqual(noteOf(unknown, [foreign]), [
    "otherPerson",
    "Kim Haneul / 김하늘, F, 1981-01-02",
    false,
  ]);
  // without a birth date, another name is another person
  assert.deepEqual(noteOf({ patient_name: "Lee Mina", patient_birthdate: null }), [
    "otherPerson",
    "Lee Mina, F",
    false,
  ]);
  assert.deepEqual(noteOf(unknown, [{ ...foreign, patient_birthdate: null }]).at(-1), true);
});

// covers: D1-4.35
Deno.test("statuses, cards and histories have no English word in Korean", () => {
  const states = [...analysisStatus.options, null];
  const user = { user_id: 1, permission_list: [], email: "1", role: "administrator" as const };
  const actions = { check: () => {}, open: () => {}, report: () => {} };
  for (const [t1, t2] of states.flatMap((t1) => states.map((t2) => [t1, t2] as const))) {
    const row: PatientRow = {
      ...rowOf(t1, t2),
      patient_id: "1",
      patient_name: "김하늘",
      history_count: 2,
      is_unread: true,
      is_reported: true,
      sent: "failed",
      quality_grade: "B",
      editing_user: "이 선생",
      editing_uid: 7,
      finding: {
        deviation: null,
        wmh: 21.3,
        fazekas_equivalent: 2,
        change: { key: "brain", percent: -1.2, since: "2024-11-12" },
      },
    };
    const html = renderToStaticMarkup(
      <LanguageContext.Provider value="ko">
        <UserContext.Provider value={user}>
          <CardList rows={[row]} checked={new Set()} actions={actions} empty={null} />
          <HistoryTable
            rows={[row]}
            currentPid={2}
            language="ko"
            onOpen={() => {}}
            onReport={() => {}}
          />
          <StatusCell
            id="row0"
            row={row}
            language="ko"
            stage={stageText("deep", "ko")}
            reason={null}
            onReason={() => {}}
            action={null}
          />
        </UserContext.Provider>
      </LanguageContext.Provider>,
    );
    const named = [...html.matchAll(/ (?:title|alt|aria-label)="([^"]*)"/g)].map(([, words]) =>
      words
    );
    const words = [html.replace(/<[^>]*>/g, " "), ...named].join(" ");
    // terms that Korean physicians also write in Latin letters
    const foreign = words.replace(/T[12]w|WMH|Fazekas|mL|&\w+;/g, "").match(/[A-Za-z]{2,}/g);
    assert.equal(foreign, null, `${t1}, ${t2}`);
    assert.match(words, /완료|분석 중|대기 중|보류 중|실패|분석 전/);
  }
});

// covers: D1-4.37
Deno.test("SeriesIndicator names uploaded series only, and highlights a completed one", () => {
  const shown = (t1: AnalysisStatus | null, t2: AnalysisStatus | null) =>
    [
      ...renderToStaticMarkup(<SeriesIndicator row={rowOf(t1, t2)} language="en" />)
        .matchAll(/<span[^>]*class="([^"]*)"[^>]*>(T[12]w)/g),
    ].map(([, style, name]) => [name, style!.includes("bg-brand-600")]);
  assert.deepEqual(shown("completed", null), [["T1w", true]]);
  assert.deepEqual(shown("processing", "completed"), [["T1w", false], ["T2w", true]]);
  assert.deepEqual(shown(null, "failed"), [["T2w", false]]);
  assert.deepEqual(shown(null, null), []);
});

// covers: D1-4.35
Deno.test("StatusCell turns while a series is analysed, and says which one failed", () => {
  const of = (t1: AnalysisStatus | null, t2: AnalysisStatus | null) =>
    renderToStaticMarkup(
      <StatusCell
        id="row0"
        row={rowOf(t1, t2)}
        language="en"
        stage={null}
        reason={null}
        onReason={() => {}}
        action={null}
      />,
    );
  for (const status of ["waiting", "processing", "pending"] as const) {
    assert.match(of(status, "failed"), /class="spinner/);
  }
  const failure = (t1: AnalysisStatus | null, t2: AnalysisStatus | null) =>
    /role="img" aria-label="([^"]*)"/.exec(of(t1, t2))?.[1];
  assert.equal(failure("failed", "no_response"), toastText["analysis.both_failed"].text.en);
  assert.equal(failure("no_response", "completed"), "T1w Analysis failed.");
  assert.equal(failure(null, "failed"), "T2w Analysis failed.");
  assert.equal(failure("completed", "ready"), undefined);
  assert.doesNotMatch(of("completed", null), /spinner/);
  const half = { ...rowOf("processing", "waiting"), t1_analysis_percent: 50 };
  assert.deepEqual([percentOf(half), percentOf(rowOf("waiting", null))], [25, null]);
});

// covers: D1-4.35
Deno.test("StatusCell says of a study with two series which of them is analysed", () => {
  const words = (
    t1: AnalysisStatus | null,
    t2: AnalysisStatus | null,
    language: "en" | "ko" = "en",
  ) =>
    renderToStaticMarkup(
      <StatusCell
        id="row0"
        row={rowOf(t1, t2)}
        language={language}
        stage={null}
        reason={null}
        onReason={() => {}}
        action="[analyze]"
      />,
    ).replace(/<span[^>]*role="tooltip".*?<\/span>/, "").replace(/<[^>]*>/g, "|").replace(
      /\|+/g,
      "|",
    );
  assert.equal(words("completed", "completed"), "|Completed|");
  assert.equal(words("completed", null), "|Completed|");
  assert.equal(words("completed", "ready"), "|T1w done|T2w not run|[analyze]|");
  assert.equal(words("ready", "completed", "ko"), "|T2w 완료|T1w 미분석|[analyze]|");
  assert.equal(words("completed", "failed"), "|Failed|T2w failed|[analyze]|");
  assert.equal(words("no_response", "ready"), "|Failed|T1w failed|[analyze]|");
  assert.equal(words("failed", "no_response"), "|Failed|[analyze]|");
  assert.equal(words(null, "failed"), "|Failed|[analyze]|");
});

// covers: D1-9.10
Deno.test("LabelTags end at 80 px, and count what has no room", () => {
  const labels = ["Memory", "Trial", "Control"].map((label_name, id) => ({ id, label_name }));
  const text = renderToStaticMarkup(<LabelTags labels={labels} />);
  assert.match(text, /max-w-\[80px\] truncate/);
  assert.match(text, />Memory<.*\+2/);
  assert.doesNotMatch(text, />Trial</);
});

Deno.test("Pagination says which rows are shown, and nothing without any or when they are not the page's", () => {
  const bar = (total: number, hasRange?: boolean) =>
    renderToStaticMarkup(
      <Pagination
        language="en"
        page={2}
        pageSize={5}
        pageSizes={[5]}
        total={total}
        hasRange={hasRange}
        onPage={() => {}}
        onPageSize={() => {}}
      />,
    );
  assert.match(bar(8), />6–8 of 8</);
  assert.match(bar(12_345), />6–10 of 12,345</);
  for (const markup of [bar(0), bar(8, false)]) assert.doesNotMatch(markup, / of /);
});

Deno.test("pagesAround() has as many places on every page, and the one that is shown among them", () => {
  for (const count of [8, 9, 20, 1234]) {
    for (const page of [1, 2, 4, 5, count - 4, count - 3, count - 1, count]) {
      const places = pagesAround(page, count), numbers = places.filter((place) => place !== null);
      assert.equal(places.length, 7, `${page} of ${count}`);
      assert.ok(numbers.includes(page) && numbers.includes(1) && numbers.includes(count));
      assert.deepEqual(numbers, numbers.toSorted((a, b) => a - b));
    }
  }
  assert.deepEqual(pagesAround(2, 3), [1, 2, 3]);
  assert.deepEqual(pagesAround(5, 9), [1, null, 4, 5, 6, null, 9]);
});

Deno.test("a study without name and ID says so, in the table's cell and in the card", () => {
  const context = { language: "en", timeZone: "UTC", userId: null } as const;
  const actions = { check: () => {}, open: () => {}, report: () => {} };
  const html = (row: PatientRow) => [
    renderToStaticMarkup(<>{COLUMNS.name.cell(row, context)}</>),
    renderToStaticMarkup(
      <CardList rows={[row]} checked={new Set()} actions={actions} empty={null} />,
    ),
  ];
  const row = rowOf("ready", null);
  for (const shown of html({ ...row, patient_name: "", patient_id: "" })) {
    assert.match(shown, /text-amber-800[^>]*>.*No name and no patient ID/);
  }
  assert.match(html({ ...row, patient_name: "" })[0]!, /No name</);
  for (const shown of html(row)) assert.ok(!shown.includes("No name"));
});

Deno.test("the columns of the hippocampi show each side and the difference with determined percentiles", () => {
  const rank = { percentile: 3.2, low: 1, high: 9, has_bands: true };
  const hippocampus = {
    left: 2.5,
    right: 3.634,
    rank_left: rank,
    rank_right: { ...rank, has_bands: false, low: 2, high: 98 },
    asymmetry_percent: -36.97,
    rank_asymmetry: { ...rank, percentile: 0.4 },
  };
  const finding = { deviation: null, wmh: null, change: null, hippocampus };
  const texts = (row: PatientRow, language: "en" | "ko") =>
    (["hippocampusLeft", "hippocampusRight", "hippocampusAsymmetry"] as const).map((key) => {
      const context = { language, timeZone: "UTC", userId: null };
      return renderToStaticMarkup(<>{COLUMNS[key].cell(row, context)}</>)
        .replaceAll(/<[^>]+>/g, " ").replaceAll(/[ \n]+/g, " ")
        .replace("&lt;", "<").trim();
    });
  const row = { ...rowOf("completed", null), finding };
  const right = "3.63 not determined";
  assert.deepEqual(texts(row, "en"), ["2.50 3rd, 1–9", right, "−37.0\u00a0% <1st"]);
  assert.deepEqual(texts(row, "ko"), ["2.50 3, 1~9", "3.63 산출 불가", "−37.0\u00a0% <1"]);
  const unaccepted = texts({ ...row, finding: { ...finding, is_provisional: true } }, "en");
  assert.equal(unaccepted[0], `2.50 ${findingText.provisionalMark.en} 3rd, 1–9`);
  assert.deepEqual(texts(rowOf("ready", null), "en"), ["-", "-", "-"]);
  // a study with hippocampi but no deviation has no finding
  const context = { language: "en", timeZone: "UTC", userId: null } as const;
  assert.equal(renderToStaticMarkup(<>{COLUMNS.finding.cell(row, context)}</>), "-");
});

import type { TableProblem } from "@/model/norms/imported/cells.ts";
import { type Catalogue, type Language, textIn } from "@/model/text.ts";

/** Texts of the settings' section with imported tables of norms. */
export const normTableText = {
  title: { en: "Imported norms", ko: "가져온 규준" },
  hint: {
    en:
      "Import norms as a CSV or JSON table. It contains the mean and SD, or percentiles, by age and sex (for volumes, also by ICV). The table is checked and proposed for the whole site. Once another administrator has accepted it, new results for its measures are compared with this table instead of the published norms, and every report names it. To see the format, save the example.",
    ko:
      "규준 표를 CSV 또는 JSON으로 가져옵니다. 나이와 성별(부피는 ICV 포함)에 따른 평균과 표준편차 또는 백분위수를 담은 표입니다. 표를 검사한 뒤 기관 전체의 규준으로 제안하며, 다른 관리자가 승인하면 해당 측정값의 새 결과를 공개 규준 대신 이 표와 비교하고 모든 리포트에 표의 이름을 표시합니다. 형식은 예시 파일을 참고하세요.",
  },
  import: { en: "Import a table", ko: "표 가져오기" },
  example: { en: "Save the example", ko: "예시 저장" },
  proposed: { en: "The table was checked and proposed.", ko: "표를 검사하고 제안했습니다." },
  tooLarge: { en: "The file is larger than {kb}\u00a0KB.", ko: "파일이 {kb}\u00a0KB보다 큽니다." },
  table: { en: "Table shown in the plot", ko: "그래프에 표시할 표" },
  measure: { en: "Measure shown in the plot", ko: "그래프에 표시할 측정값" },
  sex: { en: "Sex shown in the plot", ko: "그래프에 표시할 성별" },
  male: { en: "Male", ko: "남성" },
  female: { en: "Female", ko: "여성" },
  about: {
    en: "Source: {source}. License: {licence}. Measured with {software}.",
    ko: "출처: {source}. 라이선스: {licence}. 측정 프로그램: {software}.",
  },
  plot: {
    en: "{name}: imported and published norms by age, in {unit}",
    ko: "{name}: 나이에 따른 가져온 규준과 공개 규준({unit})",
  },
  plotHint: {
    en:
      "5th, 50th and 95th percentile by age, as Sulcus would measure them. Solid line: imported norms. Dashed line: published norms, {norms}.",
    ko:
      "Sulcus로 측정했을 때의 나이별 5, 50, 95백분위수. 실선: 가져온 규준, 점선: 공개 규준, {norms}",
  },
  atIcv: { en: "At an ICV of {icv}\u00a0mL.", ko: "ICV {icv}\u00a0mL 기준." },
  largest: {
    en: "Largest difference between the medians: {percent}\u00a0% at {age} years.",
    ko: "중앙값의 최대 차이: {age}세에서 {percent}\u00a0%.",
  },
} as const satisfies Catalogue;

/** Texts of errors in an imported table of norms. */
export const normTableProblemText = {
  format: {
    en: "the file is not a CSV or JSON table of norms",
    ko: "규준 표 형식의 CSV 또는 JSON이 아닙니다",
  },
  too_many: { en: "too many rows or columns", ko: "행 또는 열이 너무 많습니다" },
  text: {
    en: "this description is missing, is too long or contains characters that are not allowed",
    ko: "이 설명이 없거나 너무 길거나 사용할 수 없는 문자가 있습니다",
  },
  text_place: {
    en: "this description must appear only once, above the column names",
    ko: "이 설명은 열 이름 위에 한 번만 있어야 합니다",
  },
  text_example: {
    en: "this description is still that of the example file: enter your own",
    ko: "예시 파일의 설명이 그대로 있습니다. 직접 입력하세요",
  },
  column_unknown: { en: "unknown column", ko: "알 수 없는 열입니다" },
  column_missing: { en: "this value is missing", ko: "이 값이 없습니다" },
  column_repeated: { en: "this column appears twice", ko: "같은 열이 두 번 있습니다" },
  cells: {
    en: "this row does not have as many cells as the header",
    ko: "칸의 수가 머리글과 다릅니다",
  },
  number: {
    en: "not a number (use a decimal point and no unit)",
    ko: "숫자가 아닙니다(소수점을 사용하고 단위는 쓰지 마세요)",
  },
  value: { en: "this value is not allowed", ko: "허용되지 않는 값입니다" },
  region: { en: "unknown region", ko: "알 수 없는 영역입니다" },
  side: {
    en: "there are no norms for this side of the region",
    ko: "이 영역에는 해당 쪽의 규준이 없습니다",
  },
  range: { en: "outside the permitted range", ko: "허용 범위를 벗어났습니다" },
  kind: {
    en: "this column cannot be combined with the others in this row",
    ko: "이 행의 다른 열과 함께 쓸 수 없는 열입니다",
  },
  order: {
    en: "the percentiles are not in ascending order",
    ko: "백분위수가 커지는 순서가 아닙니다",
  },
  repeated: { en: "the same norm appears twice", ko: "같은 규준이 두 번 있습니다" },
  grid: {
    en: "at least two ages are required, and each age needs a row for every ICV",
    ko: "나이가 둘 이상이어야 하고, 나이마다 모든 ICV가 있어야 합니다",
  },
  gap: {
    en: "this age is more than 15 years above the previous one",
    ko: "앞의 나이와 15년 넘게 차이가 납니다",
  },
  sexes: {
    en: "enter rows for both “male” and “female”, or for “any” only",
    ko: "male과 female이 모두 있거나 any만 있어야 합니다",
  },
  sides: {
    en: "values for the left and right sides must be given in the same way",
    ko: "좌우를 같은 방식으로 모두 입력해야 합니다",
  },
  kinds: {
    en: "the kind of values in this row differs from the other rows of the same measure",
    ko: "같은 측정값의 다른 행과 종류가 다릅니다",
  },
  implausible: {
    en: "too far from the published norms: check the unit and the region",
    ko: "공개 규준과 차이가 너무 큽니다. 단위와 영역을 확인하세요",
  },
} as const satisfies Record<TableProblem, { en: string; ko: string }>;

export const normTablePlaceText = {
  cell: { en: "Row {row}, column {column}: {problem}.", ko: "{row}행 {column} 열: {problem}." },
  row: { en: "Row {row}: {problem}.", ko: "{row}행: {problem}." },
  column: { en: "{column}: {problem}.", ko: "{column}: {problem}." },
  file: { en: "Not imported: {problem}.", ko: "가져오지 못했습니다: {problem}." },
} as const satisfies Catalogue;

/**
 * Row, column and reason of an error in a table of norms, from the details of `norm.table_invalid`.
 * Returns `null` for details of any other error.
 */
export function tableProblemIn(
  { reason, row, column }: Record<string, unknown>,
  language: Language,
): string | null {
  if (typeof reason !== "string" || !Object.hasOwn(normTableProblemText, reason)) return null;
  const place = row && column ? "cell" : row ? "row" : column ? "column" : "file";
  return textIn(normTablePlaceText[place], language, {
    row: Number(row),
    column: String(column),
    problem: normTableProblemText[reason as TableProblem][language],
  });
}

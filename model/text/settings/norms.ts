import type { LocalNormName } from "@/model/schema/studies/study.ts";
import { NORMS_NAME } from "@/model/norms/norms_source.ts";
import { type Catalogue, type Language, textIn } from "@/model/text.ts";

/** Texts that cite the norms. */
export const citedText = {
  scanner: {
    en: "{norms}, adjusted to {n} controls from this site ({scanner}), accepted on {date}",
    ko: "{norms}, 본 기관 대조군 {n}명({scanner})에 맞춰 보정, {date} 승인",
  },
  site: {
    en: "{norms}, adjusted to {n} controls from this site, accepted on {date}",
    ko: "{norms}, 본 기관 대조군 {n}명에 맞춰 보정, {date} 승인",
  },
  routine: {
    en:
      "{norms}, adjusted to the healthy subgroup of {n} routine studies from this site ({scanner}), accepted on {date}",
    ko: "{norms}, 본 기관 일상 진료 검사 {n}건({scanner}) 중 건강군에 맞춰 보정, {date} 승인",
  },
  pooled: {
    en:
      "{norms}, adjusted to the healthy subgroup of {n} routine studies from {sites} sites ({scanner}), accepted on {date}",
    ko:
      "{norms}, {sites}개 기관 일상 진료 검사 {n}건({scanner}) 중 건강군에 맞춰 보정, {date} 승인",
  },
  table: {
    en:
      "{title} ({source}), imported, accepted on {date} ({n} {n|measure|measures}, {from}–{to} years, by age and sex); others: {norms}",
    ko:
      "{title}({source}): 가져온 규준(측정값 {n}개, {from}~{to}세, 나이·성별 기준), {date} 승인. 나머지 측정값의 규준: {norms}",
  },
  tableByIcv: {
    en:
      "{title} ({source}), imported, accepted on {date} ({n} {n|measure|measures}, {from}–{to} years, by age, sex and ICV); others: {norms}",
    ko:
      "{title}({source}): 가져온 규준(측정값 {n}개, {from}~{to}세, 나이·성별·ICV 기준), {date} 승인. 나머지 측정값의 규준: {norms}",
  },
} as const satisfies Catalogue;

/** Name of the norms such as "NOMIS (FreeSurfer 6)", with the local norms applied to a result. */
export function normsName(local: LocalNormName | null | undefined, language: Language): string {
  if (!local) return NORMS_NAME;
  const date = local.accepted_at.slice(0, 10), { table } = local;
  if (table) {
    return textIn(table.by_icv ? citedText.tableByIcv : citedText.table, language, {
      norms: NORMS_NAME,
      title: table.title,
      source: table.source,
      n: table.measures,
      from: table.age_from,
      to: table.age_to,
      date,
    });
  }
  const sites = local.sites ?? 1;
  const cited = local.source === "routine"
    ? sites > 1 ? citedText.pooled : citedText.routine
    : local.scanner === null
    ? citedText.site
    : citedText.scanner;
  return textIn(cited, language, {
    norms: NORMS_NAME,
    n: local.controls,
    sites,
    scanner: local.scanner ?? "",
    date,
  });
}

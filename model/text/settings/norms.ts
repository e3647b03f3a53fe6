import type { LocalNormName } from "@/model/schema/studies/study.ts";
import { NORMS_NAME } from "@/model/norms/norms_source.ts";
import { type Catalogue, type Language, textIn } from "@/model/text.ts";

/** How the norms are named where they are cited. */
const citedText = {
  scanner: {
    en: "{norms}, adjusted to {n} controls of this site, {scanner}, accepted {date}",
    ko: "{norms}, 본 기관 대조군 {n}명({scanner})에 맞춰 보정, {date} 승인",
  },
  site: {
    en: "{norms}, adjusted to {n} controls of this site, accepted {date}",
    ko: "{norms}, 본 기관 대조군 {n}명에 맞춰 보정, {date} 승인",
  },
} as const satisfies Catalogue;

/** "NOMIS (FreeSurfer 6)", with the local norms that a result is read with. */
export function normsName(local: LocalNormName | null | undefined, language: Language): string {
  if (!local) return NORMS_NAME;
  return textIn(local.scanner === null ? citedText.site : citedText.scanner, language, {
    norms: NORMS_NAME,
    n: local.controls,
    scanner: local.scanner ?? "",
    date: local.accepted_at.slice(0, 10),
  });
}

import type { Catalogue } from "@/model/text.ts";

/** Texts about credits and licence in the page header, with a `{date}` or `{count}` filled in. */
export const licenseStatusText = {
  creditsLeft: { en: "{count} {count|credit|credits} left", ko: "남은 크레딧 {count}개" },
  validUntil: { en: "License valid until {date}", ko: "라이선스 만료일 {date}" },
  expiredSince: { en: "License expired on {date}", ko: "라이선스 만료됨({date})" },
  validFrom: { en: "License valid from {date}", ko: "라이선스 시작일 {date}" },
} as const satisfies Catalogue;

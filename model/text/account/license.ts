import type { Catalogue } from "@/model/text.ts";

/** Texts about licence and credits (D1 §4, §8). `{date}` is replaced by a date. */
export const licenseText = {
  expiredTitle: { en: "License Expired", ko: "라이선스 만료" },
  expiredDemo: { en: "Your license is expired.", ko: "라이선스가 만료되었습니다." },
  expired: {
    en: "Your license is expired. Please contact your account manager to renew it.",
    ko: "라이선스가 만료되었습니다. 라이선스 담당자에게 갱신을 요청하세요.",
  },
  noCreditTitle: { en: "No Remaining Credits", ko: "남은 크레딧 없음" },
  noCredit: {
    en: "You have no credits left. Please contact your account manager to add credits.",
    ko: "남은 크레딧이 없습니다. 라이선스 담당자에게 크레딧 추가를 요청하세요.",
  },
  notStarted: { en: "Can be used after {date}.", ko: "{date}부터 사용할 수 있습니다." },
} as const satisfies Catalogue;

import type { Catalogue } from "@/model/text.ts";

/** Texts of the About dialog (D1 §1 and §2). */
export const aboutText = {
  title: { en: "About", ko: "제품 정보" },
  tabs: { en: "Sections of the About dialog", ko: "제품 정보 항목" },
  label: { en: "Label", ko: "제품 표시사항" },
  manual: { en: "User Manual", ko: "사용 설명서" },
  terms: { en: "Terms and Conditions", ko: "이용 약관" },
  openSource: { en: "Open Source License", ko: "오픈소스 라이선스" },
  product: { en: "Product", ko: "제품명" },
  version: { en: "Version", ko: "버전" },
  model: { en: "Model", ko: "모델명" },
  certificate: { en: "Certificate", ko: "인증" },
  revision: { en: "Label revision", ko: "표시사항 개정 번호" },
  revisionUnknown: {
    en: "Not entered. The revision code is printed on the label that comes with the certificate.",
    ko: "입력되지 않았습니다. 번호는 인증서와 함께 제공되는 표시사항에 인쇄되어 있습니다.",
  },
  use: { en: "Intended use", ko: "용도" },
  useText: {
    en:
      "Measures the brain on MR images. The results must be interpreted by a physician together with the images.",
    ko: "뇌 MR 영상 측정. 결과는 의사가 영상과 함께 해석해야 합니다.",
  },
  demo: {
    en: "For demonstration only. Not for diagnosis.",
    ko: "시연용입니다. 진단에 사용할 수 없습니다.",
  },
  manualText: {
    en: "User manual for {product} {version} (PDF)",
    ko: "{product} {version} 사용 설명서(PDF)",
  },
  download: { en: "Download", ko: "다운로드" },
  frontEnd: { en: "Front end ({n})", ko: "프런트엔드({n}개)" },
  backEnd: { en: "Back end ({n})", ko: "백엔드({n}개)" },
  name: { en: "Name", ko: "이름" },
  link: { en: "Link", ko: "링크" },
  licenseType: { en: "License", ko: "라이선스" },
  failedToLoad: { en: "This section could not be loaded.", ko: "이 항목을 불러오지 못했습니다." },
} as const satisfies Catalogue;

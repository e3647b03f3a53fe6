import type { Catalogue } from "@/model/text.ts";

/** Text of the README file in a de-identified export. */
export const deidentifiedText = {
  readme: {
    en: `De-identified MR images, exported by Sulcus {version}

Patient: {pseudonym}
Images: {images}. Images not exported because identifying information is burned into the pixels: {burned}.

WARNING: FACES REMAIN RECOGNIZABLE. The face was not removed from the images (no defacing). Anyone who
renders the images in 3D may recognize the patient. Treat the images as personal data.

The images were de-identified according to the Basic Application Level Confidentiality Profile of DICOM PS3.15 (2026c).
The patient's name, ID and date of birth, the names of other people and of institutions, serial numbers of devices,
free-text descriptions, overlays and all private attributes were removed, emptied or replaced. Each image records this
in (0012,0062), (0012,0063) and (0012,0064), and records in (0028,0302) that visual features can be recognized.
UIDs were replaced. The same original UID is always replaced by the same new UID, and the same patient always has the
same pseudonym, so that exports from the same site can be matched. This cannot be reversed without the site's secret
key.
{dates}
Only the stored T1-weighted and FLAIR series of the study are included. The pixels were neither changed nor checked.
`,
    ko: `비식별화된 MR 영상, Sulcus {version}에서 내보냄

환자: {pseudonym}
영상: {images}장. 식별 정보가 화소에 포함되어 제외된 영상: {burned}장.

주의: 얼굴은 식별 가능한 상태로 남아 있습니다. 영상에서 얼굴을 제거하지 않았습니다(디페이싱 미수행). 3D로 재구성하면
환자를 알아볼 수 있으므로 개인정보로 취급하십시오.

처리 내용: DICOM PS3.15 (2026c) Basic Application Level Confidentiality Profile. 환자의 이름, ID, 생년월일과 관련 인물,
기관, 장비 일련번호, 자유 기술 설명, 오버레이 및 모든 비공개 속성을 삭제하거나 비우거나 대체했습니다. 각 영상의
(0012,0062), (0012,0063), (0012,0064)에 처리 내용이, (0028,0302)에 시각적 식별 가능성이 기록되어 있습니다.
UID는 대체되었습니다. 같은 원본에는 항상 같은 새 UID가, 같은 환자에게는 같은 가명이 부여되어 한 기관의 내보내기 결과는 서로
일치합니다. 기관의 비밀 값 없이는 되돌릴 수 없습니다.
{dates}
이 검사에 저장된 T1 강조 및 FLAIR 시리즈만 포함됩니다. 화소는 변경하거나 확인하지 않았습니다.
`,
  },
  removed: { en: "Dates and times were removed.", ko: "날짜와 시간은 삭제되었습니다." },
  shifted: {
    en: "Dates were shifted by the same number of days in all of the patient's studies.",
    ko: "날짜는 환자의 모든 검사에 같은 일수만큼 이동되었습니다.",
  },
} as const satisfies Catalogue;

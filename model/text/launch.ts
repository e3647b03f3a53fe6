import type { Catalogue } from "@/model/text.ts";

/** Texts of the pages that open from links in other systems. Rendered on the server only. */
export const launchText = {
  title: { en: "Open a study", ko: "검사 열기" },
  badLink: { en: "The link cannot be opened.", ko: "링크를 열 수 없습니다." },
  tellSender: {
    en: "Please inform the administrator of the system that sent the link.",
    ko: "링크를 보낸 시스템의 관리자에게 알리세요.",
  },
  too_long: {
    en: "The link is longer than {most} characters.",
    ko: "링크가 {most}자를 초과합니다.",
  },
  expired: {
    en:
      "The link is no longer valid. Open the study again from the system where you found the link.",
    ko: "링크가 만료되었습니다. 링크가 있던 화면에서 다시 여세요.",
  },
  missing: {
    en: "The link has no value for “{field}”.",
    ko: "링크에 “{field}” 값이 없습니다.",
  },
  repeated: {
    en: "The link contains “{field}” more than once.",
    ko: "링크에 “{field}” 항목이 두 번 이상 있습니다.",
  },
  misspelled: {
    en:
      "The study was not opened: the link contains a parameter that resembles “{field}” but is spelled differently.",
    ko: "링크에 “{field}”와 비슷하지만 철자가 다른 항목이 있어 검사를 열지 않았습니다.",
  },
  misspelledAs: {
    en:
      "The study was not opened: the parameter “{sent}” in the link resembles “{field}” but is spelled differently.",
    ko: "링크의 “{sent}” 항목은 “{field}”와 비슷하지만 철자가 달라 검사를 열지 않았습니다.",
  },
  unsupported: {
    en:
      "The study was not opened: this address does not accept “{field}”. “{use}” must be used instead.",
    ko:
      "이 주소에서는 “{field}” 항목을 사용할 수 없어 검사를 열지 않았습니다. “{use}” 항목을 사용해야 합니다.",
  },
  invalid: {
    en: "The value of “{field}” in the link is not valid.",
    ko: "링크의 “{field}” 값이 올바르지 않습니다.",
  },
  reversed: {
    en: "The date in “{field}” is later than the date in “{use}”.",
    ko: "“{field}”의 날짜가 “{use}”의 날짜보다 늦습니다.",
  },
  choose: { en: "Choose a study", ko: "검사를 선택하세요" },
  chooseWhy: {
    en: "The link refers to {n} {n|study|studies}.",
    ko: "링크에 해당하는 검사가 {n}건 있습니다.",
  },
  chooseCut: {
    en: "The link refers to more than {n} studies. Only the newest are shown.",
    ko: "링크에 해당하는 검사가 {n}건보다 많아 최근 검사만 표시합니다.",
  },
  missingStudies: {
    en: "{n} {n|study|studies} in the link {n|is|are} not stored in Sulcus.",
    ko: "링크의 검사 중 {n}건은 Sulcus에 저장되어 있지 않습니다.",
  },
  severalPeople: {
    en:
      "The name, ID or birth date differs between the studies. Make sure that you open the correct patient.",
    ko: "검사마다 이름, ID 또는 생년월일이 다릅니다. 올바른 환자인지 확인한 후 여세요.",
  },
  sharedNumber: {
    en:
      "Several people may have this patient ID or accession number. Make sure that you open the correct patient.",
    ko:
      "여러 사람이 같은 환자 ID 또는 접수 번호를 사용할 수 있습니다. 올바른 환자인지 확인한 후 여세요.",
  },
  authorityOther: {
    en:
      "The patient ID in the link is of the assigning authority {sent}, but the IDs stored in Sulcus are of {known}. Make sure that you open the correct patient.",
    ko:
      "링크의 환자 ID는 발급 기관이 {sent}이지만 Sulcus에 저장된 ID의 발급 기관은 {known}입니다. 올바른 환자인지 확인한 후 여세요.",
  },
  authorityUnset: {
    en:
      "The patient ID in the link is of the assigning authority {sent}, and Sulcus does not know the authority of the stored IDs. Make sure that you open the correct patient. An administrator can enter the authority in the settings of an HL7 system.",
    ko:
      "링크의 환자 ID는 발급 기관이 {sent}이며, Sulcus에는 저장된 ID의 발급 기관이 설정되어 있지 않습니다. 올바른 환자인지 확인한 후 여세요. 발급 기관은 관리자가 HL7 시스템 설정에서 입력할 수 있습니다.",
  },
  none: { en: "This study is not stored in Sulcus.", ko: "Sulcus에 저장되지 않은 검사입니다." },
  noDate: {
    en: "Sulcus has no study of this patient in these dates.",
    ko: "이 기간에 저장된 이 환자의 검사가 없습니다.",
  },
  noModality: {
    en: "Sulcus has no study of this patient of this modality.",
    ko: "이 환자에게는 이 모달리티의 검사가 저장되어 있지 않습니다.",
  },
  otherStudies: {
    en: "Other studies of this patient are stored. Search for the patient ID in the worklist.",
    ko: "이 환자의 다른 검사가 저장되어 있습니다. 워크리스트에서 환자 ID로 검색하세요.",
  },
  ordered: {
    en: "This examination has been ordered, but its images have not arrived.",
    ko: "오더는 접수되었으나 영상이 아직 도착하지 않은 검사입니다.",
  },
  orderedWhy: {
    en: "Open the link again once the images have arrived.",
    ko: "영상이 도착한 뒤 링크를 다시 여세요.",
  },
  deleted: { en: "This study has been deleted.", ko: "삭제된 검사입니다." },
  deletedStudies: {
    en: "{n} {n|study|studies} in the link {n|has|have} been deleted.",
    ko: "링크의 검사 중 {n}건은 삭제되었습니다.",
  },
  deletedWhy: {
    en: "The study can be restored under Server status, Deleted studies.",
    ko: "‘서버 상태’의 ‘삭제한 검사’에서 복원할 수 있습니다.",
  },
  deletedAsk: {
    en: "Ask an administrator to restore the study.",
    ko: "관리자에게 복원을 요청하세요.",
  },
  refused: {
    en: "The study was not opened because the link and the stored study do not match.",
    ko: "링크와 저장된 검사의 정보가 일치하지 않아 열지 않았습니다.",
  },
  refusedWhy: {
    en:
      "The study may belong to another patient. Check the link and the stored study, and correct the one that is wrong.",
    ko:
      "다른 환자의 검사일 수 있습니다. 링크와 저장된 검사의 정보를 모두 확인하고 잘못된 쪽을 수정하세요.",
  },
  otherAccession: {
    en:
      "Another study or order has an accession number that is in the link. Check which examination the link refers to.",
    ko:
      "링크의 접수 번호가 다른 검사 또는 오더에 등록되어 있습니다. 어느 검사를 열려는 링크인지 확인하세요.",
  },
  received: {
    en: "The patient ID in the images is {id}, but the ID was changed in Sulcus.",
    ko: "영상에 기록된 환자 ID는 {id}이며, Sulcus에서 변경되었습니다.",
  },
  ofLink: { en: "In the link", ko: "링크의 정보" },
  ofStudy: { en: "In the stored study", ko: "저장된 검사의 정보" },
  name: { en: "Name", ko: "이름" },
  patientId: { en: "Patient ID", ko: "환자 ID" },
  birth: { en: "Birth date", ko: "생년월일" },
  date: { en: "Study date", ko: "검사일" },
  from: { en: "Earliest study date", ko: "검사일 시작" },
  until: { en: "Latest study date", ko: "검사일 끝" },
  modality: { en: "Modality", ko: "모달리티" },
  accession: { en: "Accession number", ko: "접수 번호" },
  studyUid: { en: "Study UID", ko: "검사 UID" },
  state: { en: "Analysis", ko: "분석" },
  analyzed: { en: "Completed", ko: "완료" },
  analyzing: { en: "In progress", ko: "분석 중" },
  not_analyzed: { en: "Not analyzed", ko: "미분석" },
  viewer: { en: "Viewer", ko: "뷰어" },
  report: { en: "Report", ko: "리포트" },
  openOf: { en: "{page}: study dated {date}", ko: "{date} 검사의 {page}" },
  goWorklist: { en: "Go to the worklist", ko: "워크리스트로 이동" },
  noFetch: {
    en:
      "Your account cannot import studies from the PACS. Ask a colleague who has this permission.",
    ko: "이 계정으로는 PACS에서 검사를 가져올 수 없습니다. 권한이 있는 담당자에게 요청하세요.",
  },
} as const satisfies Catalogue;

import type { Catalogue } from "@/model/text.ts";

/** Texts of the page for maintenance users about connections with other systems. */
export const connectionText = {
  title: { en: "Connections", ko: "연결" },
  failedToLoad: { en: "This section could not be loaded.", ko: "이 항목을 불러오지 못했습니다." },
  refresh: { en: "Refresh", ko: "새로 고침" },
  save: { en: "Save", ko: "저장" },
  cancel: { en: "Cancel", ko: "취소" },
  edit: { en: "Edit", ko: "편집" },
  remove: { en: "Delete", ko: "삭제" },
  add: { en: "Add connection", ko: "연결 추가" },
  test: { en: "Test", ko: "테스트" },
  testOk: { en: "{name} responded.", ko: "{name} 시스템이 응답했습니다." },
  testImage: { en: "Test image", ko: "테스트 영상" },
  testImageOk: {
    en: "{name} received the test image.",
    ko: "{name} 시스템이 테스트 영상을 수신했습니다.",
  },
  newKey: { en: "Create key", ko: "키 발급" },
  renewKey: { en: "Replace key", ko: "키 재발급" },
  keyOf: {
    en:
      "Access key for {name} (bearer token for DICOMweb and FHIR). Copy it now; it will not be shown again:",
    ko:
      "{name} 시스템이 DICOMweb과 FHIR로 데이터를 조회할 때 쓰는 키(Bearer 토큰)입니다. 지금 한 번만 표시되니 복사해 두세요:",
  },
  sendAgain: { en: "Send again", ko: "다시 보내기" },

  gate: { en: "DICOM receiver", ko: "DICOM 수신" },
  gateOff: {
    en:
      "Off. Set SULCUS_DICOM_PORT and restart the server to receive and send images over the network.",
    ko:
      "꺼져 있습니다. 네트워크로 주고받으려면 SULCUS_DICOM_PORT를 설정하고 서버를 다시 시작하세요.",
  },
  gateDown: { en: "No response", ko: "응답 없음" },
  gateUp: {
    en: "Listening as {aet} on port {port}",
    ko: "AE 타이틀 {aet}, 포트 {port}에서 수신 대기 중",
  },
  gateTls: { en: "with TLS", ko: "TLS 사용" },
  associations: { en: "Open DICOM associations", ko: "열려 있는 DICOM 연결" },
  received: { en: "Images received since startup", ko: "서버 시작 후 수신한 영상" },
  rejected: { en: "Connections rejected since startup", ko: "서버 시작 후 거부한 연결" },
  memory: { en: "Memory", ko: "메모리" },
  hourReceived: { en: "Images received in the last hour", ko: "최근 1시간 동안 수신한 영상" },
  hourSent: { en: "Results sent in the last hour", ko: "최근 1시간 동안 전송한 결과" },
  imagesOfSize: { en: "{n} {n|image|images}, {mb}\u00a0MB", ko: "영상 {n}장, {mb}\u00a0MB" },
  queues: { en: "Queues", ko: "대기열" },
  arriving: { en: "Series being received", ko: "수신 중인 시리즈" },
  waiting: { en: "Series waiting to be processed", ko: "대기 중인 시리즈" },
  changedStudies: {
    en: "Changed studies to be sent again (a few per minute)",
    ko: "변경되어 다시 보낼 검사(1분에 몇 건씩 전송)",
  },
  toSend: { en: "Results to be sent", ko: "보낼 결과" },
  failedResults: { en: "Results that could not be sent", ko: "보내지 못한 결과" },
  commitments: { en: "Storage commitments waiting for a reply", ko: "응답 대기 중인 저장 확약" },

  peers: { en: "Systems", ko: "시스템" },
  noPeers: { en: "No systems are connected yet.", ko: "아직 연결된 시스템이 없습니다." },
  name: { en: "Name", ko: "이름" },
  kind: { en: "Type", ko: "종류" },
  kind_dicom: { en: "DICOM", ko: "DICOM" },
  kind_dicomweb: { en: "DICOMweb", ko: "DICOMweb" },
  kind_hl7: { en: "HL7 v2", ko: "HL7 v2" },
  kind_fhir: { en: "FHIR", ko: "FHIR" },
  aeTitle: { en: "AE title", ko: "AE 타이틀" },
  host: { en: "Address", ko: "주소" },
  port: { en: "Port", ko: "포트" },
  url: { en: "Web address", ko: "웹 주소" },
  user: { en: "Username (leave empty to use a token)", ko: "사용자 이름(비워 두면 토큰 사용)" },
  secret: { en: "Password or token", ko: "비밀번호 또는 토큰" },
  certificate: {
    en: "Client certificate for DICOMweb access (PEM or SHA-256 fingerprint)",
    ko: "DICOMweb 조회용 인증서(PEM 또는 SHA-256 지문)",
  },
  secretAgain: {
    en: "The address has changed. Enter the password or token again.",
    ko: "주소가 바뀌었습니다. 비밀번호 또는 토큰을 다시 입력하세요.",
  },
  tls: { en: "TLS", ko: "TLS" },
  maySend: { en: "Allowed to send to this site", ko: "이 사이트로의 전송 허용" },
  idAuthority: {
    en:
      "Assigning authority for patient IDs in the images (leave empty to detect it automatically)",
    ko: "영상에 쓰이는 환자 ID의 발급 기관(비워 두면 자동으로 판단)",
  },
  addresses: {
    en: "Accept connections only from these addresses or networks",
    ko: "수신을 허용할 발신 주소 또는 네트워크",
  },
  results: { en: "Results to send to this system", ko: "이 시스템에 보낼 결과" },
  result_report: { en: "Report (PDF)", ko: "리포트(PDF)" },
  result_measurements: { en: "Measurements (SR)", ko: "측정값(SR)" },
  result_regions: { en: "Regions (SEG)", ko: "영역(SEG)" },
  result_lesions: { en: "Lesions (SEG)", ko: "병변(SEG)" },
  result_outlines: { en: "Lesion outlines (SR)", ko: "병변 윤곽선(SR)" },
  result_changes: { en: "Changed lesions (SEG)", ko: "변화한 병변(SEG)" },
  result_thickness: { en: "Cortical thickness (Parametric Map)", ko: "피질 두께(Parametric Map)" },
  result_percentiles: {
    en: "Volume percentiles by region (Parametric Map)",
    ko: "영역별 부피 백분위(Parametric Map)",
  },
  result_pages: { en: "Report pages (images)", ko: "리포트 페이지(이미지)" },
  result_key_images: { en: "Key images", ko: "키 이미지" },
  result_images: { en: "Images (de-identified only)", ko: "영상(비식별화된 영상만)" },
  result_hl7: { en: "HL7 report message", ko: "HL7 리포트 메시지" },
  result_fhir: { en: "FHIR report", ko: "FHIR 리포트" },
  byRule: { en: "Send only when a rule selects this system", ko: "규칙에서 지정한 경우에만" },
  commits: { en: "Request storage commitment", ko: "저장 확약 요청" },
  labelMap: { en: "Accepts label-map SEG (DICOM 2024)", ko: "라벨맵 SEG 수신 가능(DICOM 2024)" },
  deflated: { en: "Accepts deflated objects", ko: "압축(deflate) 객체 수신 가능" },
  worklist: {
    en: "Provides the modality worklist (accession numbers)",
    ko: "모달리티 워크리스트 제공(접수 번호 확인용)",
  },
  research: { en: "Send de-identified data (research)", ko: "비식별화하여 전송(연구용)" },
  deface: { en: "Remove faces from the images", ko: "얼굴 제거" },
  "failure_engine.unsupported_input": {
    en:
      "The stored images cannot be used for this result: they are compressed or damaged, or there is no T1w analysis",
    ko: "저장된 영상을 이 용도로 사용할 수 없습니다(압축, 손상 또는 T1w 분석 없음)",
  },
  searchable: {
    en: "Users may search this system and import studies",
    ko: "사용자의 검사 검색 및 가져오기 허용",
  },
  retrieveBy: { en: "Retrieval method", ko: "가져오는 방식" },
  retrieve_move: {
    en: "C-MOVE (the system must know this site's AE title)",
    ko: "C-MOVE(상대 시스템에 이 서버의 AE 타이틀 등록 필요)",
  },
  retrieve_get: { en: "C-GET", ko: "C-GET" },
  priorsFrom: { en: "Retrieve previous studies from", ko: "이전 검사를 가져올 시스템" },
  nowhere: { en: "no system", ko: "가져오지 않음" },
  language: { en: "Report language", ko: "리포트 언어" },
  lastOk: { en: "Last contact", ko: "마지막 통신" },
  lastError: { en: "Last error", ko: "마지막 오류" },
  pausedUntil: { en: "Next attempt at {time}", ko: "다음 시도: {time}" },

  arrivals: { en: "Received", ko: "수신 내역" },
  noArrivals: { en: "Nothing has been received yet.", ko: "아직 수신한 영상이 없습니다." },
  sender: { en: "Sender", ko: "보낸 곳" },
  series: { en: "Series", ko: "시리즈" },
  images: { en: "Images", ko: "영상 수" },
  time: { en: "Time", ko: "시각" },
  state: { en: "Status", ko: "상태" },
  study: { en: "Study", ko: "검사" },
  state_arriving: { en: "Arriving", ko: "수신 중" },
  state_waiting: { en: "Waiting", ko: "대기 중" },
  state_stored: { en: "Stored", ko: "저장됨" },
  state_refused: { en: "Not used", ko: "사용할 수 없어 제외됨" },
  outbox: { en: "Sent", ko: "전송 내역" },
  noOutbox: { en: "Nothing has been sent yet.", ko: "아직 전송한 결과가 없습니다." },
  to: { en: "To", ko: "받는 곳" },
  result: { en: "Result", ko: "결과" },
  attempts: { en: "Attempts", ko: "시도 횟수" },
  state_sending: { en: "Sending", ko: "전송 중" },
  state_sent: { en: "Sent", ko: "전송됨" },
  state_failed: { en: "Failed", ko: "실패" },
  state_nothing: { en: "No result to send", ko: "해당 결과 없음" },
  committed: { en: "storage confirmed", ko: "보관 확인됨" },
  hl7Up: {
    en: "Receiving HL7 messages on port {port}",
    ko: "포트 {port}에서 HL7 메시지 수신 대기 중",
  },
  hl7Off: {
    en: "HL7 message reception is off. To receive messages, set SULCUS_HL7_PORT.",
    ko: "HL7 메시지 수신: 꺼짐(수신하려면 SULCUS_HL7_PORT 설정)",
  },
  hl7Taken: { en: "HL7 messages accepted since startup", ko: "서버 시작 후 수신한 HL7 메시지" },
  hl7Refused: { en: "HL7 messages rejected since startup", ko: "서버 시작 후 거부한 HL7 메시지" },
  messages: { en: "Patient messages (HL7)", ko: "환자 메시지(HL7)" },
  messagesExplained: {
    en:
      "Patient updates, merges and orders from the hospital information system. A message that could not be applied stays here until you apply it again or discard it.",
    ko:
      "병원정보시스템의 환자 정보 변경, 병합, 오더입니다. 적용하지 못한 메시지는 다시 적용하거나 폐기할 때까지 여기에 남습니다.",
  },
  ordersLimited: {
    en:
      "The maximum of {n} orders without images has been reached. The orders that expire first will be deleted. Set up the hospital information system to send only orders for MRI.",
    ko:
      "영상이 없는 오더가 최대치인 {n}건입니다. 먼저 만료되는 오더부터 삭제됩니다. MRI 오더만 보내도록 설정하세요.",
  },
  noMessages: { en: "No messages have been received yet.", ko: "아직 받은 메시지가 없습니다." },
  message: { en: "Message type", ko: "메시지 종류" },
  controlId: { en: "MSH-10: {id}", ko: "MSH-10: {id}" },
  patientId: { en: "Patient ID", ko: "환자 ID" },
  mergedInto: { en: "{prior} → {id}", ko: "{prior} → {id}" },
  state_applied: { en: "Applied", ko: "적용됨" },
  state_ignored: { en: "No change needed", ko: "변경 불필요" },
  state_dropped: { en: "Discarded", ko: "폐기됨" },
  applyAgain: { en: "Apply again", ko: "다시 적용" },
  compareAndApply: { en: "Compare and apply…", ko: "비교 후 적용…" },
  compareTitle: { en: "Is this the same patient?", ko: "같은 환자인가요?" },
  compareExplained: {
    en:
      "Compare the recorded patients with the message, and ask in the hospital if in doubt. If you apply the message, their studies and orders will be filed under ID {id} as one patient.",
    ko:
      "등록된 환자와 메시지의 환자를 비교하고, 확실하지 않으면 병원에 확인하세요. 적용하면 검사와 오더가 환자 ID {id}의 한 환자로 등록됩니다.",
  },
  asRecorded: { en: "Recorded in Sulcus", ko: "Sulcus에 등록된 정보" },
  inMessage: { en: "In the message", ko: "메시지의 정보" },
  patientName: { en: "Name", ko: "이름" },
  birthDate: { en: "Birth date", ko: "생년월일" },
  patientSex: { en: "Sex", ko: "성별" },
  sex_male: { en: "Male", ko: "남" },
  sex_female: { en: "Female", ko: "여" },
  studyCount: { en: "Number of studies", ko: "검사 수" },
  orderCount: { en: "Number of orders", ko: "오더 수" },
  confirmAndApply: { en: "Same patient: apply", ko: "같은 환자이므로 적용" },
  drop: { en: "Discard", ko: "폐기" },
  "message_study.being_edited": {
    en: "A user is editing one of the patient's studies; the message will be applied afterwards",
    ko: "사용자가 이 환자의 검사를 편집 중입니다. 편집이 끝나면 적용됩니다",
  },
  message_id_uncertain: {
    en:
      "The message contains several patient IDs: enter the assigning authority in the sending system's connection settings, then apply the message again",
    ko: "환자 ID가 여러 개입니다. 시스템 설정에 발급 기관을 입력한 뒤 다시 적용하세요",
  },
  message_several_ids: {
    en:
      "The message contains several patient IDs, and nothing in it says which is the right one: have the hospital information system send one ID, and discard the message",
    ko:
      "환자 ID가 여러 개이며 어느 것이 맞는지 알 수 없습니다. 병원정보시스템에서 하나의 ID만 보내도록 한 뒤 이 메시지는 폐기하세요",
  },
  message_two_authorities: {
    en:
      "The IDs to be merged belong to different assigning authorities: check the patients in the hospital information system, and discard the message",
    ko:
      "병합할 두 ID의 발급 기관이 서로 다릅니다. 병원정보시스템에서 환자를 확인하고 메시지는 폐기하세요",
  },
  message_several_people: {
    en:
      "The name, birth date or sex differs between studies with this patient ID: correct their patient data, then apply the message again",
    ko:
      "환자 ID가 같은 검사의 이름, 생년월일이나 성별이 서로 다릅니다. 환자 정보를 바로잡은 뒤 다시 적용하세요",
  },
  message_other_person: {
    en:
      "The birth date or sex differs from that of the studies and orders with this patient ID, which may be another person's: compare them, and apply the message only if they are this patient's; otherwise discard it",
    ko:
      "메시지의 생년월일이나 성별이 이 환자 ID의 검사·오더와 달라 다른 사람일 수 있습니다. 비교하여 같은 환자이면 적용하고, 아니면 폐기하세요",
  },
  message_placeholder_id: {
    en:
      "This patient ID is a placeholder that may be used for several people: enter the patient's own ID in the study, and discard the message",
    ko:
      "여러 사람에게 쓰일 수 있는 임시 환자 ID입니다. 검사에 환자의 고유한 ID를 입력하고 메시지는 폐기하세요",
  },
  message_shared_id: {
    en:
      "More than three people have this patient ID: correct the ID in their studies and apply the message again, or discard the message",
    ko:
      "네 명 이상이 같은 환자 ID를 쓰고 있습니다. 검사마다 환자 ID를 바로잡은 뒤 다시 적용하거나 폐기하세요",
  },
  message_other_authority: {
    en: "The IDs belong to another assigning authority",
    ko: "다른 발급 기관의 ID",
  },
  message_merged_id: {
    en: "This patient ID was merged earlier: check it in the hospital information system",
    ko: "이전에 병합된 환자 ID입니다. 병원정보시스템에서 확인하세요",
  },
  message_older_merge: {
    en:
      "Newer messages contradict this merge: check the patient in the hospital information system",
    ko: "더 최근의 메시지와 맞지 않는 병합입니다. 병원정보시스템에서 확인하세요",
  },
  message_merge_undone: {
    en:
      "A merge of these two IDs was undone in Sulcus: check the patient in the hospital information system",
    ko: "Sulcus에서 취소한 두 ID의 병합입니다. 병원정보시스템에서 환자를 확인하세요",
  },
  mergeUndoneBy: {
    en:
      "The merge of these two IDs was undone by {name} at {time}: check the patient in the hospital information system",
    ko: "{name} 사용자가 {time}에 취소한 두 ID의 병합입니다. 병원정보시스템에서 환자를 확인하세요",
  },
  message_not_applied: {
    en:
      "The message could not be applied because of an error: see the server's log for the cause, then apply the message again",
    ko: "오류로 적용하지 못했습니다. 서버 로그에서 원인을 확인한 뒤 다시 적용하세요",
  },
  message_future_time: {
    en:
      "The time in the message is more than a day in the future, so it is unknown whether newer messages exist: correct the clock of the sending system, then apply the message again or discard it",
    ko:
      "메시지의 시각이 하루 이상 미래로 되어 있어 최신 메시지인지 알 수 없습니다. 보내는 시스템의 시계를 바로잡은 뒤 이 메시지를 다시 적용하거나 폐기하세요",
  },
  message_values_kept: {
    en:
      "Applied, except that the message deletes the name, birth date or sex: recorded values are kept. If one is wrong, edit the study",
    ko:
      "적용했습니다. 단, 이름, 생년월일 또는 성별을 지우라는 내용은 적용하지 않고 기존 값을 유지합니다. 값이 잘못되었다면 검사 정보를 수정하세요",
  },
  message_unreadable: {
    en: "The message can no longer be read because the character set in the settings has changed",
    ko: "설정의 문자 집합이 바뀌어 더 이상 읽을 수 없습니다",
  },
  message_older: {
    en: "A newer message has already been applied",
    ko: "더 최근의 메시지가 이미 적용됨",
  },
  message_no_study: { en: "There are no studies for this patient", ko: "이 환자의 검사 없음" },
  message_no_change: {
    en: "The message would not change any patient data",
    ko: "환자 정보 변경 없음",
  },
  message_no_order: { en: "There is no such order", ko: "해당 오더 없음" },
  message_several_orders: {
    en:
      "This order number is linked to several accession numbers, and the message does not say which one to change: send the change again from the hospital information system with the accession number, and discard this message",
    ko:
      "오더 번호 하나에 접수 번호가 여러 개인데 변경 메시지에 접수 번호가 없습니다. 병원정보시스템에서 접수 번호를 넣어 다시 보내고 이 메시지는 폐기하세요",
  },
  message_order_not_found: {
    en:
      "There is no order with this order number: the message is applied as soon as the order arrives, or you can discard it",
    ko:
      "해당 오더 번호의 오더가 없습니다. 오더가 도착하면 자동으로 적용됩니다. 필요 없으면 폐기하세요",
  },
  message_order_arrived: {
    en: "The order was canceled after the images arrived: the study is kept",
    ko: "영상 도착 후 오더가 취소됨(검사는 유지)",
  },
  message_other_modality: { en: "The order is not for MRI", ko: "MRI 오더가 아님" },
  message_too_many_orders: {
    en: "There are too many orders with this accession number",
    ko: "접수 번호가 같은 오더가 너무 많음",
  },
  message_same_id: { en: "Both IDs are the same", ko: "두 ID가 같음" },
  merges: { en: "Merged patients", ko: "병합된 환자" },
  noMerges: { en: "No patients have been merged.", ko: "병합된 환자가 없습니다." },
  previousPage: { en: "Previous page", ko: "이전 페이지" },
  nextPage: { en: "Next page", ko: "다음 페이지" },
  pageOf: { en: "{list}: page {n}", ko: "{list}: {n}페이지" },
  moved: { en: "Studies moved", ko: "옮긴 검사" },
  state_active: { en: "Merged", ko: "병합됨" },
  state_superseded: { en: "Replaced by a later message", ko: "이후 메시지로 대체됨" },
  state_undone: { en: "Undone", ko: "되돌림" },
  undoUntil: { en: "Can be undone until {time}", ko: "{time}까지 되돌릴 수 있음" },
  refusal_too_old: { en: "The merge is more than 30 days old", ko: "30일이 지나 되돌릴 수 없음" },
  refusal_merged_later: {
    en: "The patient was merged again later: undo that merge first",
    ko: "이후에 다른 환자와 또 병합되었습니다. 나중의 병합부터 되돌리세요",
  },
  undo: { en: "Undo", ko: "되돌리기" },
  log: { en: "Log", ko: "기록" },
  event: { en: "Event", ko: "이벤트" },
  details: { en: "Details", ko: "세부 정보" },

  unusableSeries: {
    en: "None of the files could be read. They were moved to a separate folder.",
    ko: "읽을 수 있는 파일이 없어 따로 보관했습니다.",
  },
  ownResult: {
    en: "A Sulcus result was sent back to this site and was not analyzed",
    ko: "되돌아온 Sulcus 결과이므로 분석하지 않음",
  },
  routing: { en: "Rules", ko: "규칙" },
  routingExplained: {
    en:
      "The first rule that matches a series applies. Empty fields match everything. If no rule matches, the study is analyzed.",
    ko:
      "시리즈에 해당하는 첫 번째 규칙을 적용합니다. 빈칸은 조건으로 쓰지 않습니다. 해당하는 규칙이 없으면 검사를 분석합니다.",
  },
  moveUp: { en: "Move up", ko: "위로 이동" },
  addRule: { en: "Add rule", ko: "규칙 추가" },
  modality: { en: "Modality", ko: "모달리티" },
  station: { en: "Station", ko: "스테이션" },
  description: { en: "Series description", ko: "시리즈 설명" },
  bodyPart: { en: "Body part", ko: "촬영 부위" },
  ageFrom: { en: "Age from", ko: "나이(이상)" },
  ageTo: { en: "Age to", ko: "나이(이하)" },
  action: { en: "Action", ko: "처리" },
  action_analyze: { en: "Analyze", ko: "분석" },
  action_keep: { en: "Keep without analyzing", ko: "보관만 함" },
  action_refuse: { en: "Do not use", ko: "사용 안 함" },
  rulePeers: { en: "Also send results to", ko: "결과를 추가로 보낼 곳" },
  quiet: {
    en: "Seconds without new images before a study is considered complete",
    ko: "마지막 영상 이후 수신 완료로 간주할 때까지의 시간(초)",
  },
  keepDays: {
    en: "Days to keep unused series",
    ko: "사용하지 않은 시리즈의 보관 일수",
  },
  webhook: { en: "Alarm webhook (URL)", ko: "알림 웹훅(URL)" },
  alarmMinutes: {
    en: "Minutes a queue may wait before an alarm is sent",
    ko: "알림을 보내기 전까지 허용할 대기 시간(분)",
  },
  testRules: { en: "Test on the last 100 studies", ko: "최근 검사 100건으로 테스트" },
  testResult: {
    en: "{analyze} would be analyzed, {keep} kept without analysis, {refuse} not used",
    ko: "분석 {analyze}건, 보관만 함 {keep}건, 사용 안 함 {refuse}건",
  },

  failure_unreachable: { en: "No response from this address", ko: "해당 주소에서 응답이 없습니다" },
  failure_not_allowed: {
    en:
      "The server's own addresses and link-local addresses are not allowed (see SULCUS_DICOM_REACH)",
    ko: "서버 자신의 주소이거나 링크 로컬 주소여서 허용되지 않습니다(SULCUS_DICOM_REACH)",
  },
  failure_rejected: { en: "The connection was rejected", ko: "연결이 거부되었습니다" },
  failure_timeout: {
    en: "No response within the time limit",
    ko: "제한 시간 안에 응답이 없습니다",
  },
  failure_tls: { en: "Certificate mismatch", ko: "인증서가 일치하지 않습니다" },
  failure_aborted: { en: "The connection was aborted", ko: "상대 시스템이 연결을 중단했습니다" },
  failure_protocol: {
    en: "The response could not be interpreted",
    ko: "응답을 해석할 수 없습니다",
  },
  failure_not_supported: {
    en: "This kind of object or service is not supported",
    ko: "지원하지 않는 객체 또는 서비스입니다",
  },
  failure_no_gate: {
    en: "The DICOM service is not running",
    ko: "DICOM 서비스가 실행되고 있지 않습니다",
  },
  failure_internal: {
    en: "Program error; see the server log",
    ko: "프로그램 오류입니다. 서버 로그를 확인하세요",
  },
  "failure_storage.full": {
    en: "This site's disk is full; sending will resume when space is available",
    ko: "이 서버의 디스크가 가득 찼습니다. 공간이 생기면 전송을 계속합니다",
  },
  "failure_storage.read_only": {
    en: "This site cannot write to its disk; sending will resume when it can write again",
    ko: "이 서버의 디스크에 기록할 수 없습니다. 기록할 수 있게 되면 전송을 계속합니다",
  },
  failure_http: {
    en: "The receiving web server rejected the request",
    ko: "받는 웹 서버가 요청을 거부했습니다",
  },
  failure_status: { en: "The object was rejected", ko: "상대 시스템이 객체를 거부했습니다" },
  failure_ack: {
    en: "The message was not accepted",
    ko: "상대 시스템이 메시지를 수락하지 않았습니다",
  },
  failure_not_committed: {
    en: "The PACS did not confirm storage",
    ko: "PACS가 영상의 보관을 확인해 주지 않았습니다",
  },
  waitsFor: { en: "waiting: {reason}", ko: "대기: {reason}" },
} as const satisfies Catalogue;

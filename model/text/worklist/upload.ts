import type { NamedPatient } from "@/model/schema/studies/upload.ts";
import { type Catalogue, type Language, textIn } from "@/model/text.ts";
import { phrasesIn, seriesText } from "@/model/text/worklist/upload_values.ts";

/**
 * Reason and remedy for a refused file. The keys are the closed union {@link UploadReason}.
 * Placeholders are replaced by details of the refusal.
 */
export const uploadReasonText = {
  not_dicom: {
    en: "This is not a DICOM file. Export the series from PACS as DICOM and upload it again.",
    ko: "DICOM 파일이 아닙니다. PACS에서 DICOM으로 내보낸 뒤 다시 업로드하세요.",
  },
  identifier: {
    en: "The Study, Series or SOP Instance UID of the file is missing or too long. " +
      "Export the original series from the scanner or PACS.",
    ko:
      "파일의 Study, Series 또는 SOP Instance UID가 없거나 너무 깁니다. 장비나 PACS에서 원본 시리즈를 내보내세요.",
  },
  archive: {
    en:
      "The ZIP archive cannot be read: it is damaged, encrypted or too large. Unpack it and choose the folder.",
    ko: "ZIP 파일을 읽을 수 없습니다(손상, 암호화 또는 크기 초과). 압축을 풀고 폴더를 선택하세요.",
  },
  packed: {
    en: "The file is packed ({format}). Unpack it and choose the folder with the DICOM files.",
    ko: "압축된 파일입니다({format}). 압축을 풀고 DICOM 파일이 있는 폴더를 선택하세요.",
  },
  truncated: {
    en: "The file is truncated or damaged. Export or copy the file again, then upload it.",
    ko: "파일이 중간에 끊겼거나 손상되었습니다. 파일을 다시 내보내거나 복사한 뒤 업로드하세요.",
  },
  header_limits: {
    en: "The header of the file is far larger or more complex than that of an MR image. " +
      "Export the original series from PACS and upload it again.",
    ko: "파일의 헤더가 MR 영상의 헤더로 보기에는 지나치게 크거나 복잡합니다. " +
      "PACS에서 원본 시리즈를 내보낸 뒤 다시 업로드하세요.",
  },
  unreadable: {
    en:
      "The file could not be read, or reading it took too long. Export the series from PACS again.",
    ko:
      "파일을 읽을 수 없습니다. 읽는 중 오류가 났거나 시간이 너무 오래 걸렸습니다. PACS에서 시리즈를 다시 내보내세요.",
  },
  no_pixel_data: {
    en: "The file contains no image. Upload the image files of the T1w or FLAIR series.",
    ko: "영상이 들어 있지 않은 파일입니다. T1w 또는 FLAIR 시리즈의 영상 파일을 업로드하세요.",
  },
  modality: {
    en: "The file's modality is {modality}, not MR. Upload an MR series.",
    ko: "MR이 아닌 {modality} 파일입니다. MR 시리즈를 업로드하세요.",
  },
  compression: {
    en: "The file's compression is not supported ({transferSyntax}). Export the file uncompressed.",
    ko: "지원하지 않는 압축 방식입니다({transferSyntax}). 압축하지 않고 내보내세요.",
  },
  transfer_syntax: {
    en: "The file states the transfer syntax {declared}, but {actual}. " +
      "The program that exported or converted the file has stated a wrong transfer syntax: " +
      "export the original series from the scanner or PACS.",
    ko: "파일에 기록된 전송 구문({declared})과 달리 {actual}. " +
      "파일을 내보내거나 변환한 프로그램이 전송 구문을 잘못 기록한 것입니다. " +
      "장비나 PACS에서 원본 시리즈를 내보내세요.",
  },
  pixel_format: {
    en:
      "The image is not a standard grayscale MR image. Upload the original slices, not a screen capture.",
    ko: "일반 흑백 MR 영상이 아닙니다. 화면 캡처가 아닌 원본 슬라이스를 업로드하세요.",
  },
  no_geometry: {
    en: "The position, orientation or pixel spacing of the slice is missing or invalid. " +
      "Export the original series from the scanner or PACS.",
    ko: "슬라이스의 위치, 방향 또는 화소 간격 정보가 없거나 잘못되었습니다. " +
      "장비나 PACS에서 원본 시리즈를 내보내세요.",
  },
  rescale: {
    en:
      "The rescale slope or intercept of the image is not a number, so its values cannot be determined. " +
      "Export the original series from the scanner or PACS.",
    ko: "영상의 Rescale Slope 또는 Intercept가 숫자가 아니어서 실제 화소값을 알 수 없습니다. " +
      "장비나 PACS에서 원본 시리즈를 내보내세요.",
  },
  multiframe: {
    en:
      "This multi-frame file does not contain the position of each frame, so it cannot be read. Export the series as single slices.",
    ko: "프레임별 위치가 없는 다중 프레임 파일은 읽을 수 없습니다. 슬라이스별 파일로 내보내세요.",
  },
  duplicate_instance: {
    en: "The same image was sent twice. The first copy is used; nothing needs to be done.",
    ko:
      "같은 영상이 두 번 전송되었습니다. 첫 번째 영상을 사용하므로 별도의 조치는 필요하지 않습니다.",
  },
  same_identifier: {
    en:
      "{files} different images of the series have the same SOP Instance UID, so they cannot be told apart. " +
      "The UID was lost when the files were copied or de-identified: export the original series again.",
    ko:
      "시리즈에서 서로 다른 영상 {files}장이 같은 SOP Instance UID를 가지고 있어 구별할 수 없습니다. " +
      "복사나 비식별화 과정에서 UID가 손실된 것입니다. 원본 시리즈를 다시 내보내세요.",
  },
  localizer: {
    en: "This is a localizer (scout), which is not analyzed. Nothing needs to be done.",
    ko: "위치 결정용(스카우트) 영상은 분석하지 않습니다. 별도의 조치는 필요하지 않습니다.",
  },
  derived: {
    en:
      "This is a derived image ({imageType}), which is not analyzed. Upload the original magnitude series.",
    ko:
      "원본이 아닌 파생 영상({imageType})은 분석하지 않습니다. 원본 magnitude(크기) 시리즈를 업로드하세요.",
  },
  unclassified: {
    en:
      "The DICOM tags show neither a T1w nor a FLAIR series. If it is one, choose the series type in the upload dialog, " +
      "or check DICOM Classify in the settings.",
    ko:
      "DICOM 태그로는 T1w나 FLAIR로 확인되지 않는 시리즈입니다. T1w나 FLAIR가 맞으면 업로드 창에서 시리즈 종류를 선택하거나 설정의 DICOM 분류를 확인하세요.",
  },
  time_points: {
    en:
      "The series has {count} time points, as dynamic and perfusion series have, and is not analyzed. " +
      "Choosing a series type does not change this, because the contrast varies with time. " +
      "Upload the T1w or FLAIR series of the study.",
    ko: "시점이 {count}개인 역동적(dynamic) 또는 관류 시리즈는 분석하지 않습니다. " +
      "시간에 따라 대조도가 달라지므로 시리즈 종류를 선택해도 분석할 수 없습니다. " +
      "검사의 T1w 또는 FLAIR 시리즈를 업로드하세요.",
  },
  repeated_positions: {
    en: "The series has {count} images at each slice position, " +
      "as dynamic, perfusion and multi-echo series have, and is not analyzed. " +
      "Choosing a series type does not change this, because the images are not one volume. " +
      "Upload a T1w or FLAIR series with one image at each position.",
    ko:
      "역동적(dynamic), 관류, 다중 에코 시리즈처럼 같은 위치에 영상이 {count}장씩 있는 시리즈는 분석하지 않습니다. " +
      "영상들이 하나의 볼륨이 아니므로 시리즈 종류를 선택해도 분석할 수 없습니다. " +
      "위치마다 영상이 한 장인 T1w 또는 FLAIR 시리즈를 업로드하세요.",
  },
  quantity: {
    en:
      "The series is a map of a measured quantity (unit {unit}) or contains one, is no T1w or FLAIR image, and is not analyzed. " +
      "Choosing a series type does not change this, because the analysis needs T1w or FLAIR contrast. " +
      "Upload the T1w or FLAIR series of the study.",
    ko:
      "T1w나 FLAIR 영상이 아니라 측정값(단위 {unit})을 나타낸 정량 지도(map)이거나 이를 포함한 시리즈이므로 분석하지 않습니다. " +
      "분석에는 T1w 또는 FLAIR 대조도가 필요하므로 시리즈 종류를 선택해도 분석할 수 없습니다. " +
      "검사의 T1w 또는 FLAIR 시리즈를 업로드하세요.",
  },
  label_map: {
    en: "The images of the series have only {count} different values, " +
      "as segmentations and masks have, and are not analyzed. Upload the original MR series.",
    ko:
      "분할(segmentation) 결과나 마스크처럼 화소값이 {count}가지뿐인 시리즈는 분석하지 않습니다. " +
      "원본 MR 시리즈를 업로드하세요.",
  },
  too_few_slices: {
    en:
      "The series has {slices} {slices|slice|slices}; at least {minimum} are needed. If the scanner or PACS has more slices, send all of them; otherwise use another series.",
    ko: "시리즈의 슬라이스가 {slices}장뿐입니다. {minimum}장 이상이어야 합니다. " +
      "장비나 PACS에 더 있으면 모두 보내고, 없으면 다른 시리즈를 사용하세요.",
  },
  divided_series: {
    en:
      "This series and another one of the study continue each other, but were not joined because they differ ({what}). Have the scanner or PACS send all slices as one series, or use another series.",
    ko:
      "이 시리즈와 검사의 다른 시리즈는 서로 이어지는 한 영상의 일부이지만, 서로 달라({what}) 합치지 않았습니다. 장비나 PACS에서 모든 슬라이스를 하나의 시리즈로 보내거나 다른 시리즈를 사용하세요.",
  },
  series_per_slice: {
    en:
      "{series} slices with the same description each have their own Series Instance UID and cannot be combined into one evenly spaced volume. Have the scanner or PACS send them as one series.",
    ko:
      "시리즈 설명이 같은 슬라이스 {series}장의 Series Instance UID가 모두 다르고, 간격이 고른 하나의 볼륨으로 합칠 수도 없습니다. 장비나 PACS에서 하나의 시리즈로 보내세요.",
  },
  missing_slice: {
    en:
      "{missing} {missing|slice|slices} of the series {missing|is|are} missing. Export the complete series and upload it again.",
    ko: "시리즈에서 슬라이스 {missing}장이 빠졌습니다. 전체 시리즈를 내보내 다시 업로드하세요.",
  },
  missing_parts: {
    en:
      "This multi-frame image is incomplete: only {files} of {total} {total|file was|files were} received. Export the complete series and upload it again.",
    ko: "다중 프레임 영상의 파일 {total}개 중 {files}개만 있습니다. " +
      "전체 시리즈를 내보내 다시 업로드하세요.",
  },
  bits_stored: {
    en: "Some pixel values exceed the range stated in the header (Bits Stored {bits}), " +
      "so the true values cannot be determined. Export the original series from the scanner.",
    ko: "화소값이 헤더가 허용하는 범위(Bits Stored {bits})보다 커서 실제 값을 알 수 없습니다. " +
      "장비에서 원본 시리즈를 내보내세요.",
  },
  lost_pixels: {
    en:
      "{slices} {slices|slice|slices} of the series {slices|is|are} empty or only partly present: the {slices|file is|files are} damaged. " +
      "Export the original series from the scanner or PACS again.",
    ko: "시리즈에서 슬라이스 {slices}장의 영상이 비어 있거나 일부만 남아 있습니다(파일 손상). " +
      "장비나 PACS에서 원본 시리즈를 다시 내보내세요.",
  },
  slice_gap: {
    en:
      "The slice spacing is not constant ({smallest} to {largest}\u00a0mm). Export the series again.",
    ko:
      "슬라이스 간격이 일정하지 않습니다({smallest}~{largest}\u00a0mm). 장비나 PACS에서 시리즈를 다시 내보내세요.",
  },
  repeated_slice: {
    en:
      "{count} {count|slice|slices} of the series {count|is|are} there twice, with different images ({slices}), so that the right {count|one is|ones are} not known. " +
      "Delete the wrong {count|image|images} in PACS, or have the scanner send the series again.",
    ko: "시리즈에서 슬라이스 {count}장이 서로 다른 영상으로 두 번 들어 있어({slices}) " +
      "어느 쪽이 맞는지 알 수 없습니다. PACS에서 잘못된 영상을 삭제하거나 장비에서 시리즈를 다시 보내세요.",
  },
  mixed_slices: {
    en: "The slices of this series differ ({what}) and cannot form one volume. " +
      "Use another series, or have the scanner send each set of images as a separate series.",
    ko:
      "한 시리즈에 서로 다른 영상의 슬라이스가 섞여 있어({what}) 하나의 볼륨으로 만들 수 없습니다. " +
      "다른 시리즈를 사용하거나 장비에서 영상별로 시리즈를 나누어 보내세요.",
  },
  mixed_patients: {
    en: "The files of this study name different patients, so none of them is used. " +
      "Check the patient in PACS and export the study again.",
    ko:
      "이 검사의 파일들에 서로 다른 환자가 기록되어 있어 어느 파일도 사용하지 않습니다. PACS에서 환자 정보를 확인한 뒤 검사를 다시 내보내세요.",
  },
  other_patient: {
    en: "This study is already stored under another patient, so the file is not used. " +
      "Check the patient in PACS; delete the stored study if it is the wrong one.",
    ko: "이 검사는 이미 다른 환자로 저장되어 있어 이 파일을 사용하지 않습니다. " +
      "PACS에서 환자 정보를 확인하고, 저장된 검사가 잘못되었다면 삭제하세요.",
  },
  series_incomplete: {
    en: "Part of this series is already stored, and these files are not the complete series. " +
      "Upload all files of the series together.",
    ko: "이 시리즈는 일부만 저장되어 있고, 업로드한 파일도 시리즈 전체가 아닙니다. " +
      "시리즈의 모든 파일을 함께 업로드하세요.",
  },
  same_images: {
    en:
      "These images are identical to those of the study's other series, and one series cannot be both T1w and FLAIR. Check the series type and upload the missing series.",
    ko: "이 영상은 검사의 다른 시리즈와 같습니다. 한 시리즈가 T1w이면서 FLAIR일 수는 없습니다. " +
      "시리즈 종류를 확인하고 빠진 시리즈를 업로드하세요.",
  },
  other_acquisition: {
    en:
      "These slices differ from the rest of the series ({what}), for example because they are a localizer, " +
      "and are not used. Nothing needs to be done.",
    ko:
      "시리즈의 나머지 슬라이스와 다른 영상(예: 위치 결정용 영상)의 슬라이스여서({what}) 제외했습니다. 별도의 조치는 필요하지 않습니다.",
  },
  other_images: {
    en: "The series contains several sets of images that differ ({what}); only one set is used. " +
      "To use this set instead, have the scanner send it as a separate series.",
    ko: "한 시리즈에 서로 다른 영상이 두 세트 이상 들어 있어({what}) 그중 한 세트만 사용합니다. " +
      "이 세트를 대신 사용하려면 장비에서 별도의 시리즈로 나누어 보내세요.",
  },
  slices_too_thick: {
    en:
      "The slices are {step}\u00a0mm apart; the analysis allows at most {maximum}\u00a0mm. Use an acquisition with thinner slices.",
    ko:
      "슬라이스 간격이 {step}\u00a0mm입니다. {maximum}\u00a0mm 이하만 분석할 수 있습니다. 슬라이스 간격이 더 좁은 시리즈를 사용하세요.",
  },
  other_series_chosen: {
    en: "This series was not used because the study has a more suitable one of the same type. " +
      "To use this series instead, upload only this series.",
    ko:
      "이 검사에 같은 종류의 더 적합한 시리즈가 있어 그 시리즈를 사용합니다. 이 시리즈를 사용하려면 이 시리즈만 업로드하세요.",
  },
  conversion: {
    en:
      "The images of the series cannot be decoded: the files are damaged or use an unusual encoding. " +
      "Send the series again from the scanner or PACS.",
    ko:
      "시리즈의 영상을 읽을 수 없습니다. 보낸 파일이 손상되었거나 특이한 방식으로 저장되어 있으니 " +
      "장비나 PACS에서 시리즈를 다시 보내세요.",
  },
  readings_differ: {
    en:
      "Two independent programs decoded this series differently, so it is not used. Both results are in the log. Use another series of the study, or have the scanner send this series again.",
    ko: "서로 독립된 두 프로그램이 이 시리즈를 다르게 읽어 사용하지 않습니다. " +
      "두 결과는 로그에 기록되어 있습니다. 검사의 다른 시리즈를 사용하거나 장비에서 이 시리즈를 다시 전송하세요.",
  },
  reading_ended: {
    en:
      "The program that reads the images stopped unexpectedly twice while reading this series. Try again. If this happens again, have the scanner or PACS send the series again.",
    ko:
      "이 시리즈를 읽는 동안 영상 읽기 프로그램이 두 번 갑자기 종료되었습니다. 다시 시도하고, 문제가 계속되면 장비나 PACS에서 시리즈를 다시 보내세요.",
  },
  volume_too_large: {
    en: "The series has {millions} million voxels; at most {maximum} million can be read. " +
      "Use a reconstruction with a smaller matrix.",
    ko:
      "시리즈의 복셀이 {millions}백만 개로 너무 많습니다(최대 {maximum}백만 개). 행렬 크기를 줄여 재구성한 시리즈를 사용하세요.",
  },
  geometry_mismatch: {
    en:
      "The positions and orientations of the slices contradict each other, so left and right cannot be confirmed. Use another series, or send the original series from the scanner.",
    ko: "슬라이스의 위치와 방향 정보가 서로 맞지 않아 좌우를 확인할 수 없습니다. " +
      "다른 시리즈를 사용하거나 장비에서 원본 시리즈를 보내세요.",
  },
} as const satisfies Catalogue;

/** All reasons for refusing an uploaded file or series. */
export type UploadReason = keyof typeof uploadReasonText;

export const isUploadReason = (value: unknown): value is UploadReason =>
  typeof value === "string" && Object.hasOwn(uploadReasonText, value);

type Details = Readonly<Record<string, string | number | readonly string[]>>;

/** Description of a refused series for its message: name, number of slices sent, patient. */
export const seriesTitleIn = (
  language: Language,
  { description, slices, patient }: { description: string; slices: number; patient: string },
): string =>
  textIn(seriesText.title, language, {
    series: description || textIn(seriesText.unnamed, language),
    slices,
    patient,
  });

/**
 * Reason and remedy for a refused file or series, and the series that was used instead, if any.
 * @param details  Values for the placeholders of the text.
 */
export function reasonIn(language: Language, reason: UploadReason, details: Details = {}): string {
  const values = Object.fromEntries(
    Object.entries(details).map((
      [key, value],
    ) => [key, typeof value === "object" ? value.join(", ") : value]),
  );
  const text = textIn(uploadReasonText[reason], language, phrasesIn(language, values));
  return values.instead === undefined
    ? text
    : `${text} ${textIn(seriesText.instead, language, values)}`;
}

/** A patient's name and ID for a message; with birth date if patients differ only in that date. */
function patientIn(
  language: Language,
  { patient_name, patient_id, birth_date, sex, age }: NamedPatient,
  isBirthTold: boolean,
): string {
  const say = (key: keyof typeof seriesText, values = {}) =>
    textIn(seriesText[key], language, values);
  return [
    patient_name || say("noPatientName"),
    patient_id === "" ? say("noPatientId") : say("patientId", { id: patient_id }),
    ...isBirthTold && birth_date ? [say("bornOn", { date: birth_date })] : [],
    ...isBirthTold && sex ? [say(sex)] : [],
    ...isBirthTold && age !== undefined ? [say("aged", { age })] : [],
  ].join(", ");
}

/** Sentences naming the patients of a mixed upload. @param count Number of patients in it. */
function patientsIn(
  language: Language,
  patients: readonly NamedPatient[],
  count: number,
): string {
  const isBirthTold = new Set(patients.map(({ patient_id }) => patient_id)).size < patients.length;
  const sent = patients.filter(({ pid }) => pid === undefined);
  const names = sent.map((one) => {
    const patient = patientIn(language, one, isBirthTold);
    return one.slices === undefined
      ? patient
      : textIn(seriesText.patientSlices, language, { patient, slices: one.slices });
  });
  const more = count - sent.length;
  if (more > 0) names.push(textIn(seriesText.morePatients, language, { count: more }));
  const sentences = names.length === 0
    ? []
    : [textIn(seriesText.patients, language, { patients: names.join("; ") })];
  for (const { pid, ...one } of patients) {
    if (pid === undefined) continue;
    const patient = patientIn(language, one, isBirthTold);
    sentences.push(textIn(seriesText.storedAs, language, { pid, patient }));
  }
  return sentences.join(" ");
}

/** Reason and remedy for a refused file or series; the patients, if files of several are mixed. */
export function refusalIn(
  language: Language,
  { reason, details = {}, patients = [] }: {
    reason: UploadReason;
    details?: Details | undefined;
    patients?: readonly NamedPatient[] | undefined;
  },
): string {
  const text = reasonIn(language, reason, details);
  if (patients.length === 0) return text;
  const count = typeof details.patients === "number" ? details.patients : 0;
  return `${text} ${patientsIn(language, patients, count)}`;
}

/** Reasons that concern a whole study: a message shows them once, not for each series. */
export const isStudyReason = (reason: UploadReason): boolean =>
  reason === "mixed_patients" || reason === "other_patient";

/** The reason for a refusal without the remedy: first sentence of {@link reasonIn}. */
export const wrongIn = (...of: Parameters<typeof reasonIn>): string =>
  reasonIn(...of).split(/\.(?: |$)/)[0]!;

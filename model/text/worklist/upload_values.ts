// Phrases that reasons for refusing a file or series contain.
import { type Catalogue, type Language, textIn } from "@/model/text.ts";

/** Names of properties in which the slices of a series can differ. */
export const differenceText = {
  "matrix size": { en: "matrix size", ko: "행렬 크기" },
  "pixel spacing": { en: "pixel spacing", ko: "화소 간격" },
  "frame of reference": { en: "frame of reference", ko: "Frame of Reference UID" },
  orientation: { en: "orientation", ko: "방향" },
  "pixel format": { en: "pixel format", ko: "화소 형식" },
  "acquisition number": { en: "acquisition number", ko: "Acquisition Number" },
  position: { en: "several slices at the same position", ko: "같은 위치에 슬라이스 여러 장" },
  "in-plane position": { en: "in-plane position", ko: "평면 내 위치" },
  "slice thickness": { en: "slice thickness", ko: "슬라이스 두께" },
  "image type": { en: "image type", ko: "영상 유형" },
  "echo time": { en: "echo time", ko: "에코 시간" },
  unit: { en: "unit of the pixel values", ko: "화소값의 단위" },
  timing: { en: "repetition time, inversion time or flip angle", ko: "TR, TI 또는 숙임각" },
} as const satisfies Catalogue;

/** Statements about the content of a file that contradicts the stated transfer syntax. */
export const storedAsText = {
  implicit: {
    en: "the data set is encoded as Implicit VR Little Endian",
    ko: "실제 데이터는 Implicit VR Little Endian 형식입니다",
  },
  explicit: {
    en: "the data set is encoded as Explicit VR Little Endian",
    ko: "실제 데이터는 Explicit VR Little Endian 형식입니다",
  },
  big_endian: {
    en: "the data set is encoded as Explicit VR Big Endian",
    ko: "실제 데이터는 Explicit VR Big Endian 형식입니다",
  },
  uncompressed: {
    en: "the images are not compressed",
    ko: "실제 영상은 압축되어 있지 않습니다",
  },
  compressed: {
    en: "the images are compressed",
    ko: "실제 영상은 압축되어 있습니다",
  },
  jpeg: {
    en: "the images are compressed as JPEG",
    ko: "실제 영상은 JPEG 방식으로 압축되어 있습니다",
  },
  jpeg_lossless: {
    en: "the images are compressed as JPEG Lossless",
    ko: "실제 영상은 JPEG Lossless 방식으로 압축되어 있습니다",
  },
  jpeg_ls: {
    en: "the images are compressed as JPEG-LS",
    ko: "실제 영상은 JPEG-LS 방식으로 압축되어 있습니다",
  },
  jpeg_2000: {
    en: "the images are compressed as JPEG 2000",
    ko: "실제 영상은 JPEG 2000 방식으로 압축되어 있습니다",
  },
} as const satisfies Catalogue;

/** Phrases inserted into sentences about a refused series. */
export const seriesText = {
  instead: {
    en: "Series {instead} is used instead.",
    ko: "대신 {instead} 시리즈를 사용합니다.",
  },
  patients: {
    en: "Patients named in the files: {patients}.",
    ko: "파일에 기록된 환자: {patients}.",
  },
  patientSlices: {
    en: "{patient} ({slices} {slices|slice|slices})",
    ko: "{patient}(슬라이스 {slices}장)",
  },
  morePatients: {
    en: "{count} {count|other patient|other patients}",
    ko: "그 밖의 환자 {count}명",
  },
  storedAs: {
    en: "Patient of stored study {pid}: {patient}.",
    ko: "{pid}번 검사의 환자: {patient}.",
  },
  patientId: { en: "ID {id}", ko: "ID {id}" },
  noPatientId: { en: "no ID", ko: "ID 없음" },
  noPatientName: { en: "no name", ko: "이름 없음" },
  male: { en: "male", ko: "남성" },
  female: { en: "female", ko: "여성" },
  aged: { en: "age {age}", ko: "나이 {age}세" },
  bornOn: { en: "born {date}", ko: "생년월일 {date}" },
  title: {
    en: "{series} ({slices} {slices|slice|slices}), {patient}",
    ko: "{series}(슬라이스 {slices}장), {patient}",
  },
  unnamed: { en: "Series without description", ko: "설명 없는 시리즈" },
} as const satisfies Catalogue;

/** Encoding of a file's content; key of {@link storedAsText}. */
export type StoredAs = keyof typeof storedAsText;

const isKeyOf = <T extends object>(catalogue: T, key: unknown): key is keyof T =>
  typeof key === "string" && Object.hasOwn(catalogue, key);

type Values = Record<string, string | number>;

/** Values of a refusal in a language: keys of the catalogues above become phrases. */
export function phrasesIn(language: Language, values: Values): Values {
  const phrases = { ...values }, { what, actual } = values;
  if (isKeyOf(differenceText, what)) phrases.what = textIn(differenceText[what], language);
  if (isKeyOf(storedAsText, actual)) phrases.actual = textIn(storedAsText[actual], language);
  return phrases;
}

// Classifies series of an examination as T1w or FLAIR.
// The server and the upload page use these rules alike.

/** Which of a patient's two series a group of slices is. `t2` means FLAIR. */
export type SeriesKind = "t1" | "t2";

/**
 * Attributes of a series that show the contrast.
 * Texts are decoded and trimmed; a missing time is `undefined`.
 */
export interface ContrastHeader {
  repetitionTimeMs: number | undefined;
  echoTimeMs: number | undefined;
  inversionTimeMs: number | undefined;
  flipAngleDeg: number | undefined;
  scanningSequence: readonly string[];
  /** values by attribute keyword, for the keywords of {@link CLASSIFY_TAGS} */
  texts: Readonly<Record<string, string>>;
}

/** Attributes that classification rules may name (settings `t1w_tag`, `t2w_tag`). */
export const CLASSIFY_TAGS: Readonly<Record<string, string>> = {
  SeriesDescription: "x0008103e",
  ProtocolName: "x00181030",
  SequenceName: "x00180024",
  PulseSequenceName: "x00189005",
  ScanningSequence: "x00180020",
  SequenceVariant: "x00180021",
  ScanOptions: "x00180022",
  ImageType: "x00080008",
  StudyDescription: "x00081030",
  RequestedProcedureDescription: "x00321060",
  PerformedProcedureStepDescription: "x00400254",
  AcquisitionContrast: "x00089209",
  ImageComments: "x00204000",
  AngioFlag: "x00180025",
};

/**
 * Rules that distinguish T1w and FLAIR: the organisation's settings for DICOM tags and words,
 * and the user's choice at the upload.
 */
export interface ClassifyRules {
  /** attribute keywords, or tags such as (0008,103E), separated by commas */
  t1wTag: string;
  t2wTag: string;
  /** substrings separated by commas, case-insensitive; one match is enough */
  t1wIncludes: string;
  t2wIncludes: string;
  /** the user's choice in the upload; `t1` and `t2` override every rule */
  seriesType?: "t1" | "t2" | "t1t2";
}

export const DEFAULT_RULES: ClassifyRules = {
  t1wTag: "SeriesDescription,ProtocolName",
  t2wTag: "SeriesDescription,ProtocolName",
  t1wIncludes: "t1,mprage,mp-rage,mp2rage,spgr,fspgr,bravo,tfe,tfl,vibe,3d gre",
  t2wIncludes: "flair,dark-fluid,dark fluid,darkfluid,tirm,space_da",
};

/** Rule that decided the kind of a series; `choice` is the user's choice. */
export type ClassifiedBy = "choice" | "includes" | "physics";

interface Classification {
  kind: SeriesKind;
  by: ClassifiedBy;
}

/** Keywords of the attributes that a rule names, in order; unknown names are left out. */
export function namedAttributes(tags: string): string[] {
  const byTag = new Map(Object.entries(CLASSIFY_TAGS).map(([name, tag]) => [tag.slice(1), name]));
  const names = new Map(Object.keys(CLASSIFY_TAGS).map((name) => [name.toLowerCase(), name]));
  // a tag such as "(0008,103E)" contains a comma
  const joined = tags.replace(/\(?\b([0-9a-f]{4}),\s?([0-9a-f]{4})\b\)?/gi, "$1$2");
  return joined.split(",").map((part) => part.trim().toLowerCase())
    .map((part) => byTag.get(part) ?? names.get(part.replace(/[\s_-]/g, "")))
    .filter((name) => name !== undefined);
}

/** Whether a rule names at least one attribute of {@link CLASSIFY_TAGS}. */
export const namesAttribute = (tags: string): boolean => namedAttributes(tags).length > 0;

/** Pattern of words without letters beside them; digits, spaces and underscores may follow. */
const wordsOf = (...patterns: string[]) => `(?<!\\p{L})(?:${patterns.join("|")})(?!\\p{L})`;
/** Not after "post" or "pre": "T1 post perfusion" is a T1w series, acquired after a perfusion. */
const BESIDE = "(?<!(?<!\\p{L})" +
  "(?:post|pre|after|before|nach|vor|apr[eè]s|avant|dopo|prima|despu[eé]s|antes|po|przed)" +
  "[ _.-]*(?:(?:de|di|la|mr|dsc|dce)[ _.-]+)*)";

/**
 * Words in names of series that are neither T1w nor FLAIR, regardless of other words and of timing:
 * flow, susceptibility, diffusion, perfusion, field maps, dynamic series, quantitative maps and
 * contrasts computed from these, label maps, masks, and source images of computed images (such as
 * INV1 of MP2RAGE).
 */
const OTHER_PICTURE = new RegExp(
  [
    wordsOf(
      "tof|mra|mrv|angio\\p{L}*|swi|swan|venobold|adc|dwi|b1 ?map|field ?map\\p{L}*|dir",
      "t[12]_images|inv[ _-]?[12]|pha_?images|mag_?images",
      // susceptibility and relaxation: "QSM", "T1 map", "T1-Karte", "mapa T1", "carte T1"
      "qsm|chi[ _-]?maps?|r2(?:\\*|star)|suscept\\p{L}*|suszept\\p{L}*|suscett\\p{L}*",
      "(?:[rt][12](?:\\*|star|rho)?|pd|m0)[ _-]*(?:map\\p{L}*|karte|carte)",
      "(?:mapa|mappa|carte|karte|карта|map of)[ _-]*(?:de |di |del |der )?[rt][12]",
      "qt[12]|t1rho|relaxom\\p{L}*|(?:sh)?molli|despot",
      "label[ _-]?maps?|aseg|aparc|parcellation|masks?|maske|masque|m[aá]scara|maschera",
      "segmentation|segmentierung|segmentaci[oó]n|segmentazione",
      // contrasts computed from maps: SyMRI, MAGiC, QALAS, SynthSR
      "symri|magic|qalas|syn(?:th\\p{L}*)?[ _-]*t[12]w?|sy[ _-]*t[12]w?|synth(?:sr|eti\\p{L}*)",
      "synthétique|sint[eé]tic\\p{L}*",
    ),
    BESIDE + wordsOf(
      "p?c?asl|arterial[ _-]spin|spin[ _-]?label\\p{L}*|perf|perfu[sz]\\p{L}*|перфуз\\p{L}*",
      "r?cb[fv]|mtt|ttp|t-?max|k-?trans|dsc|dce|twist|tricks|grasp|wash[ _-]?(?:in|out)",
      "dyn|dynam\\p{L}*|din[aá]m\\p{L}*|динам\\p{L}*|multi[ _-]?pha[sz]\\p{L}*|time[ _-]?resolved",
    ),
    // words of Korean, Japanese and Chinese have letters beside them
    "관류|灌流|灌注|역동|동적|다이나믹|ダイナミック|动态|動態|動的|磁化率|자화율",
    "合成|합성|마스크|マスク|掩膜",
    "t[12] ?(?:맵|지도|マップ|图|圖)",
  ].join("|"),
  "iu",
);
/** Names of sequences, by the manufacturers, that label blood or follow a contrast agent. */
const OTHER_SEQUENCE = /(?<![a-z])(?:p?c?asl|tgse|twist|tricks)/i;
/**
 * Values of Image Type and Acquisition Contrast (PS3.3 C.8.13.3.1) of images that are not
 * anatomical.
 */
const OTHER_CONTRAST = new Set([
  "ASL",
  "DIFFUSION",
  "DYNAMIC",
  "FLOW_ENCODED",
  "FMRI",
  "PERFUSION",
  "PERFUSION_ASL",
  "TAGGING",
  "TOF",
  "VELOCITY",
]);
/**
 * Words of images with the timing of a T1w series that are often named together with a T1w series.
 */
const OTHER_TIMING =
  /(?<![a-z])(p?c?asl|dsc|dce|perf\w*|twist|ciss|fiesta|trufi|b-?ffe|venc|pc)(?![a-z])/i;

/** Whether image type, contrast or sequence exclude an anatomical image. */
function isOtherAcquisition({ texts }: ContrastHeader): boolean {
  const values = [
    ...(texts.ImageType ?? "").split("\\").slice(2),
    texts.AcquisitionContrast ?? "",
  ];
  return values.some((value) => OTHER_CONTRAST.has(value.trim().toUpperCase())) ||
    OTHER_SEQUENCE.test(texts.SequenceName ?? "") ||
    OTHER_SEQUENCE.test(texts.PulseSequenceName ?? "");
}

/** Index of the first attribute that contains one of the words, the word, and the text. */
function matchOf(
  header: ContrastHeader,
  tags: string,
  includes: string,
): { rank: number; word: string; text: string } | null {
  const words = includes.split(",").map((w) => w.trim().toLowerCase()).filter((w) => w !== "");
  for (const [rank, name] of namedAttributes(tags).entries()) {
    const text = (header.texts[name] ?? "").toLowerCase();
    const word = words.find((word) => text.includes(word));
    if (word !== undefined) return { rank, word, text };
  }
  return null;
}

/**
 * Whether the timing excludes a kind, whatever the name: "t2_tirm" is a STIR as often as a FLAIR,
 * and the name of a protocol may describe the whole examination.
 * A time that is missing in the header excludes no kind.
 */
function contradicts(header: ContrastHeader, kind: SeriesKind): boolean {
  const { echoTimeMs: te, inversionTimeMs: ti, scanningSequence } = header;
  if (scanningSequence.includes("EP")) return true;
  if (kind === "t2") {
    return (te !== undefined && te < 50) || (ti !== undefined && ti > 0 && ti < 1000);
  }
  return te !== undefined && te > (scanningSequence.includes("GR") ? 15 : 40);
}

/** Balanced steady state: bright fluid at the times of a T1w gradient echo. */
function isBalanced({ texts }: ContrastHeader): boolean {
  const variant = (texts.SequenceVariant ?? "").toUpperCase().split("\\");
  return variant.includes("SS") && !variant.includes("SP") && !variant.includes("MP");
}

/**
 * Contrast by timing. FLAIR: long echo with a fluid-nulling inversion (1.5–3.2 s).
 * T1w: gradient echo with short echo and repetition (or MPRAGE inversion below 1.5 s), or spin echo
 * with TR < 1 s. Neither: plain T2w, proton density, T2*-weighted, balanced, flow and diffusion.
 */
function classifyByPhysics(header: ContrastHeader): SeriesKind | undefined {
  const { repetitionTimeMs: tr, echoTimeMs: te, inversionTimeMs: ti, scanningSequence, texts } =
    header;
  const name = texts.SeriesDescription ?? "";
  if (OTHER_PICTURE.test(name) || OTHER_TIMING.test(name) || texts.AngioFlag === "Y") {
    return undefined;
  }
  if (isOtherAcquisition(header)) return undefined;
  if (tr === undefined || te === undefined || scanningSequence.includes("EP")) return undefined;
  if (ti !== undefined && ti >= 1500 && ti <= 3200 && te >= 60 && tr >= 4000) return "t2";
  const isGradientEcho = scanningSequence.includes("GR");
  if (
    isGradientEcho && te <= 10 && tr <= 3500 && (ti === undefined || ti < 1500) &&
    !isBalanced(header)
  ) {
    // a long TR without inversion, or with a small flip angle, is proton density
    return ti !== undefined || tr <= 60 && (header.flipAngleDeg ?? 20) >= 7 ? "t1" : undefined;
  }
  if (scanningSequence.includes("SE") && tr < 1000 && te < 30) return "t1";
  return undefined;
}

/**
 * Classifies a series as T1w or FLAIR. The user's choice comes first, then the settings' words,
 * in the first attribute that contains one, unless the timing excludes that kind.
 * If both kinds or neither match ("T1 FLAIR", an empty description), the timing decides.
 *
 * @returns `undefined` if neither words nor timing decide.
 */
export function classify(header: ContrastHeader, rules: ClassifyRules): Classification | undefined {
  if (rules.seriesType === "t1" || rules.seriesType === "t2") {
    return { kind: rules.seriesType, by: "choice" };
  }
  return classifyByTags(header, rules);
}

/** Like {@link classify}, without the user's choice. */
export function classifyByTags(
  header: ContrastHeader,
  rules: ClassifyRules,
): Classification | undefined {
  const t1 = matchOf(header, rules.t1wTag, rules.t1wIncludes);
  const t2 = matchOf(header, rules.t2wTag, rules.t2wIncludes);
  const difference = (t1?.rank ?? Infinity) - (t2?.rank ?? Infinity);
  if (difference < 0 || difference > 0) {
    const kind = difference < 0 ? "t1" : "t2", { word, text } = (difference < 0 ? t1 : t2)!;
    const names = [header.texts.SeriesDescription ?? "", text];
    // a site that configures a word such as "perfusion" wants to analyse these series
    const isOther = !OTHER_PICTURE.test(word) &&
      (names.some((name) => OTHER_PICTURE.test(name)) || isOtherAcquisition(header));
    if (!isOther && !contradicts(header, kind)) return { kind, by: "includes" };
  }
  const kind = classifyByPhysics(header);
  return kind && { kind, by: "physics" };
}

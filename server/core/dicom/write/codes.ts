import type { Dataset } from "@/server/core/dicom/write/dataset_writer.ts";
import type { LesionLobe, LesionSide, LesionSite } from "@/model/regions/lesion_site.ts";
import type { Hemisphere, Region } from "@/model/regions/regions.ts";
import { regionOf } from "@/model/regions/regions.ts";

/** A coded concept (PS3.3 §8); the scheme `99SULCUS` is private to this program. */
export interface Code {
  value: string;
  scheme: "DCM" | "SCT" | "LN" | "UCUM" | "UMLS" | "RFC5646" | "99SULCUS";
  meaning: string;
}

export const code = (scheme: Code["scheme"], value: string, meaning: string): Code => ({
  value,
  scheme,
  meaning,
});

/** Item of a code sequence, for a coded concept. */
export const codeItem = ({ value, scheme, meaning }: Code): Dataset => ({
  CodeValue: value,
  CodingSchemeDesignator: scheme,
  CodeMeaning: meaning,
});

export const ANATOMICAL_STRUCTURE = code("SCT", "123037004", "Anatomical Structure");
export const ABNORMAL_STRUCTURE = code("SCT", "49755003", "Morphologically Abnormal Structure");
export const LEFT = code("SCT", "7771000", "Left"), RIGHT = code("SCT", "24028007", "Right");
export const CEREBRAL_WHITE_MATTER = code("SCT", "68523003", "Cerebral White Matter");
export const CRANIAL_CAVITY = code("SCT", "1101003", "Cranial Cavity");
export const WHITE_MATTER_HYPERINTENSITY = code("DCM", "110702", "White Matter T2 Hyperintensity");
export const VOLUME = code("SCT", "118565006", "Volume");
export const THICKNESS = code("99SULCUS", "CORTTHICK", "Cortical thickness");
export const PERCENTILE = code("DCM", "121415", "Percentile Ranking of measurement");
export const MILLIMETRE = code("UCUM", "mm", "millimeter"), PERCENT = code("UCUM", "%", "percent");
export const PERIVENTRICULAR = code("99SULCUS", "PERIVENT", "Periventricular");
export const DEEP = code("99SULCUS", "DEEP", "Deep white matter");
/** Laterality of both sides as a SNOMED CT code, since PS3.16 defines none. */
export const BOTH_SIDES = code("SCT", "51440002", "Right and left");

/** Private codes for lesion locations by contact (with ventricle, cortex, …). */
export const SITE_CODES: Readonly<Record<LesionSite, Code>> = {
  periventricular: code("99SULCUS", "TOUCHVENT", "Periventricular, touching a lateral ventricle"),
  juxtacortical: code("99SULCUS", "TOUCHCORT", "Juxtacortical or cortical, touching the cortex"),
  deep_white: code("99SULCUS", "DEEPWM", "Deep white matter, touching no ventricle or cortex"),
  infratentorial: code("99SULCUS", "INFRATENT", "Infratentorial"),
  deep_grey: code("99SULCUS", "DEEPGM", "Deep gray matter"),
};

/** Description of the private coding scheme, included in each object that uses it (C.12.1.1.11). */
const OWN_SCHEME: Dataset = {
  CodingSchemeDesignator: "99SULCUS",
  CodingSchemeName: "Sulcus: FSn is number n of the FreeSurfer color table (left side)",
  CodingSchemeResponsibleOrganization: "Sulcus",
};

const CORPUS_CALLOSUM = code("SCT", "88442005", "Corpus callosum");
const ANTERIOR = code("SCT", "255549009", "Anterior"),
  POSTERIOR = code("SCT", "255551008", "Posterior");
/**
 * Modifier for a region that is part of a structure: PS3.16 CID 2.
 * The same codes as in fs2dicom's table of FreeSurfer regions (CorticoMetrics, fs-aseg.json).
 * A part between two ends has the code of the nearer end; the segment label names the exact part.
 */
const PLACE_CODES: Readonly<Record<string, Code>> = {
  "Corpus callosum posterior": POSTERIOR,
  "Corpus callosum mid-posterior": POSTERIOR,
  "Corpus callosum central": code("SCT", "26216008", "Central"),
  "Corpus callosum mid-anterior": ANTERIOR,
  "Corpus callosum anterior": ANTERIOR,
};

/** Codes of the lobes, by group of regions: PS3.16 CID 7153. */
const LOBE_CODES: Readonly<Record<string, Code>> = {
  frontal: code("SCT", "83251001", "Frontal lobe"),
  parietal: code("SCT", "16630005", "Parietal lobe"),
  temporal: code("SCT", "78277001", "Temporal lobe"),
  occipital: code("SCT", "31065004", "Occipital lobe"),
  cingulate: code("SCT", "279215006", "Limbic lobe"),
};

/** Codes of the brain parts that name lesion locations: PS3.16 CID 7140 and 7153. */
export const LESION_LOBE_CODES: Readonly<Record<LesionLobe, Code>> = {
  "frontal": LOBE_CODES.frontal!,
  "parietal": LOBE_CODES.parietal!,
  "temporal": LOBE_CODES.temporal!,
  "occipital": LOBE_CODES.occipital!,
  "insula": code("SCT", "36169008", "Insula"),
  "corpus callosum": CORPUS_CALLOSUM,
  "deep grey": code("99SULCUS", "DEEPGREY", "Deep gray matter"),
  "brain stem": code("SCT", "119238007", "Brain Stem"),
  "cerebellum": code("SCT", "113305005", "Cerebellum"),
};

/** Label, on the T1w series, of lesions that were found in a FLAIR series. */
const LESION_LABEL = 28;

/** Codes of the brain parts that the standard has: PS3.16 CID 7140, 7151 and 7153. */
const PART_CODES: Readonly<Record<string, Code>> = {
  "Cerebral white matter": code("SCT", "68523003", "Cerebral White Matter"),
  "Cerebellar white matter": code("SCT", "33060004", "Cerebellar White Matter"),
  "Cerebellar cortex": code("SCT", "25991003", "Cerebellar Cortex"),
  "Thalamus": code("SCT", "119406000", "Thalamus"),
  "Caudate": code("SCT", "11000004", "Caudate Nucleus"),
  "Putamen": code("SCT", "89278009", "Putamen"),
  "Pallidum": code("SCT", "14738005", "Globus Pallidus"),
  "Lateral ventricle": code("SCT", "66720007", "Lateral Ventricle"),
  "Inferior lateral ventricle": code("SCT", "53118009", "Inferior Horn of Lateral Ventricle"),
  "Hippocampus": code("SCT", "5366008", "Hippocampus"),
  "Amygdala": code("SCT", "4958002", "Amygdala"),
  "Accumbens": code("SCT", "427667007", "Nucleus Accumbens"),
  "Third ventricle": code("SCT", "49841001", "Third ventricle"),
  "Fourth ventricle": code("SCT", "35918002", "Fourth Ventricle"),
  "Cerebrospinal fluid": code("SCT", "65216001", "Cerebrospinal Fluid"),
  "White matter hypointensities": WHITE_MATTER_HYPERINTENSITY,
  "Ventral diencephalon": code("DCM", "110700", "Ventral Diencephalon"),
  "Brain stem": code("SCT", "119238007", "Brain Stem"),
  "Entorhinal": code("SCT", "3937002", "Entorhinal Cortex"),
  "Insula": code("SCT", "36169008", "Insula"),
};

/** Left region of a pair: FreeSurfer has two labels, DICOM a single code and a laterality. */
const leftOf = (region: Region): Region =>
  region.hemisphere === "R" ? regionOf(region.label - 1) ?? region : region;

/** Code of a region, without laterality. */
export function regionCode(region: Region): Code {
  const { freesurferId, part } = leftOf(region);
  if (part in PLACE_CODES) return CORPUS_CALLOSUM;
  return PART_CODES[part] ?? code("99SULCUS", `FS${freesurferId}`, part);
}

/** Modifier of a region, if the code names the whole structure and the region is a part. */
export const placeCode = ({ part }: Region): Code | null => PLACE_CODES[part] ?? null;

/**
 * Lobe of a region for which the standard has no code: the regions of the Desikan-Killiany
 * atlas. fs2dicom's table for FreeSurfer has no codes for these regions either.
 */
export const lobeCode = (region: Region): Code | null =>
  regionCode(region).scheme === "99SULCUS" ? LOBE_CODES[region.group] ?? null : null;

export const isAbnormal = (label: number): boolean => label === LESION_LABEL;

/** Laterality of a lesion; `both` for a bilateral one. */
export const lesionSideCode = (side: LesionSide): Code | null =>
  side === "both" ? BOTH_SIDES : side === null ? null : sideCode(side);

export const sideCode = (hemisphere: Hemisphere): Code | null =>
  hemisphere === "" ? null : hemisphere === "L" ? LEFT : RIGHT;

/** Private coding schemes that a data set uses. */
export const ownSchemes = (
  codes: readonly Code[],
): Pick<Dataset, "CodingSchemeIdentificationSequence"> =>
  codes.some(({ scheme }) => scheme === "99SULCUS")
    ? { CodingSchemeIdentificationSequence: [OWN_SCHEME] }
    : {};

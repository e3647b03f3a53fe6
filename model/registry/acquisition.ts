// Scanner and protocol of a study for a registry, without free text of the header.
// A header may contain names of people and institutions, and serial numbers.

/** Manufacturers by the beginning of the name in the header, lower case. */
const MANUFACTURERS: readonly (readonly [beginning: string, name: string])[] = [
  ["siemens", "Siemens"],
  ["ge ", "GE"],
  ["general electric", "GE"],
  ["philips", "Philips"],
  ["canon", "Canon"],
  ["toshiba", "Canon"],
  ["uih", "United Imaging"],
  ["united imaging", "United Imaging"],
  ["hitachi", "Fujifilm"],
  ["fujifilm", "Fujifilm"],
];

/** Scanner models that a registry file may name, most specific first; other models are left out. */
const MODELS: readonly string[] = [
  "Prisma_fit",
  "Prisma",
  "Skyra_fit",
  "Skyra",
  "TrioTim",
  "Trio",
  "Verio",
  "Vida",
  "Lumina",
  "Sola",
  "Altea",
  "Aera",
  "Avanto_fit",
  "Avanto",
  "Espree",
  "Symphony",
  "Sonata",
  "Allegra",
  "Biograph_mMR",
  "Terra",
  "Free.Max",
  "Cima.X",
  "MR750w",
  "MR750",
  "MR450w",
  "MR450",
  "HDxt",
  "Excite",
  "Premier",
  "Architect",
  "Artist",
  "Pioneer",
  "Voyager",
  "Achieva dStream",
  "Achieva",
  "Ingenia Elition",
  "Ingenia Ambition",
  "Ingenia CX",
  "Ingenia",
  "Intera",
  "MR 7700",
  "MR 5300",
  "Titan",
  "Galan",
  "Orian",
  "Elan",
  "uMR 570",
  "uMR 670",
  "uMR 770",
  "uMR 780",
  "uMR 790",
  "uMR 870",
  "uMR 880",
  "uMR 890",
  "Echelon",
  "Oasis",
];

/** All names that a registry file can contain, for its documentation. */
export const acquisitionLists = () => ({
  manufacturers: [...new Set(MANUFACTURERS.map(([, name]) => name))],
  models: MODELS,
});

/** Scanner and protocol, named by the lists above; `null`: unknown or not in the lists. */
export interface Acquisition {
  manufacturer: string | null;
  model: string | null;
  fieldT: number | null;
  /** longest edge of a voxel, mm, in steps of .5 */
  voxelMm: number | null;
}

const FIELDS_T = [0.35, 0.4, 0.5, 0.55, 1, 1.2, 1.5, 3, 5, 7];

/** The usual field strength within 5 %, or `null`. */
const fieldOf = (protocol: string): number | null => {
  const [, text] = /^(\d{1,2}(?:\.\d)?) T\b/.exec(protocol) ?? [];
  const stated = Number(text);
  return FIELDS_T.find((field) => Math.abs(stated - field) <= 0.05 * field) ?? null;
};

/** Limit of a voxel edge, mm: longer edges count as this long. */
const MAX_VOXEL_MM = 6;

/**
 * Voxel edges in the name of a protocol, mm, NaN for other text; empty for a name without voxel
 * size. Without a pattern, which would take quadratic time.
 */
export function voxelEdgesMm(protocol: string): number[] {
  if (!protocol.endsWith(" mm")) return [];
  return protocol.slice(protocol.lastIndexOf(",") + 1, -" mm".length).split(" × ").map(Number);
}

function voxelOf(protocol: string): number | null {
  const edges = voxelEdgesMm(protocol);
  if (edges.length !== 3 || !edges.every((mm) => mm > 0)) return null;
  return Math.min(MAX_VOXEL_MM, Math.ceil(2 * Math.max(...edges)) / 2);
}

/**
 * @param scanner Manufacturer, model and serial number of the header in one text.
 * @param protocol As written by `protocolName()`, "3 T, TR 2300, …, 1 × 1 × 1 mm".
 */
export function acquisitionOf(scanner: string | null, protocol: string | null): Acquisition {
  const lower = `${scanner ?? ""} `.toLowerCase();
  const [, manufacturer = null] =
    MANUFACTURERS.find(([beginning]) => lower.startsWith(beginning)) ?? [];
  const words = lower.replaceAll(/[\s_]+/g, " ");
  const model = manufacturer === null ? null : MODELS.find((name) => {
    const wanted = name.toLowerCase().replaceAll("_", " ");
    const at = words.indexOf(wanted), after = words[at + wanted.length] ?? " ";
    return at >= 0 && /[^a-z0-9]/.test(after) && /[^a-z0-9]/.test(words[at - 1] ?? " ");
  });
  return {
    manufacturer,
    model: model ?? null,
    fieldT: fieldOf(protocol ?? ""),
    voxelMm: voxelOf(protocol ?? ""),
  };
}

// Measurement groups of lesions for DICOM objects, by lesion site.
import { isUnsearched, type LesionPlace } from "@/model/regions/lesion_site.ts";
import type { WmhDetail } from "@/model/schema/studies/patients.ts";
import { lesionPlaceAndSite, lesionSiteText } from "@/model/text/lesions/lesion_place.ts";
import type { SourceSeries } from "@/server/core/dicom/read/source_series.ts";
import {
  CEREBRAL_WHITE_MATTER,
  code,
  LESION_LOBE_CODES,
  lesionSideCode,
  SITE_CODES,
  WHITE_MATTER_HYPERINTENSITY,
} from "@/server/core/dicom/write/codes.ts";
import type { MeasuredStructure } from "@/server/core/dicom/write/measurement_report.ts";
import { uidOf } from "@/server/core/dicom/write/uid.ts";

const round2 = (value: number) => Math.round(value * 100) / 100;

/** A measured structure for which the segmentation has no segment. */
export const wholeStructure = (
  source: SourceSeries,
  engine: string,
  name: string,
  rest: Partial<MeasuredStructure> & Pick<MeasuredStructure, "site" | "measurements">,
): MeasuredStructure => ({
  name,
  trackingUid: uidOf("tracking", source.seriesUid, engine, name),
  finding: null,
  side: null,
  place: null,
  segment: null,
  engine,
  corrected: null,
  ...rest,
});

/**
 * Number and volume of the lesions at each site, followed by each lesion with lobe and side.
 * A site that is not searched and has no lesions is omitted, because its number is unknown.
 */
export function lesionPlaceStructures(
  source: SourceSeries,
  engine: string,
  { places, lesions }: WmhDetail,
): MeasuredStructure[] {
  if (!places || !lesions) return [];
  const atPlaces = places.filter((at) => !isUnsearched(at)).map(({ site, count, volume }) =>
    wholeStructure(source, engine, `Lesions: ${lesionSiteText[site].en}`, {
      finding: WHITE_MATTER_HYPERINTENSITY,
      site: BRAIN,
      place: SITE_CODES[site],
      measurements: [{ kind: "count", value: count }, { kind: "volume", value: volume }],
    })
  );
  return [
    ...atPlaces,
    ...lesions.map((lesion, n) =>
      wholeStructure(source, engine, lesionName(lesion, n), {
        finding: WHITE_MATTER_HYPERINTENSITY,
        ...lesionSite(lesion.place),
        measurements: [{ kind: "volume", value: round2(lesion.peri_ml + lesion.deep_ml) }],
      })
    ),
  ];
}
const BRAIN = code("SCT", "12738006", "Brain");

const lesionName = (lesion: NonNullable<WmhDetail["lesions"]>[number], n: number): string =>
  `Lesion ${n + 1}: ${lesionPlaceAndSite(lesion, "en")}`;

/**
 * Finding site, side and location of a lesion. Without a stored location the site is white matter.
 */
export const lesionSite = (
  place: LesionPlace | undefined,
): Pick<MeasuredStructure, "site" | "side" | "place"> =>
  place
    ? {
      site: place.lobe ? LESION_LOBE_CODES[place.lobe] : CEREBRAL_WHITE_MATTER,
      side: lesionSideCode(place.side),
      place: SITE_CODES[place.site],
    }
    : { site: CEREBRAL_WHITE_MATTER, side: null, place: null };

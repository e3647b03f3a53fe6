import type { ReportResponse } from "@/model/schema/report/report.ts";
import { KEY_IMAGES_IN_REPORT } from "@/model/schema/reading/key_images.ts";
import type { StoredAnalysis } from "@/server/core/analyses/storage/analyses.ts";
import { findKeyImage, listKeyImages } from "@/server/core/reading/storage/key_images.ts";
import { listMeasurements } from "@/server/core/reading/storage/measurements.ts";
import { listCorrected } from "@/server/core/reading/storage/strokes.ts";
import { correctionOf } from "@/server/core/reading/service/corrected.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";

type Findings = NonNullable<ReportResponse["findings"]>;

/** File name of a key image among the pictures of a report. */
const keyOf = (id: number) => `key_image_${id}`;

/**
 * Readers' additions to a study for its report: chosen measurements, corrections,
 * and the newest key images with their pictures.
 * @param visits Studies that the report compares.
 * @returns without `findings` if readers added nothing to the study.
 */
export async function findingsOf(
  { db }: ServiceContext,
  pid: number,
  analyses: readonly (StoredAnalysis | null)[],
  visits: readonly number[],
): Promise<{ findings?: Findings; pictures: Record<string, Uint8Array<ArrayBuffer>> }> {
  const measurements = (await listMeasurements(db, pid)).filter(({ isInReport }) => isInReport);
  const images = (await listKeyImages(db, pid)).slice(-KEY_IMAGES_IN_REPORT);
  const pictures: Record<string, Uint8Array<ArrayBuffer>> = {};
  for (const { id } of images) {
    const keyImage = await findKeyImage(db, pid, id);
    if (keyImage) pictures[keyOf(id)] = keyImage.picture;
  }
  const corrections = analyses.flatMap((analysis) => {
    const note = correctionOf(analysis?.results ?? analysis?.flair ?? null);
    return note ? [{ series: analysis!.kind, ...note }] : [];
  });
  const correctedVisits = [...(await listCorrected(db, visits)).keys()];
  const isEmpty =
    measurements.length + images.length + corrections.length + correctedVisits.length === 0;
  if (isEmpty) return { pictures };
  return {
    pictures,
    findings: {
      measurements: measurements.map((
        { createdAt, creator, isInReport: _, createdBy: __, ...one },
      ) => ({
        ...one,
        created_at: createdAt,
        created_by: creator,
      })),
      images: images.map(({ id, note, createdAt, creator }) => ({
        key: keyOf(id),
        url: `/api/v1/patients/${pid}/key-images/${id}`,
        note,
        created_at: createdAt,
        created_by: creator,
      })),
      corrections,
      corrected_visits: correctedVisits,
    },
  };
}

import type { ArchivedSeries, ArchivedSeriesFound } from "@/model/schema/connections/pacs.ts";
import type { DicomJson } from "@/server/gate/link/tasks.ts";
import {
  askDimse,
  askWeb,
  countOf,
  element,
  type Matches,
  mustFindArchive,
  shownOf,
  textOf,
} from "@/server/core/connections/service/archive_search.ts";
import type { KnownPeer } from "@/server/core/connections/service/known_peers.ts";
import { noteAnswer } from "@/server/core/connections/service/peers.ts";
import type { ServiceContext } from "@/server/core/site/service/context.ts";

/** Maximum number of series listed for a study; most studies have a few dozen. */
const MOST = 200;
const TAG = {
  modality: "00080060",
  description: "0008103E",
  studyUid: "0020000D",
  seriesUid: "0020000E",
  number: "00200011",
  images: "00201209",
} as const;

const byDimse = (services: ServiceContext, peer: KnownPeer, studyUid: string): Promise<Matches> =>
  askDimse(services, peer, "SERIES", MOST, {
    [TAG.modality]: element("CS", ""),
    [TAG.description]: element("LO", ""),
    [TAG.studyUid]: element("UI", studyUid),
    [TAG.seriesUid]: element("UI", ""),
    [TAG.number]: element("IS", ""),
    [TAG.images]: element("IS", ""),
  });

function byWeb(services: ServiceContext, peer: KnownPeer, studyUid: string): Promise<Matches> {
  const query = new URLSearchParams({ limit: String(MOST) });
  for (const tag of [TAG.description, TAG.number, TAG.images]) query.append("includefield", tag);
  return askWeb(services, peer, `studies/${studyUid}/series?${query}`);
}

const seriesOf = (match: DicomJson): ArchivedSeries => ({
  number: countOf(match, TAG.number),
  modality: textOf(match, TAG.modality).slice(0, 16),
  description: shownOf(match, TAG.description),
  images: countOf(match, TAG.images),
});

/**
 * Lists the series of a study in an archive, before the study is retrieved, by C-FIND or QIDO-RS.
 * @throws {AppError} `entity.not_found`.
 */
export async function listArchivedSeries(
  services: ServiceContext,
  id: number,
  studyUid: string,
): Promise<ArchivedSeriesFound> {
  const peer = await mustFindArchive(services.db, id);
  const { matches, failed } = await (peer.kind === "dicom" ? byDimse : byWeb)(
    services,
    peer,
    studyUid,
  );
  await noteAnswer(services, peer, "search", failed, { matches: matches.length });
  const series = matches.slice(0, MOST).map(seriesOf).sort((a, b) =>
    (a.number ?? 0) - (b.number ?? 0)
  );
  return { series, failure: failed };
}

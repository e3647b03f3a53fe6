// Acceptance tests: start, picture check by a reader, two signatures, withdrawal.
import { randomInt } from "node:crypto";
import { allowedDecisions, assess, PICTURES } from "@/model/acceptance/assess.ts";
import { needsRemark } from "@/model/acceptance/needs_remark.ts";
import { AppError } from "@/model/errors.ts";
import { NORMS_NAME } from "@/model/norms/norms_source.ts";
import { Random } from "@/model/random.ts";
import {
  type AcceptancePost,
  type AcceptanceScanner,
  MAX_TESTED,
  type PictureAnswer,
  type SignaturePost,
} from "@/model/schema/report/acceptance.ts";
import {
  answerPicture as putAnswer,
  beforeEngine,
  countersignAcceptance,
  countFailed,
  insertAcceptance,
  insertDelivery,
  isDelivered,
  listAcceptances,
  listPictures,
  listScannerResults,
  readResult,
  revokeAcceptance,
  type ScannerResult,
  signAcceptance,
  stateOf,
  type StoredAcceptance,
  type StoredPicture,
  type TestedNorms,
} from "@/server/core/norms/storage/acceptances.ts";
import { drawThumbnail } from "@/server/core/analyses/service/files/thumbnail.ts";
import { noteChanges } from "@/server/core/connections/service/result_queue.ts";
import type { Database } from "@/server/core/database/database.ts";
import { mustFindTest, scannersOfSite } from "@/server/core/norms/service/acceptance_sheet.ts";
import {
  isAcceptedForPercentiles,
  normOf,
  refusalOf,
  replacementOf,
} from "@/server/core/norms/service/applied_norms.ts";
import { readScannerNames, readTested } from "@/server/core/norms/service/acceptance_studies.ts";
import { listNorms } from "@/server/core/norms/storage/local_norms.ts";
import { publishStudies, stopMoved } from "@/server/core/norms/service/stops.ts";
import { checkSecondSigner } from "@/server/core/site/service/audit/second_signer.ts";
import { type Caller, nowIso, type ServiceContext } from "@/server/core/site/service/context.ts";
import { checkMaintenance } from "@/server/core/site/service/maintenance.ts";
import { isSameScanner } from "@/server/core/studies/service/scanners.ts";
import { outdateFindings } from "@/server/core/studies/storage/findings.ts";
import { readPatients } from "@/server/core/studies/storage/patients.ts";

/** Selects studies at random by a seed; sorted by id. */
export function pictureChoice(pids: readonly number[], seed: number): number[] {
  const random = new Random(seed), rest = [...pids].sort((a, b) => a - b), chosen: number[] = [];
  while (chosen.length < PICTURES && rest.length > 0) {
    chosen.push(...rest.splice(Math.floor(random.uniform() * rest.length), 1));
  }
  return chosen.sort((a, b) => a - b);
}

/**
 * Range of ids of the tested analyses: failed analyses within it belong to the test. For the first
 * results of an engine version, the range begins when that version came into use. It has no end
 * if no newer results exist.
 */
async function spanOf(
  db: Database,
  { engine_version: engineVersion, isChosen }: AcceptanceScanner & { isChosen: boolean },
  places: readonly ScannerResult[],
  pids: readonly number[],
): Promise<{ after: number; until: number | null; results: number }> {
  const ids = places.filter(({ pid }) => pids.includes(pid)).map(({ id }) => id);
  const firstId = Math.min(...ids), lastId = Math.max(...ids);
  return {
    after: isChosen ? firstId - 1 : await beforeEngine(db, { engineVersion, firstId }),
    until: lastId === places.at(-1)!.id ? null : lastId,
    results: places.filter(({ id }) => id >= firstId && id <= lastId).length,
  };
}

/** Norms by which the tested results are compared. */
async function normsOf(
  db: Database,
  results: readonly ScannerResult[],
  { engine_version: engineVersion }: AcceptanceScanner,
): Promise<TestedNorms> {
  const norms = await listNorms(db);
  const ids = results.map(({ localNormId }) =>
    normOf(norms, { localNormId, engineVersion })?.id ?? null
  );
  return { published: NORMS_NAME, local: [...new Set(ids)] };
}

/**
 * Starts an acceptance test of a scanner and protocol, with the first studies that the newest
 * engine version measured, or with chosen studies among these.
 * @param seed Seed of the random selection of pictures.
 * @throws {AppError} `acceptance.no_studies` with the chosen studies that have no such result.
 */
export async function beginTest(
  services: Pick<ServiceContext, "db">,
  { scanner, protocol, pid_list }: AcceptancePost,
  userId: number | null,
  seed = randomInt(1, 2 ** 31 - 1),
): Promise<{ id: number }> {
  const { db } = services;
  const group = (await scannersOfSite(services)).find((each) =>
    isSameScanner(each.scanner, scanner) && each.protocol === protocol
  );
  const places = group
    ? await listScannerResults(db, { scanner, protocol, engineVersion: group.engine_version })
    : [];
  const all = new Set(places.map(({ pid }) => pid));
  const others = pid_list?.filter((pid) => !all.has(pid)) ?? [];
  const pids = pid_list ? [...new Set(pid_list)] : [...all].slice(0, MAX_TESTED);
  if (!group || pids.length === 0 || others.length > 0) {
    throw new AppError(
      "acceptance.no_studies",
      "Cannot begin an acceptance test: no results of this scanner, protocol and engine version",
      { pids: others.slice(0, 10).join(", ") },
    );
  }
  const studies = await readTested(services, pids);
  const span = await spanOf(db, { ...group, isChosen: pid_list !== undefined }, places, pids);
  const failed = await countFailed(db, { scanner, protocol, ...span });
  const result = assess(protocol, studies, failed, failed + span.results);
  const norms = await normsOf(db, places.filter(({ pid }) => pids.includes(pid)), group);
  const id = await db.transaction().execute((tx) =>
    insertAcceptance(tx, {
      scanner: group.scanner,
      protocol,
      engineVersion: group.engine_version,
      seed,
      pids,
      pictures: pictureChoice(studies.map(({ pid }) => pid), seed),
      result,
      chosenOf: pid_list ? places.length : null,
      norms,
    }, { userId, at: nowIso() })
  );
  return { id };
}

/**
 * {@link beginTest} for administrators. @throws {AppError}
 * `access.forbidden`, and those of beginTest.
 */
export async function beginAcceptance(
  services: ServiceContext,
  post: AcceptancePost,
  caller: Caller,
): Promise<{ id: number }> {
  await checkMaintenance(services.db, caller);
  await readScannerNames(services);
  return await beginTest(services, post, caller.uid);
}

const notOpen = () =>
  new AppError("acceptance.not_open", "Cannot change the acceptance test: it is signed or undone");

/** Finds a picture of an acceptance test. @throws {AppError} `entity.not_found`. */
async function mustFindPicture(
  services: ServiceContext,
  at: { id: number; place: number },
): Promise<StoredPicture> {
  await mustFindTest(services, at.id);
  const picture = (await listPictures(services.db, at.id)).find(({ place }) => place === at.place);
  if (!picture) {
    throw new AppError("entity.not_found", "Cannot find the picture: the test has no such picture");
  }
  return picture;
}

/**
 * Draws one picture of an acceptance test as PNG, and records that the caller has got it.
 * @returns `null`, with nothing recorded, if the study has no picture.
 * @throws {AppError} `study.deleted`, `entity.not_found`.
 */
export async function deliverPicture(
  services: ServiceContext,
  at: { id: number; place: number },
  caller: Caller,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const { pid } = await mustFindPicture(services, at);
  const image = await drawThumbnail(services, pid);
  if (image) await insertDelivery(services.db, at, { userId: caller.uid, at: nowIso() });
  return image;
}

/**
 * Stores a reader's verdict on one picture, which may change until the first signature. A picture
 * that was not sent to the reader, and that of a deleted study, can be called unclear only.
 * @throws {AppError} `acceptance.not_open`, `acceptance.picture_unseen`, `entity.not_found`.
 */
export async function answerPicture(
  services: ServiceContext,
  at: { id: number; place: number },
  answer: PictureAnswer,
  caller: Caller,
): Promise<void> {
  const { db } = services, picture = await mustFindPicture(services, at);
  if (answer !== "unclear" && (await readPatients(db, [picture.pid])).length === 0) {
    throw new AppError("entity.not_found", "Cannot judge the picture: the study was deleted");
  }
  if (answer !== "unclear" && !await isDelivered(db, at, caller.uid)) {
    throw new AppError(
      "acceptance.picture_unseen",
      "Cannot judge the picture: it was not sent to this user",
    );
  }
  if (!await putAnswer(db, at, answer, { userId: caller.uid, at: nowIso() })) throw notOpen();
}

/**
 * Stores the first signature of an acceptance test, with the decision how the scanner is used.
 * @throws {AppError} `acceptance.not_open`, `entity.not_found`, `access.forbidden`,
 * `acceptance.not_allowed` if criteria or pictures do not allow the decision,
 * `acceptance.remark_missing` for a use of results with a wrong picture.
 */
export async function signTest(
  services: ServiceContext,
  id: number,
  { decision, remark }: SignaturePost,
  caller: Caller,
): Promise<void> {
  const { db } = services;
  await checkMaintenance(db, caller);
  await mustFindTest(services, id);
  await db.transaction().execute(async (tx) => {
    const answers = (await listPictures(tx, id)).map(({ answer }) => answer);
    if (!allowedDecisions(await readResult(tx, id), answers).includes(decision)) {
      throw new AppError(
        "acceptance.not_allowed",
        "Cannot sign the acceptance test: the results do not allow this decision",
        { decision },
      );
    }
    if (remark.trim() === "" && needsRemark(decision, answers)) {
      throw new AppError(
        "acceptance.remark_missing",
        "Cannot sign the acceptance test: a picture is wrong, and there is no remark",
      );
    }
    const by = { userId: caller.uid, at: nowIso() };
    if (!await signAcceptance(tx, id, { decision, remark: remark.trim() }, by)) throw notOpen();
  });
}

/**
 * Makes an acceptance test effective, or withdraws it. Results of which the percentiles become
 * marked or withheld, or are no longer, get new findings and are sent again. A change without such
 * an effect, such as the withdrawal of a test without a second signature, renews none.
 * @returns studies with results that became marked or withheld, or are no longer.
 */
function changeMarks(
  db: Database,
  test: StoredAcceptance,
  change: (tx: Database) => Promise<boolean>,
): Promise<number[]> {
  return db.transaction().execute(async (tx) => {
    const { scanner, protocol } = test, norms = await listNorms(tx);
    const results = await listScannerResults(tx, { scanner, protocol });
    const marks = async () => {
      const tests = await listAcceptances(tx);
      return results.map((result) => {
        const place = { scanner, protocol, engineVersion: result.engineVersion };
        return refusalOf(tests, place)?.decision ??
          isAcceptedForPercentiles(tests, place, normOf(norms, result));
      });
    };
    const before = await marks();
    if (!await change(tx)) throw notOpen();
    const after = await marks();
    const pids = results.filter((_, n) => before[n] !== after[n]).map(({ pid }) => pid);
    if (pids.length === 0) return [];
    await outdateFindings(tx, pids);
    await noteChanges(tx, pids, "norms");
    return pids;
  });
}

/**
 * Refuses the second signature of a test if a newer test is signed: the older decision would
 * otherwise take effect after the newer one.
 * @throws {AppError} `acceptance.replaced`.
 */
async function checkNotReplaced(db: Database, id: number): Promise<void> {
  const tests = await listAcceptances(db), test = tests.find((each) => each.id === id);
  const replacement = test?.countersignedAt === null ? replacementOf(tests, test) : null;
  if (!replacement) return;
  throw new AppError(
    "acceptance.replaced",
    "Cannot sign the acceptance test: a newer test of this scanner and protocol is signed",
    { id: replacement.id },
  );
}

/**
 * Stores the second signature, by another administrator, which makes the decision effective.
 * @throws {AppError} as {@link checkSecondSigner}, `acceptance.not_open`, `acceptance.replaced`,
 * `entity.not_found`, `access.forbidden`.
 */
export async function countersignTest(
  services: ServiceContext,
  id: number,
  caller: Caller,
): Promise<void> {
  const { db } = services;
  await checkMaintenance(db, caller);
  const test = await mustFindTest(services, id);
  if (stateOf(test) === "signed") {
    await checkSecondSigner(
      db,
      "acceptance",
      { userId: test.signedBy, since: test.startedAt },
      caller,
    );
  }
  const pids = await changeMarks(
    db,
    test,
    async (tx) => {
      await checkNotReplaced(tx, id);
      return await countersignAcceptance(tx, id, { userId: caller.uid, at: nowIso() });
    },
  );
  await publishStudies(services, pids, caller.uid);
  // charts that signalled a change before the acceptance stop the scanner now
  await stopMoved(services);
}

/**
 * Withdraws an acceptance test in any state.
 * @throws {AppError} `acceptance.not_open` if it is already withdrawn,
 * `entity.not_found`, `access.forbidden`.
 */
export async function revokeTest(
  services: ServiceContext,
  id: number,
  caller: Caller,
): Promise<void> {
  const { db } = services;
  await checkMaintenance(db, caller);
  const test = await mustFindTest(services, id);
  const pids = await changeMarks(
    db,
    test,
    (tx) => revokeAcceptance(tx, id, { userId: caller.uid, at: nowIso() }),
  );
  await publishStudies(services, pids, caller.uid);
}

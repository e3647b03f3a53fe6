// Acceptance tests for their page: the list of scanners and tests, and the sheet of one test.
import {
  allowedDecisions,
  MIN_TESTED,
  picturesCriterion,
  unmetCriteria,
} from "@/model/acceptance/assess.ts";
import { LEARNING } from "@/model/drift/cusum.ts";
import { AppError } from "@/model/errors.ts";
import type {
  AcceptanceDetails,
  AcceptanceHead,
  AcceptanceList,
  AcceptanceScanner,
} from "@/model/schema/report/acceptance.ts";
import { getMyPage } from "@/server/core/accounts/service/my_page.ts";
import { listUsers } from "@/server/core/accounts/storage/users.ts";
import {
  countResults,
  listAcceptances,
  listPictures,
  readResult,
  stateOf,
  type StoredAcceptance,
} from "@/server/core/norms/storage/acceptances.ts";
import {
  decisionInForce,
  isAcceptedForPercentiles,
  isTestedWith,
  normFor,
  replacementOf,
} from "@/server/core/norms/service/applied_norms.ts";
import { readScannerNames } from "@/server/core/norms/service/acceptance_studies.ts";
import { listDrift, listRestarts } from "@/server/core/norms/storage/drift.ts";
import { listNorms } from "@/server/core/norms/storage/local_norms.ts";
import { isWithholding, listStops, type StoredStop } from "@/server/core/norms/storage/stops.ts";
import { isSamePlace } from "@/server/core/norms/service/stops.ts";
import type { Caller, ServiceContext } from "@/server/core/site/service/context.ts";
import { readPatients } from "@/server/core/studies/storage/patients.ts";

type Users = ReadonlyMap<number, string>;

function headOf(
  test: StoredAcceptance,
  tests: readonly StoredAcceptance[],
  users: Users,
): AcceptanceHead {
  const nameOf = (id: number | null) => id === null ? null : users.get(id) ?? null;
  const replacement = replacementOf(tests, test);
  return {
    id: test.id,
    scanner: test.scanner,
    protocol: test.protocol,
    engine_version: test.engineVersion,
    state: replacement ? "superseded" : stateOf(test),
    replaced_by: replacement?.id ?? null,
    started_at: test.startedAt,
    started_by: nameOf(test.startedBy),
    decision: test.decision,
    signed_at: test.signedAt,
    signed_by: nameOf(test.signedBy),
    countersigned_at: test.countersignedAt,
    countersigned_by: nameOf(test.countersignedBy),
    revoked_at: test.revokedAt,
    revoked_by: nameOf(test.revokedBy),
  };
}

const usersOf = async ({ db }: Pick<ServiceContext, "db">): Promise<Users> =>
  new Map((await listUsers(db)).map(({ id, email }) => [id, email]));

/** Scanners and protocols with results, each with the engine version of its newest result. */
export async function scannersOfSite(
  { db }: Pick<ServiceContext, "db">,
): Promise<AcceptanceScanner[]> {
  const tests = await listAcceptances(db), counts = await countResults(db);
  const norms = await listNorms(db), stops = (await listStops(db)).filter(isWithholding);
  const groups = Map.groupBy(
    counts.filter(({ scanner }) => scanner !== ""),
    ({ scanner, protocol }) => `${scanner.toLowerCase()}\n${protocol}`,
  );
  return [...groups.values()].map((group) => {
    const { scanner, protocol, engineVersion } = group.reduce((a, b) => b.last > a.last ? b : a);
    const place = { scanner, protocol, engineVersion };
    const accepted_for = decisionInForce(tests, place);
    const norm = normFor(norms, scanner, protocol, engineVersion);
    return {
      scanner,
      protocol,
      engine_version: engineVersion,
      studies: group.filter((each) => each.engineVersion === engineVersion)
        .reduce((sum, { count }) => sum + count, 0),
      accepted_for,
      has_other_norms: accepted_for === "percentiles" &&
        !isAcceptedForPercentiles(tests, place, norm),
      is_stopped: stops.some((stop) => isSamePlace(stop, place)),
    };
  }).sort((a, b) => a.scanner.localeCompare(b.scanner) || a.protocol.localeCompare(b.protocol));
}

/** Scanners of the site, and all acceptance tests. */
export async function getAcceptances(services: ServiceContext): Promise<AcceptanceList> {
  await readScannerNames(services);
  return await listTests(services);
}

/** Scanners with headers that have been read, and all acceptance tests. */
export async function listTests(services: Pick<ServiceContext, "db">): Promise<AcceptanceList> {
  const users = await usersOf(services), tests = await listAcceptances(services.db);
  return {
    scanners: await scannersOfSite(services),
    tests: tests.map((test) => headOf(test, tests, users)),
    needed: MIN_TESTED,
  };
}

/** Finds an acceptance test. @throws {AppError} `entity.not_found`. */
export async function mustFindTest(
  { db }: Pick<ServiceContext, "db">,
  id: number,
): Promise<StoredAcceptance> {
  const test = (await listAcceptances(db)).find((each) => each.id === id);
  if (!test) {
    throw new AppError("entity.not_found", `Cannot find the acceptance test ${id}: no such number`);
  }
  return test;
}

/** All data of the printed sheet of an acceptance test. @throws {AppError} `entity.not_found`. */
export async function getAcceptance(
  services: ServiceContext,
  id: number,
  caller: Caller,
): Promise<AcceptanceDetails> {
  const { signedBy, ...details } = await readSheet(services, id);
  const { hospital_name } = await getMyPage(services, caller);
  return { ...details, is_own: signedBy === caller.uid, hospital_name };
}

/** Stops that withhold percentiles of a scanner and protocol at present, newest first. */
const openStopsOf = async (
  db: ServiceContext["db"],
  place: Pick<StoredAcceptance, "scanner" | "protocol">,
): Promise<StoredStop[]> =>
  (await listStops(db)).filter((stop) => isWithholding(stop) && isSamePlace(stop, place));

const isOpen = ({ revokedAt }: StoredAcceptance): boolean => revokedAt === null;

/**
 * The sheet of an acceptance test; permissions are checked by the caller.
 * @throws {AppError} `entity.not_found`.
 */
export async function readSheet(
  services: Pick<ServiceContext, "db">,
  id: number,
): Promise<Omit<AcceptanceDetails, "is_own" | "hospital_name"> & { signedBy: number | null }> {
  const { db } = services,
    test = await mustFindTest(services, id),
    tests = await listAcceptances(db);
  const users = await usersOf(services), result = await readResult(db, id);
  const pictures = await listPictures(db, id), answers = pictures.map(({ answer }) => answer);
  const kept = new Set(
    (await readPatients(db, pictures.map(({ pid }) => pid))).map(({ row }) => row.pid),
  );
  return {
    test: headOf(test, tests, users),
    seed: test.seed,
    result,
    pictures: pictures.map(({ place, pid, answer, answeredAt, answeredBy }) => ({
      place,
      pid: kept.has(pid) ? pid : null,
      answer,
      answered_at: answeredAt,
      answered_by: answeredBy === null ? null : users.get(answeredBy) ?? null,
    })),
    checked: picturesCriterion(answers),
    allowed: allowedDecisions(result, answers),
    unmet: {
      percentiles: unmetCriteria("percentiles", result, answers),
      volumes: unmetCriteria("volumes", result, answers),
    },
    remark: test.remark,
    norms: test.norms,
    has_other_norms: isOpen(test) && !isTestedWith(
      test,
      normFor(await listNorms(db), test.scanner, test.protocol, test.engineVersion),
    ),
    stops: (await openStopsOf(db, test)).map(({ stoppedAt, since }) => ({
      stopped_at: stoppedAt,
      since,
    })),
    chosen_of: test.chosenOf,
    earlier: tests.filter((each) => each.id < id && isSamePlace(each, test))
      .map((each) => headOf(each, tests, users)),
    charts: (await listDrift(db)).filter((each) => isSamePlace(each, test))
      .map(({ coil, engineVersion, studies, learnt, moved, computedAt }) => ({
        coil,
        engine_version: engineVersion,
        studies,
        learnt,
        needed: LEARNING,
        moved,
        computed_at: computedAt,
      })),
    restarts: (await listRestarts(db)).filter((each) => isSamePlace(each, test))
      .map(({ coil, engineVersion, studies, moved, reason, at, by, agreedBy }) => ({
        coil,
        engine_version: engineVersion,
        studies,
        moved,
        reason,
        restarted_at: at,
        restarted_by: by === null ? null : users.get(by) ?? null,
        agreed_by: agreedBy === null ? null : users.get(agreedBy) ?? null,
      })),
    signedBy: test.signedBy,
  };
}

import {
  type Routing,
  routing,
  type RoutingRule,
  type RoutingTest,
} from "@/model/schema/connections/connections.ts";
import type { InstanceHeader } from "@/server/core/dicom/read/instance.ts";
import type { Database } from "@/server/core/database/database.ts";
import {
  readSetting,
  readSettings,
  studyScope,
  writeSettings,
} from "@/server/core/settings/storage/settings.ts";
import type { Caller, ServiceContext } from "@/server/core/site/service/context.ts";
import { checkMaintenance } from "@/server/core/site/service/maintenance.ts";
import { ageAtStudy } from "@/model/patient/age.ts";
import { storedAnswer } from "@/server/core/studies/service/headers/stored_headers.ts";
import { listStoredInstances } from "@/server/core/studies/storage/series.ts";

const SCOPE = "connections", KEY = "routing";
/** Settings of a study: the remote systems chosen by rules, and the sender of the images. */
const STUDY_KEY = "destinations", SENDER_KEY = "sender";
const DEFAULTS: Routing = {
  rules: [],
  quiet_seconds: 20,
  keep_days: 7,
  webhook: "",
  alarm_minutes: 60,
};
const TESTED_STUDIES = 100;

/** Reads routing rules and retention times, with defaults for missing values. */
export async function readRouting(db: Database): Promise<Routing> {
  const stored = (await readSettings(db, SCOPE))[KEY];
  return routing.safeParse({ ...DEFAULTS, ...(stored ?? {}) }).data ?? DEFAULTS;
}

/** @throws {AppError} `access.forbidden`. */
export async function getRouting({ db }: ServiceContext, caller: Caller): Promise<Routing> {
  await checkMaintenance(db, caller);
  return await readRouting(db);
}

/** @throws {AppError} `access.forbidden`. */
export async function saveRouting(
  { db }: ServiceContext,
  values: Routing,
  caller: Caller,
): Promise<Routing> {
  await checkMaintenance(db, caller);
  await writeSettings(db, SCOPE, { [KEY]: values });
  return await readRouting(db);
}

/** Attributes of a series that routing rules compare. */
interface RoutedSeries {
  sender: string;
  modality: string;
  station: string;
  description: string;
  bodyPart: string;
  /** age of the patient in years */
  age: number | null;
}

const holds = (text: string, part: string) =>
  text.toLowerCase().includes(part.trim().toLowerCase());

/** Whether a series satisfies a routing rule. */
function meets(rule: RoutingRule, series: RoutedSeries): boolean {
  const { age } = series, isBounded = rule.age_from !== null || rule.age_to !== null;
  if (isBounded && age === null) return false;
  if (rule.age_from !== null && age! < rule.age_from) return false;
  if (rule.age_to !== null && age! > rule.age_to) return false;
  return holds(series.sender, rule.sender) && holds(series.modality, rule.modality) &&
    holds(series.station, rule.station) && holds(series.description, rule.description) &&
    holds(series.bodyPart, rule.body_part);
}

/** Index of the first routing rule that a series satisfies; `null`: no rule applies. */
export function ruleOf(rules: readonly RoutingRule[], series: RoutedSeries): number | null {
  const at = rules.findIndex((rule) => meets(rule, series));
  return at < 0 ? null : at;
}

/** Attributes of a DICOM header that routing rules compare. */
export const routedSeries = (header: InstanceHeader, sender: string): RoutedSeries => ({
  sender,
  modality: header.modality,
  station: header.texts.StationName ?? "",
  description: header.seriesDescription || header.protocolName,
  bodyPart: header.texts.BodyPartExamined ?? "",
  age: ageAtStudy(header.birthDate ?? null, header.studyDate ?? null, header.ageYears ?? null),
});

/** Stores the sender of a study, and the remote systems that receive results by rules. */
export const noteRoute = (
  tx: Database,
  pid: number,
  sender: string,
  peers: readonly number[],
): Promise<void> =>
  writeSettings(tx, studyScope(pid), { [SENDER_KEY]: sender, [STUDY_KEY]: [...new Set(peers)] });

/** Ids of the remote systems that receive results of studies by rules. */
export async function routedPeers(
  db: Database,
  pids: readonly number[],
): Promise<(pid: number) => number[]> {
  const values = await readSetting(db, STUDY_KEY, pids.map(studyScope));
  return (pid) => {
    const value = values.get(studyScope(pid));
    return Array.isArray(value) ? value.filter((one) => typeof one === "number") : [];
  };
}

/**
 * Tests routing rules that are not saved yet on the recent studies, newest first.
 * @throws {AppError} `access.forbidden`.
 */
export async function testRouting(
  services: ServiceContext,
  rules: readonly RoutingRule[],
  caller: Caller,
): Promise<RoutingTest> {
  const { db } = services;
  await checkMaintenance(db, caller);
  const rows = await db.selectFrom("patients").select("pid").orderBy("pid", "desc").limit(
    TESTED_STUDIES,
  )
    .execute();
  const studies: RoutingTest["studies"] = [];
  for (const { pid } of rows) {
    const [first] = await listStoredInstances(db, pid);
    if (!first) continue;
    try {
      const header = await storedAnswer(services, first.blob, "header");
      const sender = (await readSettings(db, studyScope(pid)))[SENDER_KEY];
      const at = ruleOf(rules, routedSeries(header, typeof sender === "string" ? sender : ""));
      const action = at === null ? "analyze" : rules[at]!.action;
      studies.push({ pid, description: header.seriesDescription, rule: at, action });
    } catch {
      // an unreadable file satisfies no routing rule
      studies.push({ pid, description: "", rule: null, action: "analyze" });
    }
  }
  return { studies };
}

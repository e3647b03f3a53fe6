import { engineName } from "@/model/measured/engine_name.ts";
import type {
  AcceptanceCriterion,
  AcceptanceDecision,
  AcceptanceDetails,
  AcceptanceHead,
} from "@/model/schema/report/acceptance.ts";
import { type Language, textIn } from "@/model/text.ts";
import { acceptanceText } from "@/model/text/settings/acceptance.ts";
import { measureText } from "@/model/text/settings/local_norms.ts";

const PERCENT: readonly AcceptanceCriterion["name"][] = ["grades", "failures", "intervals"];
/** Criteria of which the limit is a minimum; all other criteria have a maximum. */
const LEAST: readonly AcceptanceCriterion["name"][] = ["studies", "intervals", "pictures"];

/** Formats a criterion's value with its unit. */
const figureText = (
  name: AcceptanceCriterion["name"],
  value: number,
  language: Language,
): string =>
  PERCENT.includes(name)
    ? textIn(acceptanceText.percent, language, { n: value.toFixed(0) })
    : name === "voxels"
    ? textIn(acceptanceText.mm, language, { n: value })
    : String(value);

/** Text of a criterion's measured value. */
export const measuredText = (
  { name, value, limit, state }: AcceptanceCriterion,
  language: Language,
): string =>
  value !== null
    ? figureText(name, value, language)
    : name === "voxels" && state === "failed"
    ? textIn(acceptanceText.overInImages, language, { value: figureText(name, limit, language) })
    : "–";

/** Text of a criterion's limit. */
export const limitText = ({ name, limit }: AcceptanceCriterion, language: Language): string =>
  name === "spread"
    ? textIn(acceptanceText.between, language, { low: 0.5, high: limit })
    : textIn(LEAST.includes(name) ? acceptanceText.atLeast : acceptanceText.atMost, language, {
      value: figureText(name, limit, language),
    });

/** Names of the uses that a scanner can be accepted for. */
export const USE_TEXT = {
  percentiles: "percentiles",
  volumes: "onlyVolumes",
  none: "none",
} as const satisfies Record<AcceptanceDecision, keyof typeof acceptanceText>;

/**
 * Text of the uses that the decision excludes, after "not in use for"; `null` if it excludes none.
 */
const LEFT_OUT = {
  percentiles: null,
  volumes: "onlyPercentiles",
  none: "percentiles",
} as const satisfies Record<AcceptanceDecision, keyof typeof acceptanceText | null>;

/** Sentences that state which uses a decision accepts and excludes. */
export function decisionText(decision: AcceptanceDecision, language: Language): string {
  const left = LEFT_OUT[decision], use = textIn(acceptanceText[USE_TEXT[decision]], language);
  const excluded = left && textIn(acceptanceText[left], language);
  return [
    textIn(acceptanceText.inUse, language, { use }),
    ...excluded ? [textIn(acceptanceText.notInUse, language, { use: excluded })] : [],
  ].join(" ");
}

/** State of a test, with the number of the test that replaced it. */
export const stateText = (
  { state, replaced_by }: Pick<AcceptanceHead, "state" | "replaced_by">,
  language: Language,
): string =>
  replaced_by === null
    ? textIn(acceptanceText[state], language)
    : textIn(acceptanceText.replacedBy, language, { id: replaced_by });

/** Sentences about percentiles that are withheld at present; none if a test is not in force. */
export const withheldLines = (
  { test, stops }: Pick<AcceptanceDetails, "test" | "stops">,
  language: Language,
): string[] =>
  test.state !== "accepted"
    ? []
    : stops.map(({ stopped_at, since }) =>
      textIn(since === null ? acceptanceText.withheldAll : acceptanceText.withheld, language, {
        date: stopped_at.slice(0, 10),
        since: since ?? "",
      })
    );

/** Names of the norms that a test was made with; `null` for a test of an earlier version. */
export const testedNormsText = (
  norms: AcceptanceDetails["norms"],
  language: Language,
): string | null =>
  norms &&
  norms.local.map((id) =>
    id === null ? norms.published : textIn(acceptanceText.localNorms, language, { id })
  ).join(", ");

/** Formats a number with its sign: "+0.52". */
export const signedZ = (z: number): string => `${z < 0 ? "−" : "+"}${Math.abs(z).toFixed(2)}`;

/**
 * Sentences that name the criteria against percentiles and against volumes. Pictures without an
 * answer are no reason yet.
 */
export function reasonLines(
  { unmet }: Pick<AcceptanceDetails, "unmet">,
  language: Language,
): string[] {
  const t = (key: keyof typeof acceptanceText, values?: Record<string, string>) =>
    textIn(acceptanceText[key], language, values);
  const sentence = (key: "why" | "whyVolumes", criteria: readonly AcceptanceCriterion[]) => {
    const reasons = criteria.filter(({ name, state }) => name !== "pictures" || state === "failed")
      .map(({ name, state }) => {
        const isOfVolumes = name === "pictures" && key === "whyVolumes";
        const reason = t(isOfVolumes ? "picturesForVolumes" : name);
        return state === "untested" ? `${reason} (${t("untested")})` : reason;
      });
    return reasons.length > 0 ? [t(key, { reasons: reasons.join("; ") })] : [];
  };
  return [...sentence("why", unmet.percentiles), ...sentence("whyVolumes", unmet.volumes)];
}

/** The sheet of a test as lines of text, for a terminal. */
export function sheetLines(
  { test, seed, result, pictures, checked, unmet, norms, stops }: Pick<
    AcceptanceDetails,
    "test" | "seed" | "result" | "pictures" | "checked" | "unmet" | "norms" | "stops"
  >,
  language: Language,
): string[] {
  const t = (key: keyof typeof acceptanceText, values?: Record<string, string | number>) =>
    textIn(acceptanceText[key], language, values);
  const usedNorms = testedNormsText(norms, language);
  const { grades } = result;
  return [
    `${t("sheet", { id: test.id })} – ${stateText(test, language)}`,
    ...withheldLines({ test, stops }, language),
    `${t("scanner")}: ${test.scanner}`,
    `${t("protocol")}: ${test.protocol || t("noProtocol")}`,
    `${t("engine")}: ${engineName(test.engine_version, language)}`,
    `${t("started")}: ${test.started_at.slice(0, 10)}`,
    ...usedNorms === null ? [] : [`${t("norms")}: ${usedNorms}`],
    `${t("tested")}: ${
      t("testedOn", {
        n: result.studies,
        compared: result.compared,
        from: result.first_date ?? "–",
        to: result.last_date ?? "–",
        a: grades.A,
        b: grades.B,
        c: grades.C + grades.none,
        failed: result.failed,
      })
    }`,
    "",
    t("criteria"),
    ...[...result.criteria, checked].map((criterion) => {
      const { name, state } = criterion, figure = measuredText(criterion, language);
      return `  ${t(name)}: ${figure} (${limitText(criterion, language)}): ${t(state)}`;
    }),
    "",
    t("structures"),
    ...result.measures.map((each) => {
      const range = t("between", { low: signedZ(each.low), high: signedZ(each.high) });
      const name = measureText(each.measure, each.key, language);
      return `  ${name}: ${signedZ(each.median)} (${range}): ${
        t(each.is_within ? "within" : "outside")
      }`;
    }),
    "",
    `${t("check", { seed })}: ${pictures.map(({ pid }) => pid ?? t("gone")).join(", ")}`,
    test.decision === null ? t("undecided") : decisionText(test.decision, language),
    ...reasonLines({ unmet }, language),
    t("limitsText"),
  ];
}

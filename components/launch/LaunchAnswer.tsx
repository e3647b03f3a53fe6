import type { ReactNode } from "react";
import type { LaunchLink, LaunchTarget, LinkProblem } from "@/model/launch/launch_link.ts";
import { MAX_LINK_CHARS } from "@/model/launch/launch_link.ts";
import {
  type LaunchAnswer,
  type LaunchedStudy,
  type LaunchRequest,
  MAX_LAUNCH_STUDIES,
} from "@/model/schema/studies/launch.ts";
import { type Language, textIn } from "@/model/text.ts";
import { launchText } from "@/model/text/launch.ts";
import { nameText } from "@/model/worklist/person_names.ts";

type Words = (key: keyof typeof launchText, values?: Record<string, string | number>) => string;
const wordsIn = (language: Language): Words => (key, values) =>
  textIn(launchText[key], language, values);

const CELL = "px-3 py-2 text-left align-middle break-words";
const LINK =
  "inline-flex h-9 items-center rounded-md border border-line-strong bg-white px-3 text-sm text-ink hover:bg-canvas";
const MAIN_LINK =
  "inline-flex h-9 items-center rounded-md bg-brand-600 px-3 text-sm font-medium text-white hover:bg-brand-700";

/** Text that explains why a launch link is invalid, without values of the link. */
export function problemWords(
  { reason, field, use = "", sent = field }: LinkProblem,
  language: Language,
): string {
  const isOtherName = sent.toLowerCase() !== field.toLowerCase();
  const key = reason === "misspelled" && isOtherName ? "misspelledAs" : reason;
  return textIn(launchText[key], language, { field, use, sent, most: MAX_LINK_CHARS });
}

interface LaunchFrameProps {
  title: string;
  text?: string;
  language: Language;
  children?: ReactNode;
}

function LaunchFrame({ title, text, language, children }: LaunchFrameProps) {
  return (
    <main className="mx-auto w-full max-w-[1100px] px-6 py-8">
      <h1 className="text-xl font-semibold text-ink">{title}</h1>
      {text && <p className="mt-2 text-sm text-ink-soft">{text}</p>}
      {children}
      <p className="mt-8">
        <a className={LINK} href="/">{textIn(launchText.goWorklist, language)}</a>
      </p>
    </main>
  );
}

interface StudiesProps {
  studies: readonly LaunchedStudy[];
  target: LaunchTarget;
  language: Language;
}

function StudyTable({ studies, target, language }: StudiesProps) {
  const text = wordsIn(language);
  const pages: LaunchTarget[] = target === "viewer" ? ["viewer", "report"] : ["report", "viewer"];
  return (
    <div className="mt-4 overflow-x-auto rounded-md border border-line bg-white">
      <table className="w-full text-sm text-ink" aria-label={text("choose")}>
        <thead>
          <tr className="border-b border-line text-ink-soft">
            {(["name", "patientId", "birth", "date", "accession", "state"] as const).map((head) => (
              <th key={head} scope="col" className={`${CELL} font-semibold whitespace-nowrap`}>
                {text(head)}
              </th>
            ))}
            <td className={CELL} />
          </tr>
        </thead>
        <tbody>
          {studies.map((study) => (
            <tr key={study.pid} className="border-b border-line last:border-b-0">
              <td className={`${CELL} font-medium`}>
                {nameText(study.patient_name, language) || "-"}
              </td>
              <td className={`${CELL} tabular`}>{study.patient_id || "-"}</td>
              <td className={`${CELL} tabular whitespace-nowrap`}>{study.birth_date ?? "-"}</td>
              <td className={`${CELL} tabular whitespace-nowrap`}>{study.study_date ?? "-"}</td>
              <td className={`${CELL} tabular`}>{study.accession_numbers.join(", ") || "-"}</td>
              <td className={`${CELL} whitespace-nowrap`}>{text(study.state)}</td>
              <td className={`${CELL} whitespace-nowrap text-right`}>
                {pages.map((page) => (
                  <a
                    key={page}
                    className={`${page === target ? MAIN_LINK : LINK} ml-2`}
                    href={`/${page}/${study.pid}`}
                    aria-label={text("openOf", {
                      page: text(page),
                      date: study.study_date ?? `No. ${study.pid}`,
                    })}
                  >
                    {text(page)}
                  </a>
                ))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const list = (values: readonly string[]): string => values.join(", ") || "-";

/** Whether no value of the link is a value of the study. */
const differ = (ofLink: string, ofStudy: string): boolean =>
  ofLink !== "-" && !ofLink.split(", ").some((value) => ofStudy.split(", ").includes(value));

const isOutside = ({ date_from, date_to }: LaunchRequest, { study_date }: LaunchedStudy): boolean =>
  study_date !== null &&
  (date_from !== null && study_date < date_from || date_to !== null && study_date > date_to);

/** Sentence about an assigning authority in the link that is none of the known ones. */
function UnknownAuthority({ answer, language }: { answer: LaunchAnswer; language: Language }) {
  if (answer.unknown_authority === null) return null;
  const { sent, known } = answer.unknown_authority, text = wordsIn(language);
  return (
    <p role="alert" className="mt-2 text-sm font-medium text-red-700">
      {known.length === 0
        ? text("authorityUnset", { sent })
        : text("authorityOther", { sent, known: known.join(", ") })}
    </p>
  );
}

/** Comparison of the link with each study; differing rows are marked. */
function Disagreement(
  { request, answer, language }: {
    request: LaunchRequest;
    answer: LaunchAnswer;
    language: Language;
  },
) {
  const text = wordsIn(language), { study_uids, accession_numbers } = request;
  const { studies, compared_patient_id, is_accession_of_other, unknown_authority } = answer;
  const days = request.date_from === null && request.date_to === null
    ? "-"
    : `${request.date_from ?? ""} – ${request.date_to ?? ""}`;
  const asked: (readonly [keyof typeof launchText, string, (study: LaunchedStudy) => string])[] = [
    ["patientId", request.patient_id ?? "-", ({ patient_id }) => patient_id || "-"],
    ["name", "-", ({ patient_name }) => nameText(patient_name, language) || "-"],
    ["birth", request.birth_date ?? "-", ({ birth_date }) => birth_date ?? "-"],
    ["date", days, ({ study_date }) => study_date ?? "-"],
    ...request.modalities.length > 0
      ? [["modality", list(request.modalities), () => "MR"] as const]
      : [],
    ["accession", list(accession_numbers), (study) => list(study.accession_numbers)],
    ["studyUid", list(study_uids), ({ study_uid }) => study_uid],
  ];
  return (
    <>
      {studies.map((study) => (
        <div
          key={study.pid}
          className="mt-4 overflow-x-auto rounded-md border border-line bg-white"
        >
          <table className="w-full text-sm text-ink">
            <thead>
              <tr className="border-b border-line text-ink-soft">
                <td className={CELL} />
                {(["ofLink", "ofStudy"] as const).map((head) => (
                  <th key={head} scope="col" className={`${CELL} w-2/5 font-semibold`}>
                    {text(head)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {asked.map(([label, ofLink, valueOf]) => {
                const ofStudy = valueOf(study);
                // the link is shown as sent, the ID that was compared may be without its authority
                const differs = label === "patientId"
                  ? unknown_authority !== null ||
                    (compared_patient_id !== null && compared_patient_id !== study.patient_id)
                  : label === "date"
                  ? isOutside(request, study)
                  : differ(ofLink, ofStudy) || (label === "accession" && is_accession_of_other);
                const mark = differs ? "font-semibold text-red-700" : "";
                return (
                  <tr key={label} className="border-b border-line last:border-b-0">
                    <th scope="row" className={`${CELL} font-medium text-ink-soft`}>
                      {text(label)}
                    </th>
                    <td className={`${CELL} tabular ${mark}`}>{ofLink}</td>
                    <td className={`${CELL} tabular ${mark}`}>{ofStudy}</td>
                  </tr>
                );
              })}
            </tbody>
          </table>
          {study.received_patient_id !== null && (
            <p className="border-t border-line px-3 py-2 text-sm text-ink-soft">
              {text("received", { id: study.received_patient_id })}
            </p>
          )}
        </div>
      ))}
    </>
  );
}

/** Headline and action by the reason for which a link matches no study. */
const ABSENCES: Readonly<
  Record<
    NonNullable<LaunchAnswer["absence"]>,
    { title: keyof typeof launchText; action?: keyof typeof launchText }
  >
> = {
  no_study: { title: "none" },
  no_date: { title: "noDate", action: "otherStudies" },
  no_modality: { title: "noModality", action: "otherStudies" },
  ordered: { title: "ordered", action: "orderedWhy" },
};

function AbsentStudy(
  { request, absence, language, children }: {
    request: LaunchRequest;
    absence: LaunchAnswer["absence"];
    language: Language;
    children?: ReactNode;
  },
) {
  const text = wordsIn(language), { title, action } = ABSENCES[absence ?? "no_study"];
  const asked: [keyof typeof launchText, string][] = [
    ["patientId", request.patient_id ?? ""],
    ["birth", request.birth_date ?? ""],
    ["from", request.date_from ?? ""],
    ["until", request.date_to ?? ""],
    ["modality", request.modalities.join(", ")],
    ["accession", request.accession_numbers.join(", ")],
    ["studyUid", request.study_uids.join(", ")],
  ];
  return (
    <LaunchFrame title={text(title)} text={action && text(action)} language={language}>
      <dl className="mt-4 grid grid-cols-[max-content_1fr] gap-x-6 gap-y-1 text-sm">
        {asked.filter(([, value]) => value !== "").map(([label, value]) => (
          <div key={label} className="contents">
            <dt className="text-ink-soft">{text(label)}</dt>
            <dd className="tabular break-all text-ink">{value}</dd>
          </div>
        ))}
      </dl>
      {children}
    </LaunchFrame>
  );
}

interface LaunchAnswerProps {
  link: LaunchLink;
  answer: LaunchAnswer;
  language: Language;
  /** whether the user may restore studies from the bin */
  mayRestore: boolean;
  /** whether to offer retrieval of missing studies from the PACS */
  children?: ReactNode;
}

/** Page for a link that does not lead to a single study. */
export function LaunchAnswerPage(
  { link, answer, language, mayRestore, children }: LaunchAnswerProps,
) {
  const text = wordsIn(language), { outcome, studies, missing, in_bin } = answer;
  if (outcome === "refused") {
    return (
      <LaunchFrame title={text("refused")} text={text("refusedWhy")} language={language}>
        {answer.is_accession_of_other && (
          <p role="alert" className="mt-2 text-sm font-medium text-red-700">
            {text("otherAccession")}
          </p>
        )}
        {studies.some(({ state }) => state === "deleted") && (
          <p role="alert" className="mt-2 text-sm font-medium text-amber-800">
            {text("deleted")} {text(mayRestore ? "deletedWhy" : "deletedAsk")}
          </p>
        )}
        <UnknownAuthority answer={answer} language={language} />
        <Disagreement request={link.request} answer={answer} language={language} />
      </LaunchFrame>
    );
  }
  if (outcome === "choose") {
    const n = studies.length;
    return (
      <LaunchFrame
        title={text("choose")}
        text={answer.is_cut
          ? text("chooseCut", { n: MAX_LAUNCH_STUDIES })
          : text("chooseWhy", { n })}
        language={language}
      >
        {missing > in_bin && (
          <p role="alert" className="mt-2 text-sm font-medium text-amber-800">
            {text("missingStudies", { n: missing - in_bin })}
          </p>
        )}
        {in_bin > 0 && (
          <p role="alert" className="mt-2 text-sm font-medium text-amber-800">
            {text("deletedStudies", { n: in_bin })} {text(mayRestore ? "deletedWhy" : "deletedAsk")}
          </p>
        )}
        {answer.are_several_people && (
          <p role="alert" className="mt-2 text-sm font-medium text-red-700">
            {text(n === 1 ? "sharedNumber" : "severalPeople")}
          </p>
        )}
        <UnknownAuthority answer={answer} language={language} />
        <StudyTable studies={studies} target={link.target} language={language} />
        {missing > in_bin && children}
      </LaunchFrame>
    );
  }
  if (outcome === "deleted") {
    return (
      <LaunchFrame
        title={text("deleted")}
        text={text(mayRestore ? "deletedWhy" : "deletedAsk")}
        language={language}
      />
    );
  }
  return (
    <AbsentStudy request={link.request} absence={answer.absence} language={language}>
      {children}
    </AbsentStudy>
  );
}

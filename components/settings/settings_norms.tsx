// Section of the settings with controls and local norms, for administrators.
import { type FormEvent, useEffect, useState } from "react";
import { engineName } from "@/model/measured/engine_name.ts";
import { AppError, asAppError } from "@/model/errors.ts";
import { MIN_CONTROLS } from "@/model/norms/local_norms.ts";
import type { LabelRef } from "@/model/schema/worklist/labels.ts";
import {
  controlProblem,
  type ControlsPost,
  type NormsResponse,
  type NormSummary,
} from "@/model/schema/report/norms.ts";
import type { PatientRow } from "@/model/schema/studies/patients.ts";
import { normsText } from "@/model/text/settings/local_norms.ts";
import { commonText } from "@/model/text/worklist/actions.ts";
import { listLabels } from "@/client/api/worklist/labels.ts";
import {
  getNorms,
  getNormSummary,
  markControls,
  proposeNorm,
  unmarkControl,
} from "@/client/api/report/norms.ts";
import { listPatients } from "@/client/api/studies/patients.ts";
import { browserApi } from "@/client/browser_api.ts";
import { useLanguage, useText } from "@/client/page/language.ts";
import { messageOf } from "@/client/notices/messages.ts";
import { confirmInModal, presentError } from "@/client/notices/present_error.ts";
import { Button } from "@/components/Button.tsx";
import { LoadFailure } from "@/components/message/LoadFailure.tsx";
import { INPUT, Section } from "@/components/fields.tsx";
import { ControlTable, RegionTable } from "@/components/settings/NormTables.tsx";
import { ImportedNorms } from "@/components/settings/ImportedNorms.tsx";
import { RoutineNorms } from "@/components/settings/RoutineNorms.tsx";
import { ScannerDrift } from "@/components/settings/ScannerDrift.tsx";
import { NormList } from "@/components/settings/settings_norm_list.tsx";

/** Maximum number of studies in a search result. */
const FOUND = 8;

export function NormsPanel() {
  const language = useLanguage(), text = useText(normsText), common = useText(commonText);
  const [data, setData] = useState<NormsResponse | null>(null),
    [labels, setLabels] = useState<LabelRef[]>([]);
  const [failure, setFailure] = useState<AppError | null>(null),
    [isBusy, setBusy] = useState(false);
  const [scanner, setScanner] = useState<string | null>(null),
    [summary, setSummary] = useState<NormSummary | null>(null);
  const [told, setTold] = useState("");

  const load = async () => {
    setFailure(null);
    try {
      const [norms, known, found] = await Promise.all([
        getNorms(browserApi),
        listLabels(browserApi),
        getNormSummary(browserApi, scanner),
      ]);
      setData(norms);
      setLabels(known.labels);
      setSummary(found);
    } catch (error) {
      setFailure(asAppError(error));
    }
  };
  useEffect(() => {
    setSummary(null);
    void load();
  }, [scanner]);

  /** Reason why a study cannot be a control, next to the list. */
  const refusalOf = ({ code, details }: AppError) => {
    const reason = controlProblem.safeParse(details.reason);
    return reason.success
      ? text("excluded", { list: `${details.pid} (${text(reason.data)})` })
      : messageOf(code, details, language);
  };
  /** Runs an action of a button and shows the new state. */
  const act = async (action: () => Promise<void>) => {
    setBusy(true);
    setTold("");
    try {
      await action();
      await load();
    } catch (error) {
      if (error instanceof AppError && error.code === "control.unsuitable") {
        setTold(refusalOf(error));
      } else presentError(error);
    } finally {
      setBusy(false);
    }
  };
  const mark = (post: ControlsPost) =>
    act(async () => {
      const { marked, excluded } = await markControls(browserApi, post);
      const list = excluded.map(({ pid, reason }) => `${pid} (${text(reason)})`).join(", ");
      setTold(
        [text("marked", { n: marked.length }), list && text("excluded", { list })].filter(Boolean)
          .join(" "),
      );
    });
  const propose = async () => {
    const values = { scanner: scanner ?? text("site"), n: summary!.controls };
    if (await confirmInModal("norm.propose", values)) {
      await act(async () => void await proposeNorm(browserApi, scanner));
    }
  };

  if (failure && !data) {
    return (
      <LoadFailure
        title={text("failedToLoad")}
        reason={messageOf(failure.code, failure.details, language)}
        retryLabel={common("retry")}
        onRetry={() => void load()}
      />
    );
  }
  if (!data) return <p role="status" className="py-8 text-center">{text("loading")}</p>;
  return (
    <div aria-busy={isBusy}>
      <p className="text-[13px] leading-snug">{text("intro", { min: MIN_CONTROLS })}</p>
      <Section title={text("controlCount", { n: data.controls.length })}>
        <MarkForm labels={labels} isBusy={isBusy} onMark={(post) => void mark(post)} />
        <p role="status" className="min-h-[20px] text-[13px] text-ink">{told}</p>
        <ControlTable
          controls={data.controls}
          isBusy={isBusy}
          language={language}
          onUnmark={(pid) => void act(() => unmarkControl(browserApi, pid))}
        />
      </Section>
      <SummarySection
        scanners={data.scanners}
        scanner={scanner}
        summary={summary}
        isBusy={isBusy}
        onScanner={setScanner}
        onPropose={() => void propose()}
      />
      <RoutineNorms isBusy={isBusy} onAct={act} />
      <ImportedNorms norms={data.norms} isBusy={isBusy} onAct={act} />
      <ScannerDrift isBusy={isBusy} onAct={act} />
      <Section title={text("norms")}>
        <NormList
          norms={data.norms}
          engineVersion={data.engine_version}
          isBusy={isBusy}
          onAct={act}
          onTell={setTold}
        />
      </Section>
    </div>
  );
}

interface SummarySectionProps {
  scanners: readonly string[];
  /** scanner; `null`: the whole site */
  scanner: string | null;
  /** summary; `null` while loading */
  summary: NormSummary | null;
  isBusy: boolean;
  onScanner: (scanner: string | null) => void;
  onPropose: () => void;
}

/** Summary of the controls of a scanner or the site, and the norm proposed from them. */
export function SummarySection(
  { scanners, scanner, summary, isBusy, onScanner, onPropose }: SummarySectionProps,
) {
  const language = useLanguage(), text = useText(normsText);
  return (
    <Section
      title={text("summary")}
      hint={text("summaryHint")}
      control={
        <select
          aria-label={text("scanner")}
          value={scanner ?? ""}
          onChange={(event) => onScanner(event.currentTarget.value || null)}
          className={`${INPUT} max-w-[260px]`}
        >
          <option value="">{text("siteTitle")}</option>
          {scanners.map((name) => <option key={name} value={name}>{name}</option>)}
        </select>
      }
    >
      {!summary ? <p role="status">{text("loading")}</p> : (
        <div className="flex flex-col gap-2">
          <p className="text-[13px]">
            {summary.controls === 0 || summary.engine_version === null
              ? text("noneCounted")
              : text("counted", {
                n: summary.controls,
                engine: engineName(summary.engine_version, language),
              })}
            {summary.other_engine > 0 && ` ${text("otherEngine", { n: summary.other_engine })}`}
          </p>
          {summary.regions.length > 0 && (
            <RegionTable regions={summary.regions} language={language} />
          )}
          <div>
            <Button
              size="small"
              disabled={isBusy || summary.controls < MIN_CONTROLS}
              onClick={onPropose}
            >
              {text("propose")}
            </Button>
          </div>
        </div>
      )}
    </Section>
  );
}

interface MarkFormProps {
  labels: readonly LabelRef[];
  isBusy: boolean;
  onMark: (post: ControlsPost) => void;
}

/**
 * Search for studies of healthy volunteers, to mark them as controls: by patient ID or name, or all
 * with a label.
 */
function MarkForm({ labels, isBusy, onMark }: MarkFormProps) {
  const text = useText(normsText);
  const [typed, setTyped] = useState(""),
    [found, setFound] = useState<readonly PatientRow[] | null>(null);
  const [labelId, setLabelId] = useState(0);
  const search = async (event: FormEvent) => {
    event.preventDefault();
    const wanted = typed.trim();
    if (wanted === "") return setFound(null);
    try {
      const query = { search_string: wanted, page_idx: 1, page_size: FOUND, t1w: true };
      setFound((await listPatients(browserApi, query)).patients);
    } catch (error) {
      presentError(error);
    }
  };
  return (
    <div className="flex flex-col gap-2">
      <form
        role="search"
        onSubmit={(event) => void search(event)}
        className="flex items-center gap-2"
      >
        <input
          type="search"
          value={typed}
          aria-label={text("searchControl")}
          placeholder={text("searchControl")}
          onChange={(event) => setTyped(event.currentTarget.value)}
          className={`${INPUT} flex-1 min-w-0`}
        />
        <Button size="small" type="submit">{text("search")}</Button>
      </form>
      {found && (found.length === 0
        ? <p className="text-[13px]">{text("noStudy")}</p>
        : (
          <ul className="rounded-md border border-line bg-white text-[13px] text-ink">
            {found.map(({ pid, patient_id, patient_name, study_date }) => (
              <li
                key={pid}
                className="flex items-center gap-2 border-t border-line first:border-t-0 px-2 py-1"
              >
                <span className="flex-1 min-w-0 truncate">
                  {`${pid} · ${patient_id} · ${patient_name} · ${study_date ?? "–"}`}
                </span>
                <Button
                  size="small"
                  kind="quiet"
                  disabled={isBusy}
                  aria-label={text("markNumber", { pid })}
                  onClick={() => onMark({ pid_list: [pid] })}
                >
                  {text("mark")}
                </Button>
              </li>
            ))}
          </ul>
        ))}
      {labels.length > 0 && (
        <div className="flex items-center gap-2">
          <select
            aria-label={text("byLabel")}
            value={labelId}
            onChange={(event) => setLabelId(Number(event.currentTarget.value))}
            className={`${INPUT} flex-1 min-w-0`}
          >
            <option value={0}>{`${text("byLabel")}: ${text("chooseLabel")}`}</option>
            {labels.map(({ id, label_name }) => <option key={id} value={id}>{label_name}</option>)}
          </select>
          <Button
            size="small"
            disabled={isBusy || labelId === 0}
            onClick={() => onMark({ label_id: labelId })}
          >
            {text("mark")}
          </Button>
        </div>
      )}
    </div>
  );
}

// De-identified file for a registry; loaded on demand.
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { queryKeys } from "@/model/query_keys.ts";
import type { RegistryPreview, RegistryRequest } from "@/model/schema/report/registry.ts";
import type { JobProgress } from "@/model/schema/site/jobs.ts";
import { registryText } from "@/model/text/settings/registry.ts";
import {
  cancelRegistry,
  getRegistry,
  getRegistryProgress,
  registryPath,
  startRegistry,
} from "@/client/api/report/registry.ts";
import { browserApi } from "@/client/browser_api.ts";
import { awaitGeneratedFile, saveFile } from "@/client/files/generated_file.ts";
import { useText } from "@/client/page/language.ts";
import { Button } from "@/components/Button.tsx";
import { useAction } from "@/components/use_action.ts";
import { LoadState } from "@/components/message/LoadState.tsx";
import { ProgressBar } from "@/components/ProgressBar.tsx";
import { withQueries } from "@/components/page/with_queries.tsx";

const FORMATS = ["csv", "json"] as const, FIGURES = ["volumes", "percentiles"] as const;

function Registry() {
  const text = useText(registryText);
  const { data, error, refetch } = useQuery({
    queryKey: queryKeys.registry,
    queryFn: ({ signal }) => getRegistry(browserApi, signal),
  });
  if (!data) return <LoadState title={text("failedToLoad")} error={error} onRetry={refetch} />;
  const [fine = 0, ...coarser] = data.levels, none = coarser.pop() ?? 0;
  const coarse = coarser.reduce((sum, n) => sum + n, 0);
  const { studies, persons, min_persons: n } = data;
  return (
    <section className="rounded-xl border border-line bg-white p-5 text-sm text-ink">
      <p>{text("intro")}</p>
      <p className="mt-2 text-ink-soft">{text("identity", { n })}</p>
      {studies === 0 ? <p className="mt-4">{text("empty")}</p> : (
        <>
          <p className="mt-4 font-medium tabular">{text("amount", { studies, persons })}</p>
          <p className="text-ink-soft tabular">{text("levels", { fine, coarse, none })}</p>
          <RegistryForm
            preview={data}
            reload={async () => {
              await refetch();
            }}
          />
        </>
      )}
    </section>
  );
}

interface FormProps {
  preview: RegistryPreview;
  reload: () => Promise<void>;
}

function RegistryForm({ preview, reload }: FormProps) {
  const text = useText(registryText);
  const [request, setRequest] = useState<RegistryRequest>({
    format: "csv",
    figures: "volumes",
    has_texts: false,
  });
  const { isBusy, act } = useAction(reload);
  const { current, texts } = preview;
  const isRunning = current?.progress.status === "queued" || current?.progress.status === "running";
  return (
    <>
      <Choice
        label={text("format")}
        name="registry-format"
        options={FORMATS.map((value) => [value, value.toUpperCase()])}
        value={request.format}
        onChange={(format) => setRequest({ ...request, format })}
      />
      <Choice
        label={text("figures")}
        name="registry-figures"
        options={FIGURES.map((value) => [value, text(value)])}
        value={request.figures}
        onChange={(figures) =>
          setRequest({
            ...request,
            figures,
            has_texts: request.has_texts && figures === "volumes",
          })}
      />
      <p className="text-[13px] text-ink-soft">{text("oneOfThem")}</p>
      <label className="mt-3 flex items-center gap-2 h-8">
        <input
          type="checkbox"
          checked={request.has_texts}
          disabled={request.figures !== "volumes"}
          aria-describedby="registry-texts"
          onChange={(event) => setRequest({ ...request, has_texts: event.currentTarget.checked })}
          className="w-4 h-4 accent-brand-600"
        />
        {text("texts", { n: texts })}
      </label>
      <p id="registry-texts" className="text-[13px] text-ink-soft">{text("textsHint")}</p>
      <Button
        kind="primary"
        className="mt-4"
        disabled={isBusy || isRunning}
        onClick={() => void act(() => startRegistry(browserApi, request))}
      >
        {text("start")}
      </Button>
      {current && (
        <CurrentFile
          key={current.id}
          id={current.id}
          progress={current.progress}
          isBusy={isBusy}
          onEnd={reload}
          remove={() => act(() => cancelRegistry(browserApi, current.id))}
        />
      )}
    </>
  );
}

interface ChoiceProps<T extends string> {
  label: string;
  name: string;
  options: readonly (readonly [value: T, label: string])[];
  value: T;
  onChange: (value: T) => void;
}

function Choice<T extends string>({ label, name, options, value, onChange }: ChoiceProps<T>) {
  return (
    <fieldset className="mt-3 flex items-center gap-5">
      <legend className="mb-1 text-[13px] font-semibold text-ink">{label}</legend>
      {options.map(([each, words]) => (
        <label key={each} className="flex items-center gap-2 h-8">
          <input
            type="radio"
            name={name}
            checked={each === value}
            onChange={() => onChange(each)}
            className="w-4 h-4 accent-brand-600"
          />
          {words}
        </label>
      ))}
    </fieldset>
  );
}

interface CurrentFileProps {
  id: string;
  progress: JobProgress;
  isBusy: boolean;
  onEnd: () => Promise<void>;
  remove: () => Promise<void>;
}

/** The newest registry file: progress, or download. */
function CurrentFile({ id, progress, isBusy, onEnd, remove }: CurrentFileProps) {
  const text = useText(registryText), { status, failed_pid_list: missing } = progress;
  const isRunning = status === "queued" || status === "running";
  const [percent, setPercent] = useState(progress.percent);
  useEffect(() => {
    if (!isRunning) return;
    const leaving = new AbortController();
    const path = registryPath(id);
    // leaving the page stops only the polling; the job continues on the server
    void awaitGeneratedFile({
      path,
      progress: () => getRegistryProgress(browserApi, id),
      cancel: () => Promise.resolve(),
      progressOf: (event) => event.event === "registry" && event.id === id ? event : null,
    }, { signal: leaving.signal, onPercent: setPercent }).catch(() => {}).then(() => {
      if (!leaving.signal.aborted) void onEnd();
    });
    return () => leaving.abort();
  }, [id, isRunning]);
  return (
    <div className="mt-4 flex flex-wrap items-center gap-3" role="status">
      {isRunning
        ? (
          <>
            <span>{text("progress")}</span>
            <ProgressBar label={text("progress")} percent={percent} />
            <span className="tabular">{text("percent", { n: percent })}</span>
            <Button size="small" disabled={isBusy} onClick={() => void remove()}>
              {text("cancel")}
            </Button>
          </>
        )
        : status === "done"
        ? (
          <>
            <span>{text("ready")}</span>
            <Button size="small" kind="primary" onClick={() => saveFile(registryPath(id))}>
              {text("download")}
            </Button>
            <Button size="small" disabled={isBusy} onClick={() => void remove()}>
              {text("remove")}
            </Button>
            {missing.length > 0 && <span>{text("missing", { n: missing.length })}</span>}
          </>
        )
        : <span>{text(status === "failed" ? "failed" : "canceled")}</span>}
    </div>
  );
}

export default withQueries(Registry);

// Background tasks and failures, opened by a button in the header; loaded after the first paint.
import { useSignals } from "@preact/signals-react/runtime";
import { useQuery } from "@tanstack/react-query";
import { type FocusEvent, type KeyboardEvent, Suspense, useEffect, useRef, useState } from "react";
import { isErrorCode } from "@/model/errors.ts";
import { queryKeys } from "@/model/query_keys.ts";
import { trayText } from "@/model/text/site/tray.ts";
import { DEFAULT_WORKLIST_QUERY, worklistSearchOf } from "@/model/worklist/worklist_query.ts";
import { nameText } from "@/model/worklist/person_names.ts";
import { getPatientRow } from "@/client/api/studies/patients.ts";
import { browserApi } from "@/client/browser_api.ts";
import { saveFile } from "@/client/files/generated_file.ts";
import { messageOf } from "@/client/notices/messages.ts";
import { useLanguage, useText } from "@/client/page/language.ts";
import { queryClient } from "@/client/page/query.ts";
import { lazyPart } from "@/components/page/lazy_part.ts";
import { useUser } from "@/client/page/user.ts";
import { withQueries } from "@/components/page/with_queries.tsx";
import { KEPT_PULLS } from "@/client/tray/kept.ts";
import { shareUploads } from "@/client/tray/other_tabs.ts";
import { forgetFailures, resumeTray } from "@/client/tray/server_jobs.ts";
import {
  goTo,
  removeTask,
  type TrayFailure,
  trayFailures,
  type TrayTask,
  trayTasks,
} from "@/client/tray/tray.ts";
import { Button } from "@/components/Button.tsx";
import { ProgressBar } from "@/components/ProgressBar.tsx";

const isGoingOn = ({ state }: TrayTask) => state === "running" || state === "waiting";

function TrayMenu() {
  useSignals();
  const user = useUser(), text = useText(trayText);
  const [isOpen, setOpen] = useState(false), button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (user === null) return;
    const ends = [resumeTray(user.user_id), shareUploads()];
    if (sessionStorage.getItem(KEPT_PULLS) !== null) {
      void import("@/client/tray/pulls.ts").then(({ resumePulls }) => resumePulls(), () => {});
    }
    return () => ends.forEach((end) => end());
  }, [user?.user_id]);
  const tasks = trayTasks.value, failures = trayFailures.value, running = tasks.filter(isGoingOn);
  const isEmpty = tasks.length + failures.length === 0;
  useEffect(() => {
    // closes the menu when the tray is empty, so that a new task does not open it
    if (isEmpty) setOpen(false);
  }, [isEmpty]);
  if (isEmpty) return null;
  const percents = running.map(({ percent }) => percent).filter((percent) => percent !== null);
  const percent = percents.length > 0
    ? Math.floor(percents.reduce((a, b) => a + b, 0) / percents.length)
    : null;
  const words = running.length > 0
    ? text("running", { n: running.length })
    : failures.length > 0
    ? text("problems", { n: failures.length })
    : text("finished");
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  return (
    <div
      className="relative"
      onBlur={(event: FocusEvent) => {
        if (!event.currentTarget.contains(event.relatedTarget)) setOpen(false);
      }}
      onKeyDown={(event: KeyboardEvent) => {
        if (event.key === "Escape" && isOpen) close();
      }}
    >
      <button
        ref={button}
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="tray-button h-9 px-3 inline-flex items-center gap-2 rounded-full border border-line-strong bg-white text-[13px] text-ink hover:bg-brand-50 tabular whitespace-nowrap"
      >
        {/* as wide each, so that no word moves when it is over */}
        <span
          className={`shrink-0 ${
            running.length > 0
              ? "spinner"
              : failures.length > 0
              ? "dot w-2 h-2 mx-1 rounded-full text-red-700"
              : "completed-icon w-4 h-4"
          }`}
          aria-hidden="true"
        />
        <span className="sr-only">{`${text("title")}: `}</span>
        {/* one text node, which grows at its end */}
        <span>{running.length > 0 && percent !== null ? `${words} ${percent}\u00a0%` : words}</span>
        {running.length > 0 && failures.length > 0 && (
          <span className="px-1.5 rounded-full bg-red-50 text-red-700 font-semibold">
            {failures.length}
          </span>
        )}
      </button>
      {isOpen && (
        <section
          aria-label={text("title")}
          tabIndex={-1}
          className="tray-panel absolute right-0 top-11 z-30 rounded-xl border border-line bg-white shadow-dialog p-4 text-[13px]"
        >
          <ul className="flex flex-col gap-3">
            {tasks.map((task) => (
              <TaskLine
                key={task.id}
                task={task}
                onDone={() => setOpen(false)}
              />
            ))}
          </ul>
          {failures.length > 0 && (
            <>
              <div
                className={`flex items-center justify-between ${tasks.length > 0 ? "mt-4" : ""}`}
              >
                <h2 className="font-semibold text-ink">{text("failures")}</h2>
                <Button kind="quiet" size="small" onClick={forgetFailures}>{text("clear")}</Button>
              </div>
              <ul className="mt-1 flex flex-col gap-2">
                {failures.map((failure) => (
                  <FailureLine
                    key={`${failure.pid} ${failure.name} ${failure.code}`}
                    failure={failure}
                  />
                ))}
              </ul>
            </>
          )}
        </section>
      )}
    </div>
  );
}

/** Row of a background task: name, progress, and buttons. */
function TaskLine({ task, onDone }: { task: TrayTask; onDone: () => void }) {
  const text = useText(trayText), { kind, count, state, percent, file } = task;
  const what = [text(kind, { n: count }), task.what].filter(Boolean).join(": ");
  return (
    <li>
      <div className="flex items-center gap-3">
        <span className="flex-1 min-w-0 font-medium text-ink">{what}</span>
        {task.isElsewhere && <span className="text-ink-soft">{text("elsewhere")}</span>}
        {state === "waiting" && <span className="text-ink-soft">{text("waiting")}</span>}
        {state === "done" && <span className="text-emerald-800">{text("done")}</span>}
        {state === "failed" && <span className="text-red-700">{text("failed")}</span>}
        {task.show && (
          <Button
            size="small"
            onClick={() => {
              onDone();
              task.show!();
            }}
          >
            {text("show")}
          </Button>
        )}
        {file !== undefined && (
          <Button size="small" onClick={() => saveFile(file)}>{text("save")}</Button>
        )}
        {isGoingOn(task) && task.cancel && (
          <Button kind="quiet" size="small" onClick={task.cancel}>{text("cancel")}</Button>
        )}
        {!isGoingOn(task) && (
          <Button
            kind="quiet"
            size="small"
            aria-label={text("remove")}
            onClick={() => {
              removeTask(task.id);
              task.forget?.();
            }}
          >
            ×
          </Button>
        )}
      </div>
      {task.failure && (
        <Suspense>
          <PullFailure failure={task.failure} />
        </Suspense>
      )}
      {isGoingOn(task) && (
        <div className="mt-1.5">
          <ProgressBar label={text("progress", { what })} percent={percent} />
        </div>
      )}
    </li>
  );
}

const PullFailure = lazyPart(() => import("@/client/tray/pull_failure.tsx"));

/** Row of a failure: study, reason, and a link to the study in the worklist. */
function FailureLine({ failure: { pid, name, code } }: { failure: TrayFailure }) {
  const language = useLanguage(), text = useText(trayText);
  const { data } = useQuery({
    queryKey: queryKeys.patientRow(pid ?? 0),
    queryFn: ({ signal }) => getPatientRow(browserApi, pid!, signal),
    enabled: pid !== null,
  }, queryClient);
  const studyText = data
    ? [nameText(data.patient_name, language), data.patient_id].filter(Boolean).join(" · ")
    : name ?? (pid === null ? "" : text("study", { pid }));
  const reason = isErrorCode(code) ? messageOf(code, {}, language) : text(code);
  const row = data &&
    `/${worklistSearchOf({ ...DEFAULT_WORKLIST_QUERY, search_string: data.patient_id })}`;
  return (
    <li className="flex items-start gap-3">
      <span className="flex-1 min-w-0">
        <span className="block font-medium text-ink break-words">{studyText}</span>
        <span className="block text-ink-soft break-words">{reason}</span>
      </span>
      {row && (
        <a
          href={row}
          onClick={(event) => {
            if (event.ctrlKey || event.metaKey || event.shiftKey) return;
            event.preventDefault();
            goTo(row);
          }}
          className="shrink-0 text-brand-700 hover:underline"
        >
          {text("goToRow")}
        </a>
      )}
    </li>
  );
}

export default withQueries(TrayMenu);

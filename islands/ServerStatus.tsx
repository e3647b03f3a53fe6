import { useQuery } from "@tanstack/react-query";
import { Suspense, useEffect, useState } from "react";
import { CrashBoundary } from "@/components/message/CrashBoundary.tsx";
import { type Action, userMay } from "@/model/accounts/roles.ts";
import { queryKeys } from "@/model/query_keys.ts";
import { statusText } from "@/model/text/site/status.ts";
import { getSiteStatus } from "@/client/api/site/status.ts";
import { browserApi } from "@/client/browser_api.ts";
import { useLanguage, useText } from "@/client/page/language.ts";
import { useUser } from "@/client/page/user.ts";
import { onServerEvent } from "@/client/live/live_updates.ts";
import { LoadState } from "@/components/message/LoadState.tsx";
import { lazyPart } from "@/components/page/lazy_part.ts";
import { mayDiscardEdits } from "@/components/administration/unsaved_edits.ts";
import { withQueries } from "@/components/page/with_queries.tsx";
import { Button } from "@/components/Button.tsx";
import { ServerPanel } from "@/components/administration/ServerPanel.tsx";
import { TabList, tabPanelProps } from "@/components/TabList.tsx";

const AuditLog = lazyPart(() => import("@/components/administration/audit_log.tsx"));
const CreditLog = lazyPart(() => import("@/components/licence/credit_log.tsx"));

const SignInDelays = lazyPart(() => import("@/components/administration/sign_in_delays.tsx"));

const Accounts = lazyPart(() => import("@/components/administration/accounts.tsx"));
const Connections = lazyPart(() => import("@/components/administration/connections.tsx"));
const Registry = lazyPart(() => import("@/components/administration/registry.tsx"));
const Bin = lazyPart(() => import("@/components/administration/bin.tsx"));

/** Tabs of the page, each with the required permission. */
const TABS = {
  server: "status",
  connections: "administer",
  audit: "audit",
  signIns: "status",
  accounts: "administer",
  registry: "administer",
  bin: "restore",
  credits: "own",
} as const satisfies Record<string, Action>;
type Tab = keyof typeof TABS;
/** Events that change jobs; several events within a short time cause one refetch. */
const JOB_EVENTS: readonly string[] = ["study_analysis", "study_create", "study_delete", "excel"];
const TEAM_TIMEOUT_MS = 1000;

/** Status of the site, its accounts and its recycle bin, limited by the user's permissions. */
function ServerStatus() {
  const text = useText(statusText);
  const user = useUser(),
    tabs = (Object.keys(TABS) as Tab[]).filter((name) => userMay(user, TABS[name]));
  const [tab, setTab] = useState<Tab>(tabs[0] ?? "credits");
  useEffect(() => {
    // the page address may select the initial tab
    const wanted = tabs.find((name) => name === location.hash.slice(1));
    if (wanted) setTab(wanted);
  }, []);
  const open = async (name: Tab) => {
    if (!await mayDiscardEdits()) return;
    setTab(name);
    // a reload, as after a change of the language, opens the same tab
    history.replaceState(history.state, "", `#${name}`);
  };
  return (
    <div className="max-w-[1240px] mx-auto px-6 py-6">
      <h1 className="mb-3 text-xl font-semibold text-ink">{text("title")}</h1>
      <TabList
        tabs={tabs.map((name) => ({ name, label: text(name) }))}
        current={tab}
        label={text("tabs")}
        id="status"
        onChoose={(name) => void open(name)}
      />
      <div {...tabPanelProps("status", tab)} className="pt-4">
        <Suspense>
          {tab === "server" && (
            <CrashBoundary>
              <Server />
            </CrashBoundary>
          )}
          {tab === "connections" && <Connections />}
          {tab === "audit" && <AuditLog />}
          {tab === "signIns" && <SignInDelays />}
          {tab === "accounts" && <Accounts />}
          {tab === "registry" && <Registry />}
          {tab === "bin" && <Bin />}
          {tab === "credits" && <CreditLog />}
        </Suspense>
      </div>
    </div>
  );
}

function Server() {
  const language = useLanguage(), text = useText(statusText);
  const { data: status, error, refetch, isFetching } = useQuery({
    queryKey: queryKeys.siteStatus,
    queryFn: ({ signal }) => getSiteStatus(browserApi, signal),
  });
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = onServerEvent(({ event }) => {
      if (JOB_EVENTS.includes(event)) {
        timer ??= setTimeout(() => {
          timer = undefined;
          void refetch();
        }, TEAM_TIMEOUT_MS);
      }
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, []);
  if (!status) return <LoadState title={text("failedToLoad")} error={error} onRetry={refetch} />;
  return (
    <>
      <ServerPanel status={status} language={language} />
      <Button className="mt-4" disabled={isFetching} onClick={() => void refetch()}>
        {text("refresh")}
      </Button>
    </>
  );
}

export default withQueries(ServerStatus);

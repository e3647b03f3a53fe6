// What leads on a site without patients; loaded when there are none.
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type ErrorCode, isErrorCode } from "@/model/errors.ts";
import { queryKeys } from "@/model/query_keys.ts";
import { firstRunText } from "@/model/text/worklist/first_run.ts";
import { worklistText } from "@/model/text/worklist/worklist.ts";
import { getDemo, loadDemo } from "@/client/api/site/demo.ts";
import { browserApi } from "@/client/browser_api.ts";
import { useLanguage, useText } from "@/client/page/language.ts";
import type { Language } from "@/model/text.ts";
import { messageOf } from "@/client/notices/messages.ts";
import { presentError, presentToast } from "@/client/notices/present_error.ts";
import { queryClient } from "@/client/page/query.ts";
import { useMay } from "@/client/page/user.ts";
import { Button } from "@/components/Button.tsx";

/** Between two looks at how far the made-up patients are. */
const LOOK_MS = 1500;

const reasonOf = (code: string, language: Language): string =>
  messageOf((isErrorCode(code) ? code : "internal") satisfies ErrorCode, {}, language);

/** Follows the loading to its end; what ends it too soon is told also when the first patients stand in this place. */
async function followLoading(language: Language): Promise<void> {
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    const state = await getDemo(browserApi), { failure, total, pid_list: { length: n } } = state;
    queryClient.setQueryData(queryKeys.demo, state);
    if (state.is_loading) continue;
    if (failure !== null && n > 0) {
      presentToast("demo.failed", { n, total, reason: reasonOf(failure, language) });
    }
    return;
  }
}

export default function FirstRun({ onUpload }: { onUpload: () => void }) {
  const text = useText(firstRunText), list = useText(worklistText), isAdministrator = useMay("administer");
  const language = useLanguage(), [isAsking, setAsking] = useState(false);
  const { data } = useQuery({
    queryKey: queryKeys.demo,
    queryFn: ({ signal }) => getDemo(browserApi, signal),
    refetchInterval: ({ state }) => state.data?.is_loading && !isAsking ? LOOK_MS : false,
  });
  const load = async () => {
    setAsking(true);
    try {
      queryClient.setQueryData(queryKeys.demo, await loadDemo(browserApi));
      await followLoading(language);
    } catch (error) {
      presentError(error);
    }
    setAsking(false);
  };
  const step = "flex flex-col items-start gap-2 rounded-xl border border-line bg-white p-5 text-left";
  return (
    <div className="px-6 py-10">
      <h2 className="text-center text-lg font-semibold text-ink">{list("empty")}</h2>
      <div
        className={`mt-6 mx-auto grid gap-4 max-w-[1080px] ${isAdministrator ? "first-steps" : "first-step"}`}
      >
        {isAdministrator && (
          <section className={step}>
            <h3 className="font-semibold text-ink">{text("users")}</h3>
            <p className="text-sm text-ink-soft">{text("usersText")}</p>
            <a
              href="/status#accounts"
              className="mt-auto inline-flex items-center h-10 px-4 rounded-md border border-line-strong bg-white text-sm font-medium text-ink hover:bg-canvas"
            >
              {text("addUser")}
            </a>
          </section>
        )}
        <section className={step}>
          <h3 className="font-semibold text-ink">
            {text("upload").replace(/^2\. /, isAdministrator ? "2. " : "")}
          </h3>
          <p className="text-sm text-ink-soft">{text("uploadText")}</p>
          <Button kind="primary" className="mt-auto" onClick={onUpload}>{list("upload")}</Button>
        </section>
        {data?.is_available && (
          <section className={step}>
            <h3 className="font-semibold text-ink">{text("demo")}</h3>
            <p className="text-sm text-ink-soft">{text("demoText")}</p>
            {data.failure !== null && (
              <p role="alert" className="text-sm text-red-700">{reasonOf(data.failure, language)}</p>
            )}
            <div className="mt-auto min-h-10 flex items-center" role="status">
              {data.is_loading
                ? (
                  <span className="inline-flex items-center gap-2 text-sm text-ink">
                    <span className="spinner" aria-hidden="true" />
                    {text("loading", { n: Math.min(data.loaded + 1, data.total), total: data.total })}
                  </span>
                )
                : <Button disabled={isAsking} onClick={() => void load()}>{text("load")}</Button>}
            </div>
          </section>
        )}
      </div>
    </div>
  );
}

// Introduction on a site without patients; loaded on demand.
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { queryKeys } from "@/model/query_keys.ts";
import { firstRunText } from "@/model/text/worklist/first_run.ts";
import { worklistText } from "@/model/text/worklist/worklist.ts";
import { getDemo } from "@/client/api/site/demo.ts";
import { browserApi } from "@/client/browser_api.ts";
import { demoFailure, followDemo, loadDemoPatients } from "@/client/page/demo_loading.ts";
import { useLanguage, useText } from "@/client/page/language.ts";
import { useMay } from "@/client/page/user.ts";
import { Button } from "@/components/Button.tsx";

export default function FirstRun({ onUpload }: { onUpload: () => void }) {
  const text = useText(firstRunText),
    list = useText(worklistText),
    isAdministrator = useMay("administer");
  const language = useLanguage(), [isAsking, setAsking] = useState(false);
  const { data } = useQuery({
    queryKey: queryKeys.demo,
    queryFn: ({ signal }) => getDemo(browserApi, signal),
  });
  const isLoading = data?.is_loading === true;
  useEffect(() => {
    if (isLoading) void followDemo(language);
  }, [isLoading]);
  const load = async () => {
    setAsking(true);
    await loadDemoPatients(language);
    setAsking(false);
  };
  const step =
    "flex flex-col items-start gap-3 rounded-xl border border-line bg-white p-5 text-left";
  return (
    <div className="px-6 py-10">
      <h2 className="text-center text-lg font-semibold text-ink">{list("empty")}</h2>
      <div
        className={`mt-6 mx-auto grid gap-4 max-w-[1080px] ${
          isAdministrator ? "first-steps" : "first-step"
        }`}
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
              <p role="alert" className="text-sm text-red-700">
                {demoFailure(data.failure, language)}
              </p>
            )}
            <div className="mt-auto min-h-[40px] flex items-center" role="status">
              {isLoading
                ? (
                  <span className="inline-flex items-center gap-2 text-sm text-ink">
                    <span className="spinner" aria-hidden="true" />
                    {text("loading", {
                      n: Math.min(data.loaded + 1, data.total),
                      total: data.total,
                    })}
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

// The About dialog; loaded on demand.
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { DEVICE_MODEL, manualFileName, shownLink } from "@/model/dicom/device_label.ts";
import { queryKeys } from "@/model/query_keys.ts";
import type { AboutManual, LicenseItem } from "@/model/schema/site/about.ts";
import { commonText } from "@/model/text/worklist/actions.ts";
import { aboutText } from "@/model/text/account/about.ts";
import { getManual, getManualFile, getOpenSource, getTerms } from "@/client/api/site/about.ts";
import { browserApi } from "@/client/browser_api.ts";
import { useLanguage, useText } from "@/client/page/language.ts";
import { LoadState } from "@/components/message/LoadState.tsx";
import { saveFile } from "@/client/files/save_file.ts";
import { presentError } from "@/client/notices/present_error.ts";
import { withQueries } from "@/components/page/with_queries.tsx";
import { Button } from "@/components/Button.tsx";
import { Dialog } from "@/components/dialog/Dialog.tsx";
import { TabList, tabPanelProps } from "@/components/TabList.tsx";

const TABS = ["label", "manual", "terms", "openSource"] as const;
type Tab = (typeof TABS)[number];

function AboutDialog({ onClose }: { onClose: () => void }) {
  const text = useText(aboutText), common = useText(commonText);
  const [tab, setTab] = useState<Tab>("label");
  const Panel = { label: Label, manual: Manual, terms: Terms, openSource: OpenSource }[tab];
  return (
    <Dialog title={text("title")} width="w-[720px]" closeLabel={common("close")} onClose={onClose}>
      <TabList
        tabs={TABS.map((name) => ({ name, label: text(name) }))}
        current={tab}
        label={text("tabs")}
        id="about"
        onChoose={setTab}
      />
      <div {...tabPanelProps("about", tab)} className="h-[420px] overflow-y-auto pt-4 pr-1">
        <Panel />
      </div>
    </Dialog>
  );
}

export default withQueries(AboutDialog);

const KEYS = queryKeys.about;

/** Shows loaded content, progress, or the error. */
function Loaded<T>(
  { query, children }: {
    query: { data: T | undefined; error: Error | null; refetch: () => unknown };
    children: (data: T) => ReactNode;
  },
) {
  const text = useText(aboutText);
  const { data, error } = query;
  if (data !== undefined) return <>{children(data)}</>;
  return <LoadState title={text("failedToLoad")} error={error} onRetry={query.refetch} />;
}

const useManual = () =>
  useQuery({
    queryKey: [...KEYS, "manual"],
    queryFn: ({ signal }) => getManual(browserApi, signal),
  });

function Label() {
  const text = useText(aboutText), query = useManual();
  const row = (name: string, value: string) => (
    <div key={name} className="flex border-b border-line last:border-b-0">
      <dt className="w-[180px] px-4 py-2.5 bg-canvas font-medium text-ink">{name}</dt>
      <dd className="flex-1 px-4 py-2.5 text-ink">{value}</dd>
    </div>
  );
  return (
    <Loaded query={query}>
      {({ product, version, cert_type, label_revision }: AboutManual) => (
        <>
          {cert_type === "DEMO" && (
            <p className="mb-4 rounded-md border border-amber-600 bg-amber-50 px-4 py-3 font-semibold text-amber-900">
              {text("demo")}
            </p>
          )}
          <dl className="rounded-lg border border-line overflow-hidden">
            {row(text("product"), product)}
            {row(text("version"), version)}
            {row(text("model"), DEVICE_MODEL)}
            {row(text("certificate"), cert_type)}
            {row(text("revision"), label_revision ?? text("revisionUnknown"))}
            {row(text("use"), text("useText"))}
          </dl>
        </>
      )}
    </Loaded>
  );
}

function Manual() {
  const text = useText(aboutText), language = useLanguage(), query = useManual();
  const [isSaving, setSaving] = useState(false);
  const download = async (manual: AboutManual) => {
    setSaving(true);
    try {
      saveFile(await getManualFile(browserApi, language), manualFileName(manual));
    } catch (error) {
      presentError(error);
    } finally {
      setSaving(false);
    }
  };
  return (
    <Loaded query={query}>
      {(manual) => (
        <div className="py-10 text-center">
          <p className="text-base font-semibold text-ink">{manual.product} {manual.version}</p>
          <p className="mt-1 mb-5">
            {text("manualText", { product: manual.product, version: manual.version })}
          </p>
          <Button kind="primary" disabled={isSaving} onClick={() => void download(manual)}>
            {text("download")}
          </Button>
        </div>
      )}
    </Loaded>
  );
}

function Terms() {
  const language = useLanguage();
  const query = useQuery({
    queryKey: [...KEYS, "terms", language],
    queryFn: ({ signal }) => getTerms(browserApi, language, signal),
    // D1 §7 requires that the response is not cached
    gcTime: 0,
  });
  return (
    <Loaded query={query}>
      {({ content }) => <p className="whitespace-pre-line text-ink">{content}</p>}
    </Loaded>
  );
}

function OpenSource() {
  const text = useText(aboutText);
  const query = useQuery({
    queryKey: [...KEYS, "license"],
    queryFn: ({ signal }) => getOpenSource(browserApi, signal),
  });
  const list = (title: string, items: readonly LicenseItem[]) => (
    <section className="mb-5">
      <h3 className="mb-2 font-semibold text-ink">{title}</h3>
      <table className="w-full table-fixed text-[13px]">
        <thead>
          <tr className="border-b border-line text-left text-ink-soft">
            <th scope="col" className="py-1.5 w-[32%] font-medium">{text("name")}</th>
            <th scope="col" className="py-1.5 font-medium">{text("link")}</th>
            <th scope="col" className="py-1.5 w-[22%] font-medium">{text("licenseType")}</th>
          </tr>
        </thead>
        <tbody>
          {items.map(({ name, link, license_type }) => (
            <tr key={name} className="border-b border-line">
              <td className="py-1.5 pr-3 break-words text-ink">{name}</td>
              <td className="py-1.5 pr-3 break-words">
                {shownLink(link) && (
                  <a
                    href={shownLink(link)}
                    target="_blank"
                    rel="noreferrer"
                    className="text-brand-700 hover:underline"
                  >
                    {shownLink(link)}
                  </a>
                )}
              </td>
              <td className="py-1.5 break-words">{license_type}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
  return (
    <Loaded query={query}>
      {({ licenses, front_end = [] }) => (
        <>
          {list(text("frontEnd", { n: front_end.length }), front_end)}
          {list(text("backEnd", { n: licenses.length }), licenses)}
        </>
      )}
    </Loaded>
  );
}

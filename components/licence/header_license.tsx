import { useQuery } from "@tanstack/react-query";
import { type ComponentType, useEffect, useState } from "react";
import { AppError, type ErrorCode } from "@/model/errors.ts";
import { isCounted, licenseStateOn, wholeDays } from "@/model/site/license.ts";
import { queryKeys } from "@/model/query_keys.ts";
import type { LicenseInfo, LicenseState } from "@/model/schema/site/license.ts";
import { creditsText } from "@/model/text/account/credits.ts";
import { licenseStatusText } from "@/model/text/account/license_status.ts";
import { getLicense } from "@/client/api/site/license.ts";
import { browserApi } from "@/client/browser_api.ts";
import { useText } from "@/client/page/language.ts";
import { onServerEvent } from "@/client/live/live_updates.ts";
import { presentError } from "@/client/notices/present_error.ts";
import { CrashGuard } from "@/components/page/crash_guard.tsx";
import { reloadStalePage } from "@/client/page/stale_page.ts";
import { siteToday } from "@/client/page/time_zone.ts";
import { withQueries } from "@/components/page/with_queries.tsx";

/** Number of remaining days below which the header shows the end of the licence. */
const SOON_DAYS = 30;
const FEW_CREDITS = 10;

const ERRORS: Record<Exclude<LicenseState, "valid">, ErrorCode> = {
  no_credit: "credit.none",
  expired: "license.expired",
  not_started: "license.not_started",
};
const COLOURS = {
  plain: "bg-canvas text-ink-soft",
  warning: "bg-amber-50 text-amber-800",
  error: "bg-red-50 text-red-700",
};

/** Licence state reported by the site; with an external user service, computed from the dates. */
const stateOf = (license: LicenseInfo): LicenseState =>
  license.state ?? licenseStateOn(license, siteToday());

/** Shows a modal with the reason why no study can be analysed; does nothing otherwise. */
function presentLicense(license: LicenseInfo): void {
  const state = stateOf(license);
  if (state === "valid") return;
  presentError(
    new AppError(ERRORS[state], "The licence does not allow analyses", {
      date: license.start_date ?? "",
      cert_type: license.cert_type ?? "",
    }),
  );
}

/**
 * Credits and remaining days of the licence in the header, and a modal after the licence expired.
 * Empty for an unlimited licence.
 */
function LicenseBadge() {
  const text = useText(licenseStatusText), aboutCredits = useText(creditsText);
  const [CreditsDialog, setDialog] = useState<ComponentType<{ onClose: () => void }> | null>(null);
  const { data: license, refetch } = useQuery({
    queryKey: queryKeys.license,
    queryFn: ({ signal }) => getLicense(browserApi, signal),
  });
  const state = license && stateOf(license);
  useEffect(() => {
    if (license) presentLicense(license);
  }, [state]);
  useEffect(() =>
    onServerEvent(async ({ event }) => {
      if (event !== "credit_error") return;
      const { data } = await refetch();
      if (data) presentLicense(data);
    }), []);
  if (!license) return null;

  const { expire_date, start_date, total_remain_credit: credits } = license;
  const parts: { words: string; colour: keyof typeof COLOURS; isCredits?: boolean }[] = [];
  if (isCounted(license.limit) && credits !== null) {
    const colour = credits <= 0 ? "error" : credits <= FEW_CREDITS ? "warning" : "plain";
    const words = text("creditsLeft", { count: credits.toLocaleString("en") });
    parts.push({ words, colour, isCredits: true });
  }
  if (state === "not_started") {
    parts.push({ words: text("validFrom", { date: start_date ?? "" }), colour: "warning" });
  } else if (expire_date !== null) {
    if (state === "expired") {
      parts.push({ words: text("expiredSince", { date: expire_date }), colour: "error" });
    } else if (wholeDays(siteToday(), expire_date) <= SOON_DAYS) {
      parts.push({ words: text("validUntil", { date: expire_date }), colour: "warning" });
    }
  }
  const open = () =>
    import("@/components/licence/credits_dialog.tsx").then(
      (module) => setDialog(() => module.default),
      reloadStalePage,
    );
  return (
    <>
      <span role="status" className="flex items-center gap-2">
        {parts.map(({ words, colour, isCredits }) => {
          const shape = `px-2.5 py-1 rounded-full text-[13px] font-medium whitespace-nowrap ${
            COLOURS[colour]
          }`;
          return isCredits
            ? (
              <button
                key="credits"
                type="button"
                title={aboutCredits("open")}
                onClick={() => void open()}
                className={`${shape} hover:underline`}
              >
                {words}
              </button>
            )
            : (
              <span
                key={words}
                title={expire_date === null ? undefined : text("validUntil", { date: expire_date })}
                className={shape}
              >
                {words}
              </span>
            );
        })}
      </span>
      {CreditsDialog && (
        <CrashGuard onClose={() => setDialog(null)}>
          <CreditsDialog onClose={() => setDialog(null)} />
        </CrashGuard>
      )}
    </>
  );
}

export default withQueries(LicenseBadge);

import { secondFactorText } from "@/model/text/account/second_factor.ts";
import type { FactorState } from "@/model/schema/accounts/second_factor.ts";
import { getFactor } from "@/client/api/accounts/second_factor.ts";
import { Logo } from "@/components/page/Logo.tsx";
import { Island } from "@/server/edge/pages/island.tsx";
import type { LoaderRequest, PageProps } from "@/server/edge/pages/page.ts";
import { safeNextPath } from "@/server/edge/session/same_site.ts";
import Notices from "@/islands/Notices.tsx";
import SecondFactor from "@/islands/SecondFactor.tsx";

export const title = secondFactorText.title;

interface FactorData {
  state: FactorState;
  hasPassword: boolean;
  next: string;
}

export const loader = async ({ api, url, user }: LoaderRequest): Promise<FactorData> => ({
  state: await getFactor(api),
  hasPassword: user?.source === undefined,
  next: safeNextPath(url.searchParams.get("next")),
});

/**
 * Page to set up or remove one-time codes for signing in.
 * Users who must set up codes can open no other page before.
 */
export default function SecondFactorPage({ data }: PageProps<FactorData>) {
  return (
    <main className="min-h-screen grid place-items-center bg-canvas p-4 sm:p-10">
      <section className="w-full max-w-[460px] rounded-xl border border-line bg-white p-5 sm:p-8">
        <Logo className="w-9 h-9 mb-4" />
        <Island name="SecondFactor" of={SecondFactor} props={data} />
      </section>
      <Island name="Notices" of={Notices} props={{}} />
    </main>
  );
}

import { commonText } from "@/model/text/worklist/actions.ts";
import { loginText } from "@/model/text/account/login.ts";
import { textIn } from "@/model/text.ts";
import { type ErrorCode, isErrorCode } from "@/model/errors.ts";
import { getSignInMethods } from "@/client/api/accounts/auth.ts";
import { getStatus } from "@/client/api/site/status.ts";
import { FoldLines } from "@/components/FoldLines.tsx";
import { Logo } from "@/components/page/Logo.tsx";
import { Island } from "@/server/edge/pages/island.tsx";
import type { LoaderRequest, PageProps } from "@/server/edge/pages/page.ts";
import { safeNextPath } from "@/server/edge/session/same_site.ts";
import LoginForm from "@/islands/LoginForm.tsx";
import Notices from "@/islands/Notices.tsx";

export const access = "public";
export const title = loginText.title;

interface LoginData {
  next: string;
  isDemo: boolean;
  provider: string | null;
  hasDirectory: boolean;
  refusal: ErrorCode | null;
}

/** A site with a licence certificate that cannot be read counts as a demonstration site. */
export async function loader({ api, url }: LoaderRequest): Promise<LoginData> {
  const certType = await getStatus(api).then(({ cert_type }) => cert_type, () => undefined);
  // a core of another vendor may lack this call; it has only accounts of the site
  const { provider, directory } = await getSignInMethods(api).catch(() => ({
    provider: null,
    directory: false,
  }));
  const problem = url.searchParams.get("problem");
  return {
    next: safeNextPath(url.searchParams.get("next")),
    isDemo: (certType ?? "DEMO") === "DEMO",
    provider,
    hasDirectory: directory,
    refusal: problem === null ? null : isErrorCode(problem) ? problem : "internal",
  };
}

export default function LoginPage({ data: { isDemo, ...form }, page }: PageProps<LoginData>) {
  return (
    <main className="login-page min-h-screen grid grid-cols-[minmax(0,1fr)_minmax(0,1fr)]">
      <section className="login-art relative overflow-hidden bg-brand-900 text-white flex flex-col justify-between gap-4 p-6 sm:p-14">
        <FoldLines className="login-art-lines" />
        <div className="relative flex items-center gap-3">
          <Logo className="w-10 h-10" />
          <span className="text-xl font-semibold tracking-tight">{commonText.product.en}</span>
        </div>
        <div className="relative max-w-[440px]">
          <p className="text-3xl leading-snug font-semibold">
            {textIn(loginText.tagline, page.language)}
          </p>
          <p className="mt-4 text-[15px] leading-relaxed text-brand-200">
            {textIn(loginText.pitch, page.language)}
          </p>
        </div>
        {isDemo && (
          <p className="relative self-start rounded-md border border-brand-400 px-3 py-1.5 text-sm text-brand-100">
            {textIn(loginText.demoNotice, page.language)}
          </p>
        )}
      </section>
      <section className="grid place-items-center bg-white p-6 sm:p-10">
        <div className="w-full max-w-[360px]">
          <Island name="LoginForm" of={LoginForm} props={form} />
        </div>
      </section>
      <Island name="Notices" of={Notices} props={{}} />
    </main>
  );
}

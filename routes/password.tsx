import { passwordText } from "@/model/text/account/first_password.ts";
import { Logo } from "@/components/page/Logo.tsx";
import { Island } from "@/server/edge/pages/island.tsx";
import type { LoaderRequest, PageProps } from "@/server/edge/pages/page.ts";
import { safeNextPath } from "@/server/edge/session/same_site.ts";
import FirstPassword from "@/islands/FirstPassword.tsx";
import Notices from "@/islands/Notices.tsx";

export const title = passwordText.title;

export const loader = ({ url }: LoaderRequest): { next: string } => ({
  next: safeNextPath(url.searchParams.get("next")),
});

/** A user with a password made by the site must choose one first. */
export default function PasswordPage({ data: { next } }: PageProps<{ next: string }>) {
  return (
    <main className="min-h-screen grid place-items-center bg-canvas p-4 sm:p-10">
      <section className="w-full max-w-[420px] rounded-xl border border-line bg-white p-5 sm:p-8">
        <Logo className="w-9 h-9 mb-4" />
        <Island name="FirstPassword" of={FirstPassword} props={{ next }} />
      </section>
      <Island name="Notices" of={Notices} props={{}} />
    </main>
  );
}

import { pagesText } from "@/model/text/pages.ts";
import { textIn } from "@/model/text.ts";
import { MessagePage } from "@/components/page/MessagePage.tsx";
import type { PageProps } from "@/server/edge/pages/page.ts";

export const access = "public";
export const status = 403;
export const title = pagesText.forbidden;

export default function ForbiddenPage({ page }: PageProps) {
  const { language } = page;
  return (
    <MessagePage
      mark="403"
      title={textIn(pagesText.forbidden, language)}
      action={{ label: textIn(pagesText.goLogin, language), href: "/login" }}
    />
  );
}

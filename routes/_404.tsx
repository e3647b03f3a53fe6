import { pagesText } from "@/model/text/pages.ts";
import { textIn } from "@/model/text.ts";
import { MessagePage } from "@/components/page/MessagePage.tsx";
import type { PageProps } from "@/server/edge/pages/page.ts";

export const access = "public";
export const status = 404;
export const title = pagesText.notFound;

export default function NotFoundPage({ page }: PageProps) {
  const { language } = page;
  return (
    <MessagePage
      mark="404"
      title={textIn(pagesText.notFound, language)}
      action={{ label: textIn(pagesText.goHomepage, language), href: "/" }}
    />
  );
}

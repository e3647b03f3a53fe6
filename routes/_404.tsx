import { commonText } from "@/model/text/common.ts";
import { textIn } from "@/model/text.ts";
import { MessagePage } from "@/components/MessagePage.tsx";
import type { PageProps } from "@/edge/page.ts";

export const access = "public";
export const status = 404;
export const title = commonText.notFound;

export default function NotFoundPage({ page }: PageProps) {
  const { language } = page;
  return (
    <MessagePage
      mark="404"
      title={textIn(commonText.notFound, language)}
      action={{ label: textIn(commonText.goHomepage, language), href: "/" }}
    />
  );
}

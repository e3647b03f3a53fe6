import { commonText } from "@/model/text/common.ts";
import { textIn } from "@/model/text.ts";
import { MessagePage } from "@/components/MessagePage.tsx";
import type { PageProps } from "@/edge/page.ts";

export const access = "public";
export const status = 403;
export const title = commonText.forbidden;

export default function ForbiddenPage({ page }: PageProps) {
  const { language } = page;
  return (
    <MessagePage
      mark="403"
      title={textIn(commonText.forbidden, language)}
      action={{ label: textIn(commonText.goLogin, language), href: "/login" }}
    />
  );
}

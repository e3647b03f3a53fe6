import type { ErrorCode } from "@/model/errors.ts";
import { commonText } from "@/model/text/worklist/actions.ts";
import { pagesText } from "@/model/text/pages.ts";
import { textIn } from "@/model/text.ts";
import { MessagePage } from "@/components/page/MessagePage.tsx";
import type { PageProps } from "@/server/edge/pages/page.ts";

export const access = "public";
export const title = commonText.error;

/** Error page with the name and meaning of the error; the request id finds the error in the log. */
export default function ErrorPage(
  { data, page }: PageProps<{ code: ErrorCode; text: string; requestId: string }>,
) {
  const { language } = page;
  return (
    <MessagePage
      mark={data.code}
      title={textIn(pagesText.errorHappened, language)}
      text={`${data.text} (${textIn(pagesText.requestId, language)} ${data.requestId})`}
      action={{ label: textIn(commonText.goHome, language), href: "/" }}
    />
  );
}

import { textIn } from "@/model/text.ts";
import { commonText } from "@/model/text/worklist/actions.ts";
import { reportViewerText } from "@/model/text/report/report.ts";
import { MessagePage } from "@/components/page/MessagePage.tsx";
import { Island } from "@/server/edge/pages/island.tsx";
import HeaderBar from "@/islands/HeaderBar.tsx";
import Notices from "@/islands/Notices.tsx";
import type { PageProps } from "@/server/edge/pages/page.ts";

export const title = reportViewerText.title;

/** `/report` without a patient (D2 §2). */
export default function ReportIndex({ page }: PageProps) {
  return (
    <>
      <Island name="HeaderBar" of={HeaderBar} props={{ help: "report" }} />
      <MessagePage
        isInShell
        mark={textIn(reportViewerText.title, page.language)}
        title={textIn(reportViewerText.noPatient, page.language)}
        action={{ label: textIn(commonText.goHome, page.language), href: "/" }}
      />
      <Island name="Notices" of={Notices} props={{}} />
    </>
  );
}

import { MessagePage } from "@/components/page/MessagePage.tsx";
import { Island } from "@/server/edge/pages/island.tsx";
import HeaderBar from "@/islands/HeaderBar.tsx";
import Notices from "@/islands/Notices.tsx";
import type { PageProps } from "@/server/edge/pages/page.ts";
import { textIn } from "@/model/text.ts";
import { viewerText } from "@/model/text/viewer/viewer.ts";
import { viewerPageText } from "@/model/text/viewer/viewer_page.ts";

export const title = viewerText.title;

/** `/viewer` without a patient (D2 §2). */
export default function ViewerIndex({ page }: PageProps) {
  return (
    <>
      <Island name="HeaderBar" of={HeaderBar} props={{ help: "viewer" }} />
      <MessagePage
        isInShell
        mark={textIn(viewerText.title, page.language)}
        title={textIn(viewerPageText.noPatient, page.language)}
        action={{ label: textIn(viewerText.goHome, page.language), href: "/" }}
      />
      <Island name="Notices" of={Notices} props={{}} />
    </>
  );
}

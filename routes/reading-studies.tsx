import { AppError } from "@/model/errors.ts";
import { userMay } from "@/model/accounts/roles.ts";
import { readingStudyText } from "@/model/text/settings/reading_study.ts";
import { Island } from "@/server/edge/pages/island.tsx";
import type { LoaderRequest } from "@/server/edge/pages/page.ts";
import HeaderBar from "@/islands/HeaderBar.tsx";
import Notices from "@/islands/Notices.tsx";
import ReadingStudies from "@/islands/ReadingStudies.tsx";

export const title = readingStudyText.title;

/** For administrators and readers; users who may not see studies are redirected to /403. */
export function loader({ user }: LoaderRequest) {
  if (!userMay(user, "look")) {
    throw new AppError("access.forbidden", "Cannot show the page: the user may not see studies");
  }
  return Promise.resolve({});
}

export default function ReadingStudiesPage() {
  return (
    <>
      <Island name="HeaderBar" of={HeaderBar} props={{ help: "status" }} />
      <main>
        <Island name="ReadingStudies" of={ReadingStudies} props={{}} />
      </main>
      <Island name="Notices" of={Notices} props={{}} />
    </>
  );
}

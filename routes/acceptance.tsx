import { AppError } from "@/model/errors.ts";
import { userMay } from "@/model/accounts/roles.ts";
import { acceptanceText } from "@/model/text/settings/acceptance.ts";
import { Island } from "@/server/edge/pages/island.tsx";
import type { LoaderRequest } from "@/server/edge/pages/page.ts";
import Acceptance from "@/islands/Acceptance.tsx";
import HeaderBar from "@/islands/HeaderBar.tsx";
import Notices from "@/islands/Notices.tsx";

export const title = acceptanceText.title;

/** For users who may see studies, and who rate the test images; others are redirected to /403. */
export function loader({ user }: LoaderRequest) {
  if (!userMay(user, "look")) {
    throw new AppError("access.forbidden", "Cannot show the page: the user may not see studies");
  }
  return Promise.resolve({});
}

export default function AcceptancePage() {
  return (
    <>
      <Island name="HeaderBar" of={HeaderBar} props={{ help: "status" }} />
      <main>
        <Island name="Acceptance" of={Acceptance} props={{}} />
      </main>
      <Island name="Notices" of={Notices} props={{}} />
    </>
  );
}

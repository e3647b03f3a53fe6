import { AppError } from "@/model/errors.ts";
import { queryKeys } from "@/model/query_keys.ts";
import { userMay } from "@/model/accounts/roles.ts";
import { statusText } from "@/model/text/site/status.ts";
import { getSiteStatus } from "@/client/api/site/status.ts";
import { Island } from "@/server/edge/pages/island.tsx";
import type { LoaderRequest } from "@/server/edge/pages/page.ts";
import HeaderBar from "@/islands/HeaderBar.tsx";
import Notices from "@/islands/Notices.tsx";
import ServerStatus from "@/islands/ServerStatus.tsx";

export const title = statusText.title;

/**
 * For administrators and auditors; physicians see only the studies that they deleted.
 * Users without these permissions are redirected to /403.
 */
export async function loader({ api, user, queryClient }: LoaderRequest) {
  if (!userMay(user, "restore") && !userMay(user, "status")) {
    throw new AppError("access.forbidden", "Cannot show the page: nothing of it may be seen");
  }
  if (!userMay(user, "status")) return {};
  await queryClient.fetchQuery({
    queryKey: queryKeys.siteStatus,
    queryFn: () => getSiteStatus(api),
  });
  return {};
}

export default function StatusPage() {
  return (
    <>
      <Island name="HeaderBar" of={HeaderBar} props={{ help: "status" }} />
      <main>
        <Island name="ServerStatus" of={ServerStatus} props={{}} />
      </main>
      <Island name="Notices" of={Notices} props={{}} />
    </>
  );
}

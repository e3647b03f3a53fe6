import { AppError } from "@/model/errors.ts";
import { userMay } from "@/model/accounts/roles.ts";
import { readingStudyText } from "@/model/text/settings/reading_study.ts";
import { Island } from "@/server/edge/pages/island.tsx";
import type { LoaderRequest, PageProps } from "@/server/edge/pages/page.ts";
import Notices from "@/islands/Notices.tsx";
import ReadingRoom from "@/islands/ReadingRoom.tsx";

export const title = readingStudyText.title;

/** Returns only the number of the reading study; the page then requests the reader's next case. */
export function loader({ user, params }: LoaderRequest): Promise<{ id: number }> {
  if (!userMay(user, "look")) {
    throw new AppError("access.forbidden", "Cannot show the page: the user may not see studies");
  }
  if (!/^[1-9]\d{0,14}$/.test(params.id ?? "")) {
    throw new AppError("entity.not_found", "Cannot show the page: no such reading study");
  }
  return Promise.resolve({ id: Number(params.id) });
}

export default function ReadingPage({ data }: PageProps<{ id: number }>) {
  return (
    <>
      <main>
        <Island name="ReadingRoom" of={ReadingRoom} props={{ id: data.id }} />
      </main>
      <Island name="Notices" of={Notices} props={{}} />
    </>
  );
}

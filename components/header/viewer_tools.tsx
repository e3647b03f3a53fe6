// Help, tray and context sharing for the viewer's header.
// A separate chunk of code that does not delay the images.
import { Suspense, useState } from "react";
import { pictureIn } from "@/model/acceptance/picture_address.ts";
import { hasKeptWork } from "@/client/tray/kept.ts";
import { lazyPart } from "@/components/page/lazy_part.ts";
import { HelpButton } from "@/components/header/HelpButton.tsx";

const TrayMenu = lazyPart(() => import("@/components/header/tray_menu.tsx"));
const ContextStatus = lazyPart(() => import("@/components/header/context_status.tsx"));

/**
 * Buttons of the viewer's header. The tray with background tasks is shown only if the previous page
 * left running tasks: the files of these tasks are saved and listed on this page too.
 */
export default function HeaderTools({ session: { pid } }: { session: { pid: number } }) {
  const [hasTray] = useState(hasKeptWork);
  // no context sharing in an acceptance test, which prescribes the order of studies
  const [isInTest] = useState(() => pictureIn(location.search) !== null);
  return (
    <>
      <Suspense>
        {!isInTest && <ContextStatus pid={pid} page="viewer" isDark />}
        {hasTray && <TrayMenu />}
      </Suspense>
      <HelpButton of="viewer" className="border-gray-600 text-gray-200 hover:bg-gray-800" />
    </>
  );
}

// Help and tray for the viewer's header: a separate chunk that does not delay the images.
import { Suspense, useState } from "react";
import { hasKeptWork } from "@/client/tray/kept.ts";
import { lazyPart } from "@/components/page/lazy_part.ts";
import { HelpButton } from "@/components/header/HelpButton.tsx";

const TrayMenu = lazyPart(() => import("@/components/header/tray_menu.tsx"));

/**
 * The tray is shown only if the previous page left running tasks:
 * their files are saved and listed here too.
 */
export default function HeaderTools() {
  const [hasTray] = useState(hasKeptWork);
  return (
    <>
      {hasTray && (
        <Suspense>
          <TrayMenu />
        </Suspense>
      )}
      <HelpButton of="viewer" className="border-gray-600 text-gray-200 hover:bg-gray-800" />
    </>
  );
}

// Help and tray in the viewer's header: a chunk of its own, so that the images do not wait for it.
import { Suspense, useState } from "react";
import { hasKeptWork } from "@/client/tray/kept.ts";
import { lazyPart } from "@/components/page/lazy_part.ts";
import { HelpButton } from "@/components/header/HelpButton.tsx";

const TrayMenu = lazyPart(() => import("@/components/header/tray_menu.tsx"));

/**
 * The tray comes only where the page before left something going on: its files are saved and shown
 * here too.
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

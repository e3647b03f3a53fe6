import { galleryText } from "@/model/text/gallery.ts";
import { Island } from "@/server/edge/pages/island.tsx";
import HeaderBar from "@/islands/HeaderBar.tsx";
import NoticeGallery from "@/islands/NoticeGallery.tsx";
import Notices from "@/islands/Notices.tsx";

export const isDevOnly = true;
export const title = galleryText.title;

/** Every toast and modal of the product. */
export default function NoticesPage() {
  return (
    <>
      <Island name="HeaderBar" of={HeaderBar} props={{}} />
      <main>
        <Island name="NoticeGallery" of={NoticeGallery} props={{}} />
      </main>
      <Island name="Notices" of={Notices} props={{}} />
    </>
  );
}

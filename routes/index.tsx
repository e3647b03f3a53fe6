import { Island } from "@/edge/island.tsx";
import Notices from "@/islands/Notices.tsx";

export const title = { en: "Worklist", ko: "작업 목록" };

export default function WorklistPage() {
  return (
    <main>
      <h1>Worklist</h1>
      <Island name="Notices" of={Notices} props={{}} />
    </main>
  );
}

import { useEffect, useState } from "react";
import { CrashBoundary } from "@/components/message/CrashBoundary.tsx";
import { AcceptanceList } from "@/components/acceptance/AcceptanceList.tsx";
import { AcceptanceSheet } from "@/components/acceptance/AcceptanceSheet.tsx";

/** Id of an acceptance test in the page address, e.g. `#test-3`. */
const testInAddress = (): number | null =>
  Number(/^#test-(\d{1,15})$/.exec(location.hash)?.[1]) || null;

/** Acceptance tests of the scanners: the list, or the sheet of one test. */
export default function Acceptance() {
  const [id, setId] = useState<number | null>(null);
  useEffect(() => {
    const follow = () => setId(testInAddress());
    follow();
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  return (
    <CrashBoundary>
      <div className="acceptance max-w-[1000px] mx-auto px-6 py-6">
        {id === null ? <AcceptanceList /> : <AcceptanceSheet key={id} id={id} />}
      </div>
    </CrashBoundary>
  );
}

import { useEffect, useState } from "react";
import { CrashBoundary } from "@/components/message/CrashBoundary.tsx";
import { StudyDetails } from "@/components/reading_study/StudyDetails.tsx";
import { StudyList } from "@/components/reading_study/StudyList.tsx";

/** Id of a reading study in the page address, e.g. `#study-3`. */
const studyInAddress = (): number | null =>
  Number(/^#study-(\d{1,15})$/.exec(location.hash)?.[1]) || null;

/** Page of reading studies: the list, or design and results of one reading study. */
export default function ReadingStudies() {
  const [id, setId] = useState<number | null>(null);
  useEffect(() => {
    const follow = () => setId(studyInAddress());
    follow();
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  return (
    <CrashBoundary>
      <div className="max-w-[1000px] mx-auto px-6 py-6">
        {id === null ? <StudyList /> : <StudyDetails key={id} id={id} />}
      </div>
    </CrashBoundary>
  );
}

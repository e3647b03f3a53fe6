import { Island } from "@/server/edge/pages/island.tsx";
import HeaderBar from "@/islands/HeaderBar.tsx";
import KernelBench from "@/islands/KernelBench.tsx";
import Notices from "@/islands/Notices.tsx";
import { benchText } from "@/model/text/viewer/bench.ts";

export const title = benchText.title;

/**
 * Measures the image kernels in the visitor's browser, for selecting and maintaining thin clients.
 */
export default function BenchPage() {
  return (
    <>
      <Island name="HeaderBar" of={HeaderBar} props={{}} />
      <main>
        <Island name="KernelBench" of={KernelBench} props={{}} />
      </main>
      <Island name="Notices" of={Notices} props={{}} />
    </>
  );
}

import { useRef, useState } from "react";
import { useText } from "@/client/page/language.ts";
import { saveFile } from "@/client/files/save_file.ts";
import { presentToast } from "@/client/notices/present_error.ts";
import { Button } from "@/components/Button.tsx";
import { benchText } from "@/model/text/viewer/bench.ts";
import { type Machine, machineOf, MAX_FILE_BYTES, recordOf } from "@/viewer/bench/machines.ts";
import { MAX_MACHINES } from "@/viewer/bench/MachineChart.tsx";

const ownRecord = (machine: Machine) =>
  recordOf(machine, {
    userAgent: navigator.userAgent,
    cores: navigator.hardwareConcurrency,
    pixelRatio: devicePixelRatio,
  });

/**
 * Loads benchmark results that this page saved on another computer.
 * @param room Number of machines that can still be added to the comparison.
 */
export function CompareButton(
  { room, onMachines }: { room: number; onMachines: (machines: Machine[]) => void },
) {
  const text = useText(benchText),
    input = useRef<HTMLInputElement>(null),
    [problem, setProblem] = useState("");
  const read = async (files: readonly File[]) => {
    const machines: Machine[] = [], refused: string[] = [];
    for (const file of files) {
      try {
        machines.push(machineOf(file.size > MAX_FILE_BYTES ? "" : await file.text(), file.name));
      } catch {
        refused.push(file.name);
      }
    }
    const isTooMany = machines.length > room;
    setProblem(
      [
        refused.length > 0 ? text("notRead", { names: refused.join(", ") }) : "",
        isTooMany ? text("tooMany", { count: MAX_MACHINES }) : "",
      ].join(" ").trim(),
    );
    onMachines(machines.slice(0, Math.max(room, 0)));
  };
  return (
    <>
      <Button onClick={() => input.current!.click()}>{text("compare")}</Button>
      <input
        ref={input}
        type="file"
        accept=".json,application/json"
        multiple
        hidden
        onChange={({ target }) => {
          const files = [...target.files ?? []];
          // clears the field, so that the same files can be selected again
          target.value = "";
          void read(files);
        }}
      />
      {problem !== "" && <p role="alert" className="w-full text-sm text-red-700">{problem}</p>}
    </>
  );
}

/** Copies or saves the results of this computer. */
export function JsonButtons({ machine }: { machine: Machine }) {
  const json = ownRecord(machine);
  const text = useText(benchText);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(json);
      presentToast("clipboard.copied");
    } catch {
      presentToast("clipboard.failed");
    }
  };
  const download = () =>
    saveFile(new Blob([json], { type: "application/json" }), "sulcus-kernels.json");
  return (
    <>
      <Button onClick={copy}>{text("copy")}</Button>
      <Button onClick={download}>{text("download")}</Button>
    </>
  );
}

import type { DemoPatient, DemoSource } from "@/server/core/site/service/context.ts";

/** Generates the patients of server/commands/demo/demo_patients.ts, each in a separate worker. */
export const demoSource: DemoSource = {
  count: 5,
  make: (place) =>
    new Promise((resolve, reject) => {
      const worker = new Worker(new URL("./demo_worker.ts", import.meta.url), { type: "module" });
      worker.onmessage = ({ data }: MessageEvent<DemoPatient["files"]>) => {
        worker.terminate();
        resolve({ files: data });
      };
      worker.onerror = (event) => {
        event.preventDefault();
        worker.terminate();
        reject(new Error(event.message));
      };
      worker.postMessage(place);
    }),
};

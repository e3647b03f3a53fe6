/// <reference lib="webworker" />
// Generates one synthetic patient in a worker, because this takes several seconds of one core.
import { DEMO_PATIENTS, makeDemoFiles } from "@/server/commands/demo/demo_patients.ts";

self.onmessage = ({ data }: MessageEvent<number>) => {
  const files = makeDemoFiles(DEMO_PATIENTS[data]!);
  self.postMessage(files, files.map(({ bytes }) => bytes.buffer));
  self.close();
};

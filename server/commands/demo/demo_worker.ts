/// <reference lib="webworker" />
// Makes one made-up patient: seconds of one core, which the server cannot spare.
import { DEMO_PATIENTS, makeDemoFiles } from "@/server/commands/demo/demo_patients.ts";

self.onmessage = ({ data }: MessageEvent<number>) => {
  const files = makeDemoFiles(DEMO_PATIENTS[data]!);
  self.postMessage(files, files.map(({ bytes }) => bytes.buffer));
  self.close();
};

/// <reference lib="webworker" />
import type { ScanFile } from "@/client/dicom_scan/meta.ts";
import { scanFiles } from "@/client/dicom_scan/scan.ts";

/** Messages whose files are read at the same time. */
const LANES = 8;

// every message is answered, with the results of its files
const lanes: Promise<void>[] = Array.from({ length: LANES }, () => Promise.resolve());
let count = 0;
self.onmessage = ({ data }: MessageEvent<ScanFile[]>) => {
  const lane = count++ % LANES;
  lanes[lane] = lanes[lane]!.then(async () => self.postMessage(await scanFiles(data)));
};

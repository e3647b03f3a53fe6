/// <reference lib="webworker" />
import type { ScanFile } from "@/client/dicom_scan/meta.ts";
import { scanFiles } from "@/client/dicom_scan/scan.ts";

// every message is answered, in turn, with the results of its files
let last: Promise<void> = Promise.resolve();
self.onmessage = ({ data }: MessageEvent<ScanFile[]>) => {
  last = last.then(async () => self.postMessage(await scanFiles(data)));
};

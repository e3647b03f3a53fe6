/// <reference lib="webworker" />
import type { ScanFile } from "@/client/dicom_scan/meta.ts";
import { scanFile } from "@/client/dicom_scan/scan.ts";

// posts one response for each file, by which the page limits the number of concurrent reads
self.onmessage = async ({ data }: MessageEvent<ScanFile>) => self.postMessage(await scanFile(data));

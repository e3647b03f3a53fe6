/// <reference lib="webworker" />
import type { ScanFile } from "@/client/dicom_scan/meta.ts";
import { scanFile } from "@/client/dicom_scan/scan.ts";

// every file is answered; how many are read at the same time is for the page to say
self.onmessage = async ({ data }: MessageEvent<ScanFile>) => self.postMessage(await scanFile(data));

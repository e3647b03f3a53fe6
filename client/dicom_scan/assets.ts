/**
 * Address of the worker that reads DICOM tags. The build replaces this file by the hashed address
 * (tools/pages/viewer_assets.ts); on the server, which never starts the worker, it stays empty.
 */
export const SCAN_WORKER_URL: string = "";

/**
 * Address of the worker that reads DICOM tags. The build inserts the hashed address
 * (tools/pages/viewer_assets.ts). Empty on the server, which never starts the worker.
 */
export const SCAN_WORKER_URL: string = "";

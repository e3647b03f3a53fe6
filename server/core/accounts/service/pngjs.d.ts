declare module "pngjs" {
  /** What is used of pngjs 7; it has no types of its own. */
  export const PNG: {
    sync: { read(bytes: Uint8Array): { width: number; height: number; data: Uint8Array } };
  };
}

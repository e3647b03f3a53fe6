/**
 * Real MR images for tests, outside the repository: beside the work tree, or in SULCUS_SCANS.
 * Without the images, tests that need them are ignored, as the names of these tests say.
 */
export const SCANS: string | undefined = (() => {
  const wanted = Deno.env.get("SULCUS_SCANS");
  const places = wanted
    ? [wanted]
    : [new URL("../../../../../shared/data/scans", import.meta.url).pathname];
  return places.find((place) => {
    try {
      return Deno.statSync(place).isDirectory;
    } catch {
      return false;
    }
  });
})();

/** Options of a test that reads real MR images. */
export const withScans = (claim: string) => ({
  name: SCANS ? claim : `${claim} (skipped: no real scans; set SULCUS_SCANS)`,
  ignore: SCANS === undefined,
});

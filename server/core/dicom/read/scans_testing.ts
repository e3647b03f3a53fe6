/**
 * Real scans for tests, outside the repository: in a folder next to the work tree, or in
 * SULCUS_SCANS.
 * Tests that need them are otherwise ignored and mention this in their names.
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

/** Options of a test that reads real scans. */
export const withScans = (claim: string) => ({
  name: SCANS ? claim : `${claim} (skipped: no real scans; set SULCUS_SCANS)`,
  ignore: SCANS === undefined,
});

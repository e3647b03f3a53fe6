// A site with studies of healthy volunteers, all but one marked as controls, for proposing norms.
import { addQuickUser } from "@/tests/sites/sign_in/quick_user.ts";
import { openBeside } from "@/tests/sites/core_site.ts";
import { addReported } from "@/tests/sites/reported_studies.ts";

/** A second administrator, because norms need two. */
export const SECOND = {
  email: "chief@hospital.test",
  password: "correct-horse-8",
  name: "Dr. Chief",
};
const COUNT = 21, NO_CONTROL = 7;

/** Fills the data folder of a core before its first start. Study P-7 is not yet a control. */
export async function addControls(
  dataDir: string,
  first: { email: string; password: string },
): Promise<void> {
  await addReported(dataDir, COUNT, 12);
  const db = await openBeside(dataDir), marked_at = "2026-01-06T00:00:00Z";
  for (let pid = 1; pid <= COUNT; pid++) {
    if (pid === NO_CONTROL) continue;
    await db.insertInto("controls").values({ pid, marked_at, marked_by: null }).execute();
  }
  for (const user of [{ ...first, name: null }, SECOND]) {
    await addQuickUser(db, { ...user, role: "administrator" });
  }
  await db.destroy();
}

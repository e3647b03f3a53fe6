import { openBeside } from "@/tests/sites/core_site.ts";
import type { GroupSettings } from "@/core/services/settings/settings.ts";

/** Writes group settings into the data folder of a running core, which reads them at every upload and analysis. */
export async function setGroup(dataDir: string, settings: Partial<GroupSettings>): Promise<void> {
  const db = await openBeside(dataDir);
  try {
    for (const [key, value] of Object.entries(settings)) {
      await db.insertInto("settings").values({ scope: "group", key, value: JSON.stringify(value) })
        .onConflict((conflict) =>
          conflict.columns(["scope", "key"]).doUpdateSet({ value: JSON.stringify(value) })
        )
        .execute();
    }
  } finally {
    await db.destroy();
  }
}

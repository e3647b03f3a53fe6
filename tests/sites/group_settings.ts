import { openSite } from "@/server/core/mod.ts";
import type { Database } from "@/server/core/database/database.ts";
import { openBeside } from "@/tests/sites/core_site.ts";
import type { GroupSettings } from "@/server/core/settings/service/settings.ts";

async function write(db: Database, settings: Partial<GroupSettings>): Promise<void> {
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

/** Stores group settings in a running core's data folder; it reads them for each analysis. */
export const setGroup = async (dataDir: string, settings: Partial<GroupSettings>): Promise<void> =>
  write(await openBeside(dataDir), settings);

/** Settings without networks, which do not know the folds of phantoms and take a minute. */
export const NO_NETWORKS = { second_opinion: false, deep_structures: false };

/** Stores group settings before the first start of a site. */
export const setGroupBefore = async (
  site: { dataDir: string; databaseUrl?: string | null },
  settings: Partial<GroupSettings>,
): Promise<void> => write(await openSite(site), settings);

import { EXAMPLE_TEXTS } from "@/model/norms/imported/cells.ts";
import { exampleTable } from "@/model/norms/imported/plotted.ts";

export const NORMS_SOURCE = "Made-up cohort 2026";

/** The example file of the import with descriptions of its own, which the import demands. */
export const filledExample = (): string =>
  exampleTable().replace(EXAMPLE_TEXTS.source, NORMS_SOURCE)
    .replace(EXAMPLE_TEXTS.licence, "Made up for tests");

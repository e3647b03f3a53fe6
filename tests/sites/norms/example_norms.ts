import { EXAMPLE_TEXTS } from "@/model/norms/imported/cells.ts";
import { exampleTable } from "@/model/norms/imported/plotted.ts";

export const NORMS_SOURCE = "Made-up cohort 2026";

/** The example file of the norms import, with the descriptions that the import requires. */
export const filledExample = (): string =>
  exampleTable().replace(EXAMPLE_TEXTS.source, NORMS_SOURCE)
    .replace(EXAMPLE_TEXTS.licence, "Made up for tests");

import type { Block, SheetBody } from "@/report/sheets/sheet.ts";
import { percentileDigits } from "@/model/norms/rank_format.ts";
import type { PercentileRank } from "@/model/schema/report/percentile_rank.ts";
import { type Language, LANGUAGES, textIn } from "@/model/text.ts";
import { rankText } from "@/model/text/ranks.ts";

/** Whether a rank is printed only as an interval, and not as a single number such as "<1st". */
const isAlone = ({ has_bands, doubt, low, high }: PercentileRank): boolean =>
  !has_bands && doubt !== "region" && percentileDigits(low) !== percentileDigits(high);

/**
 * Footnote with the reason for values without a percentile; empty if all ranks have one.
 * Not for uncertain borders, for which another text asks to check the segmentation.
 */
export const withheldNote = (
  ranks: readonly (PercentileRank | null)[],
  language: Language,
): Block[] =>
  ranks.some((rank) => rank !== null && isAlone(rank))
    ? [{ kind: "small", text: textIn(rankText.withheld, language) }]
    : [];

const NOTES: readonly string[] = LANGUAGES.map((language) => rankText.withheld[language]);

/** Keeps the footnote once on a sheet that contains several report pages. */
export function withOneNote(body: SheetBody): SheetBody {
  let isPrinted = false;
  const once = (blocks: readonly Block[]): Block[] =>
    blocks.flatMap((block): Block[] => {
      if (block.kind === "split") {
        return [{ ...block, left: once(block.left), right: once(block.right) }];
      }
      if (block.kind !== "small" || !NOTES.includes(block.text)) return [block];
      const isFirst = !isPrinted;
      isPrinted = true;
      return isFirst ? [block] : [];
    });
  return { ...body, blocks: once(body.blocks) };
}

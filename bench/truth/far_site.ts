import { mean } from "@/bench/engine/score.ts";
import { bySite, type Group, siteOf } from "@/bench/truth/evidence.ts";

/** Spreads from the mean of the other sites beyond which a site is far from them. */
const FAR = 4;
/** Sites of which three agree before the fourth can be far from them. */
const MIN_SITES = 4;

/** A site far from all others, and the distance from their mean that would just not be far. */
interface FarSite {
  site: string;
  limit: number;
}

/**
 * Finds a single outlier among the sites, by their mean error; `null` with none or several. An outlier
 * is left out of the bias that the other sites share, and of the decision whether to correct for it;
 * the spread between sites includes its distance, up to `limit`.
 *
 * @param usual Spreads between sites and among heads, ln: the distance is measured in these and in the
 *   others' own spread.
 */
export function farSite(
  groups: readonly Group[],
  usual: { between: number; random: number },
): FarSite | null {
  const sites = bySite(groups.filter(({ errors }) => errors.length > 0)).map((own) => ({
    site: siteOf(own[0]!),
    error: mean(own.map(({ errors }) => mean(errors))),
  }));
  if (sites.length < MIN_SITES) return null;
  const far = sites.flatMap(({ site, error }): FarSite[] => {
    const others = sites.filter((other) => other.site !== site).map((other) => other.error);
    const centre = mean(others);
    const own = others.reduce((sum, e) => sum + (e - centre) ** 2, 0) / (others.length - 1);
    const limit = FAR * Math.hypot(usual.between, usual.random, Math.sqrt(own));
    return Math.abs(error - centre) > limit ? [{ site, limit }] : [];
  });
  return far.length === 1 ? far[0]! : null;
}

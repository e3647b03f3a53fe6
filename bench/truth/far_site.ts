import { mean } from "@/bench/engine/score.ts";
import { bySite, type Group, siteOf } from "@/bench/truth/evidence.ts";

/** Distance from the mean of the other sites, in SDs, beyond which a site is an outlier. */
const FAR = 4;
/** Minimum number of sites: an outlier among fewer than four cannot be identified. */
const MIN_SITES = 4;

/** A site that is an outlier, and the largest distance from the others' mean that is none. */
interface FarSite {
  site: string;
  limit: number;
}

/**
 * Finds a single outlier among the sites, by their mean error; `null` with none or several. An outlier
 * is left out of the bias that the other sites share, and of the decision whether to correct for it;
 * the spread between sites includes its distance, up to `limit`.
 *
 * @param usual Prior SDs between sites and between heads, ln: distances are measured in units of
 *   these combined with the observed SD of the other sites.
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

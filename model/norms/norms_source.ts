/** Citation of the published norms, printed on every page with a figure from the norms. */
export const NORMS_CITATION =
  "Potvin O, Dieumegarde L, Duchesne S. NOMIS: Quantifying morphometric deviations from normality over the " +
  "lifetime of the adult human brain. bioRxiv 2021.01.25.428063";
export const NORMS_NAME = "NOMIS (FreeSurfer 6)";

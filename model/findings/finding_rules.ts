/**
 * Name of the rules by which findings are made: first digits of the SHA-256 of the findings of
 * generated studies (`tests/page_one/finding_rules_test.ts`).
 * A stored finding made by other rules is computed again before it is shown.
 */
export const FINDING_RULES = "103b698f1d8bd825";

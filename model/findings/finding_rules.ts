/**
 * Names the rules by which findings are made: part of the SHA-256 of the findings of generated
 * studies (`tests/page_one/finding_rules_test.ts`). A stored finding with another name is computed
 * again before it is shown.
 */
export const FINDING_RULES = "880fe4112fde3aea";

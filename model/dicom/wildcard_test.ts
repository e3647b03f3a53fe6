import assert from "node:assert/strict";
import { matchesWildcard } from "@/model/dicom/wildcard.ts";

/** The slow twin: tries every length of every star. */
const matchesSlowly = (pattern: string, value: string): boolean => {
  if (pattern === "") return value === "";
  const rest = pattern.slice(1);
  if (pattern[0] === "*") {
    return Array.from({ length: value.length + 1 }, (_, taken) => value.slice(taken))
      .some((left) => matchesSlowly(rest, left));
  }
  return value !== "" && (pattern[0] === "?" || pattern[0] === value[0]) &&
    matchesSlowly(rest, value.slice(1));
};

/** Every text of these characters, of at most so many. */
function textsOf(characters: string, most: number): string[] {
  if (most === 0) return [""];
  const shorter = textsOf(characters, most - 1);
  return [
    ...new Set([
      ...shorter,
      ...shorter.flatMap((text) => [...characters].map((one) => text + one)),
    ]),
  ];
}

Deno.test("matchesWildcard() says what trying every length says", () => {
  const values = textsOf("ab", 5);
  for (const pattern of textsOf("ab*?", 4)) {
    for (const value of values) {
      assert.equal(
        matchesWildcard(pattern, value),
        matchesSlowly(pattern, value),
        `${pattern} on ${value}`,
      );
    }
  }
});

Deno.test("matchesWildcard() takes no character for more than itself, and ends whatever it is asked", () => {
  for (
    const [pattern, value, isMatch] of [
      ["kim^*", "KIM^Haneul", true],
      ["A.C", "ABC", false],
      ["[A]", "[a]", true],
      ["김?늘", "김하늘", true],
      ["a*", "a\nb", true],
      // an expression with forty stars would try them for years
      ["*a".repeat(40) + "b", "a".repeat(64), false],
      ["*a".repeat(4000) + "b", "a".repeat(10_000), false],
    ] as const
  ) assert.equal(matchesWildcard(pattern, value), isMatch, pattern.slice(0, 20));
});

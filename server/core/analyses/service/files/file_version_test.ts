import assert from "node:assert/strict";
import { fileVersion, matchVersion } from "./file_version.ts";

const BLOB = "0123456789abcdef".repeat(4), MARK = "89abcdef", OTHER_MARK = "fedcba98";
const original = { hash: BLOB, isCorrected: false };
const corrected = { hash: fileVersion(BLOB, MARK), isCorrected: true };

Deno.test("matchVersion() knows the content of an uncorrected file by any of its digits", () => {
  assert.equal(matchVersion(fileVersion(BLOB, ""), original), "exact");
  assert.equal(matchVersion(BLOB, original), "exact");
  assert.equal(matchVersion(BLOB.slice(0, 15), original), "other");
  assert.equal(matchVersion("", original), "other");
});

Deno.test("matchVersion() tells the states of a map's corrections apart", () => {
  assert.equal(matchVersion(fileVersion(BLOB, MARK), corrected), "exact");
  // the page was loaded before the first correction
  assert.equal(matchVersion(fileVersion(BLOB, ""), corrected), "current");
  assert.equal(matchVersion(fileVersion(BLOB, OTHER_MARK), corrected), "older");
  assert.equal(matchVersion(fileVersion(BLOB, OTHER_MARK), original), "older");
});

Deno.test("matchVersion() refuses another analysis, and versions that no address has", () => {
  const another = "f".repeat(64);
  assert.equal(matchVersion(fileVersion(another, ""), original), "other");
  assert.equal(matchVersion(fileVersion(another, MARK), corrected), "other");
  assert.equal(matchVersion(fileVersion(BLOB, "0123456z"), corrected), "other");
  assert.equal(matchVersion(fileVersion(BLOB, "0123"), corrected), "other");
});

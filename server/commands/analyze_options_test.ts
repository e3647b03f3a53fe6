import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { parse, unusedOption } from "@/server/commands/analyze.ts";
import { parseVisits, unusedOption as unusedOfVisits } from "@/server/commands/analyze_visits.ts";

const UID = "1.2.3", OTHER = "1.2.4";

/** Runs a check in a folder that contains two folders, "a" and "b", and a file "x.nii". */
async function inFolder(check: (path: (name: string) => string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "sulcus-options-" });
  try {
    for (const name of ["a", "b"]) await Deno.mkdir(`${folder}/${name}`);
    await Deno.writeTextFile(`${folder}/x.nii`, "");
    await check((name) => `${folder}/${name}`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("analyze refuses each option that the others leave without effect, and no other", () =>
  inFolder(async (path) => {
    const [a, b, file] = [path("a"), path("b"), path("x.nii")];
    const refused: [RegExp, string[]][] = [
      [/^--t2-series needs --t2/, [a, "--series", UID, "--t2-series", OTHER]],
      [/^--series needs a first argument/, ["--t2", b, "--series", UID]],
      [/^--series .*x\.nii is a file/, [file, "--series", UID]],
      [/^--t2-series .*x\.nii is a file/, [a, "--t2", file, "--t2-series", OTHER]],
      [/^--age needs a T1-weighted series/, ["--t2", b, "--age", "40", "--sex", "female"]],
      [/^--sex needs a T1-weighted series/, ["--t2", b, "--sex", "female"]],
    ];
    for (const [sentence, args] of refused) {
      assert.match(await unusedOption(parse([...args, "--out", "o"])!) ?? "", sentence);
    }
    for (
      const args of [
        [a],
        [file, "--t2", file, "--age", "40", "--sex", "male"],
        [a, "--series", UID, "--t2", a, "--t2-series", OTHER],
        [file, "--t2", b, "--t2-series", OTHER],
        ["--t2", b, "--t2-series", OTHER],
        [path("absent"), "--series", UID],
      ]
    ) assert.equal(await unusedOption(parse([...args, "--out", "o"])!), null, args.join(" "));
  }));

Deno.test("longitudinal refuses the series of a visit that is a file, and takes an empty one", () =>
  inFolder(async (path) => {
    const visits = [path("a"), path("x.nii"), path("b")];
    const unused = (uids: string) =>
      unusedOfVisits(parseVisits([...visits, "--out", "o", "--series", uids])!);
    assert.match(await unused(`${UID},${UID},${OTHER}`) ?? "", /^--series .*x\.nii is a file/);
    assert.equal(await unused(`${UID},,${OTHER}`), null);
    assert.equal(parseVisits([...visits, "--out", "o", "--series", ",,"]), null, "no UID");
  }));

Deno.test("the commands end with 2 and a sentence for an option without effect or given twice", () =>
  inFolder(async (path) => {
    const [a, file] = [path("a"), path("x.nii")], out = ["--out", path("o")];
    for (
      const [script, sentence, args] of [
        ["analyze.ts", /^--t2-series needs --t2.*\.$/, [a, "--t2-series", UID]],
        ["analyze.ts", /^--series is given more than once\.$/, [
          ...[a, "--series", UID],
          ...["--series", OTHER],
        ]],
        ["analyze_visits.ts", /^--series names a series of a folder/, [
          ...[a, file],
          ...["--series", `${UID},${OTHER}`],
        ]],
      ] as const
    ) {
      const command = fileURLToPath(new URL(`./${script}`, import.meta.url));
      const { code, stderr } = await new Deno.Command(Deno.execPath(), {
        args: ["run", "-A", "--no-check", command, ...args, ...out],
      }).output();
      assert.equal(code, 2, args.join(" "));
      assert.match(new TextDecoder().decode(stderr).trim(), sentence);
    }
  }));

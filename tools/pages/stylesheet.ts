import { stringify, twind, virtual } from "@twind/core";
import presetTailwind from "@twind/preset-tailwind";
import { filesUnder, PAGE_FOLDERS } from "@/tools/pages/source_files.ts";

/** Folders whose string literals name classes. */
const CLASS_SOURCES = [...PAGE_FOLDERS, "report", "edge", "client"];
const STRING = /(["'`])((?:(?!\1)[^\\]|\\.)*)\1/gs;
const CLASS_NAME = /^[-!@a-z][-!a-z0-9:/.[\]()#%_@'"*+,&>~=]*$/;

/** Colours of the product: a calm blue-green for actions, the warm ones for states that need a look. */
const theme = {
  extend: {
    colors: {
      brand: {
        50: "#eef6f8",
        100: "#d6e9ee",
        200: "#b0d4de",
        300: "#7db7c7",
        400: "#4394aa",
        500: "#23778f",
        600: "#176279",
        700: "#154f62",
        800: "#164252",
        900: "#143745",
        950: "#0a2029",
      },
      ink: { DEFAULT: "#1b2a33", soft: "#4a5c67", faint: "#586a75" },
      line: { DEFAULT: "#dde5ea", strong: "#b9c7cf" },
      canvas: "#f4f7f9",
    },
    fontFamily: {
      sans: [
        "Pretendard",
        "Inter",
        "Segoe UI",
        "Noto Sans",
        "Noto Sans KR",
        "Noto Sans CJK KR",
        "Apple SD Gothic Neo",
        "Malgun Gothic",
        "Sulcus Korean",
        "system-ui",
        "sans-serif",
      ],
    },
    boxShadow: {
      card: "0 1px 2px rgba(20,55,69,.06), 0 4px 16px rgba(20,55,69,.06)",
      dialog: "0 8px 24px rgba(20,55,69,.16), 0 24px 64px rgba(20,55,69,.16)",
    },
  },
};

/**
 * The one stylesheet: the hand-written files of `static/css/` and the utility classes found in the sources.
 *
 * @param root Repository root, absolute, without a slash at the end.
 */
export async function buildStylesheet(root: string): Promise<string> {
  const sheet = virtual();
  const tw = twind({ presets: [presetTailwind()], hash: false, theme }, sheet);
  for (const folder of CLASS_SOURCES) {
    for await (const file of filesUnder(`${root}/${folder}`)) {
      if (!/\.tsx?$/.test(file) || /_test\.tsx?$/.test(file)) continue;
      for (const match of (await Deno.readTextFile(file)).matchAll(STRING)) {
        // strings inside a template literal come with their quotation marks
        for (const word of match[2]!.split(/[\s"'`]+/)) if (CLASS_NAME.test(word)) tw(word);
      }
    }
  }
  const written: string[] = [];
  for (const file of (await Array.fromAsync(filesUnder(`${root}/static/css`))).sort()) {
    written.push(await Deno.readTextFile(file));
  }
  return stringify(sheet.target) + "\n" + written.join("\n");
}

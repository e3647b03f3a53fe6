import { stringify, twind, virtual } from "@twind/core";
import presetTailwind from "@twind/preset-tailwind";
import { colour, themeRules } from "@/tools/pages/colours.ts";
import { filesUnder, PAGE_FOLDERS } from "@/tools/pages/source_files.ts";

/** Folders of which the string literals contain class names. */
const CLASS_SOURCES = [...PAGE_FOLDERS, "report", "edge", "client"];
const STRING = /(["'`])((?:(?!\1)[^\\]|\\.)*)\1/gs;
const CLASS_NAME = /^[-!@a-z][-!a-z0-9:/.[\]()#%_@'"*+,&>~=]*$/;

/**
 * Brand colours that are equal on light and dark pages:
 * backgrounds of white text, and colours on dark backgrounds.
 */
const BRAND = {
  300: "#7db7c7",
  400: "#4394aa",
  700: "#154f62",
  800: "#164252",
  900: "#143745",
  950: "#0a2029",
};
const theme = {
  extend: {
    colors: {
      brand: {
        ...BRAND,
        50: colour("brand-50"),
        100: colour("brand-100"),
        200: colour("brand-200"),
        500: colour("brand-500"),
        600: colour("brand-600"),
      },
      ink: { DEFAULT: colour("ink"), soft: colour("ink-soft"), faint: colour("ink-faint") },
      line: { DEFAULT: colour("line"), strong: colour("line-strong") },
      canvas: colour("canvas"),
    },
    backgroundColor: {
      white: colour("paper"),
      brand: { 600: "#176279" },
      red: { 50: colour("red-50") },
      amber: { 50: colour("amber-50") },
      emerald: { 50: colour("emerald-50") },
    },
    textColor: {
      brand: {
        100: "#d6e9ee",
        200: "#b0d4de",
        600: colour("text-brand-600"),
        700: colour("text-brand-700"),
        800: colour("text-brand-800"),
      },
      red: { 700: colour("text-red-700") },
      amber: {
        700: colour("text-amber-700"),
        800: colour("text-amber-800"),
        900: colour("text-amber-900"),
      },
      emerald: { 700: colour("text-emerald-700"), 800: colour("text-emerald-800") },
    },
    borderColor: {
      red: { 600: colour("border-red-600"), 700: colour("border-red-700") },
      amber: { 300: colour("border-amber-300"), 600: colour("border-amber-600") },
    },
    fontFamily: {
      sans: [
        "Pretendard",
        "Inter",
        "Segoe UI",
        "Noto Sans",
        // before fonts of East Asia, which have Latin letters but not all letters with marks
        "Sulcus Latin",
        "Noto Sans KR",
        "Noto Sans CJK KR",
        "Apple SD Gothic Neo",
        "Malgun Gothic",
        "Sulcus Korean",
        "system-ui",
        "Sulcus Scripts",
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
 * The only stylesheet: hand-written files of `static/css/`
 * and the utility classes found in the sources.
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
        // removes the quotation marks of string literals inside a template literal
        for (const word of match[2]!.split(/[\s"'`]+/)) if (CLASS_NAME.test(word)) tw(word);
      }
    }
  }
  const written: string[] = [];
  for (const file of (await Array.fromAsync(filesUnder(`${root}/static/css`))).sort()) {
    written.push(await Deno.readTextFile(file));
  }
  return [themeRules(), stringify(sheet.target), ...written].join("\n");
}

// Names in every script that DICOM allows, on a computer whose fonts may lack the script.
import assert from "node:assert/strict";
import { browserTest, launchBrowser, signInStarts, startSite } from "@/tests/e2e/site.ts";

/** Text in each script; letters with marks are one character each. */
const NAMES: Record<string, string> = {
  Latin: "Żółć Łukasz İbrahim Ngữ",
  Greek: "Παπαδόπουλος",
  Cyrillic: "Йосипенко",
  Thai: "สมชาย ใจดี",
  Arabic: "محمد",
  Hebrew: "שלום",
  Devanagari: "अनिल कुमार",
  Armenian: "Արամ",
  Bengali: "অনিল",
  Ethiopic: "አበበ",
  Georgian: "გიორგი",
  Gujarati: "અનિલ",
  Gurmukhi: "ਅਨਿਲ",
  Kannada: "ಅನಿಲ್",
  Khmer: "សុខា",
  Lao: "ສົມຊາຍ",
  Malayalam: "അനിൽ",
  Myanmar: "အောင်",
  Oriya: "ଅନିଲ",
  Sinhala: "අනිල්",
  Tamil: "அனில்",
  Telugu: "అనిల్",
  Kana: "ヤマダ たろう",
  Han: "张东髙﨑",
  Hangul: "김하늘",
};

browserTest("names of every script have letters of a font that has the script", async () => {
  const site = await startSite(), browser = await launchBrowser();
  try {
    const page = await (await browser.newContext({ baseURL: site.url })).newPage();
    await page.goto("/login");
    await signInStarts(page);
    await page.evaluate((names) => {
      for (const [id, name] of Object.entries(names)) {
        const line = Object.assign(document.createElement("p"), { id, textContent: name });
        line.className = "font-sans";
        document.body.append(line);
      }
    }, NAMES);
    await page.evaluate(() => document.fonts.ready);
    const session = await page.context().newCDPSession(page);
    await session.send("DOM.enable");
    await session.send("CSS.enable");
    const { root } = await session.send("DOM.getDocument");
    for (const [script, name] of Object.entries(NAMES)) {
      const { nodeId } = await session.send("DOM.querySelector", {
        nodeId: root.nodeId,
        selector: `#${script}`,
      });
      const { fonts } = await session.send("CSS.getPlatformFontsForNode", { nodeId });
      const used = fonts.map((font) => `${font.familyName} ${font.glyphCount}`).join(", ");
      // a letter that the first font decomposes would have one glyph more than characters
      if (["Latin", "Greek", "Cyrillic"].includes(script)) {
        const glyphs = fonts.reduce((sum, font) => sum + font.glyphCount, 0);
        assert.equal(glyphs, name.length, `${script}: ${used}`);
      }
      const boxes = await page.evaluate(async ([id, text]) => {
        // a letter without glyph is as wide as a character that Unicode has not assigned
        const font = getComputedStyle(document.getElementById(id!)!).font;
        await document.fonts.load(font, text);
        const context = document.createElement("canvas").getContext("2d")!;
        context.font = font;
        const draw = (letter: string) => {
          context.canvas.width = 40;
          context.font = font;
          context.fillText(letter, 4, 30);
          return context.canvas.toDataURL();
        };
        const box = draw("\u{0378}");
        return [...text!].filter((letter) => draw(letter) === box);
      }, [script, name]);
      assert.deepEqual(boxes, [], `${script}: ${used}`);
    }
  } finally {
    await browser.close();
    await site.stop();
  }
});

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { brotliDecompressSync } from "node:zlib";
import { fontFileOf } from "@/report/pdf/text/pdf_fonts.ts";

/** SHA-256 of the font files in the packages named in ../fonts/README.md. */
const PUBLISHED = {
  "NotoSans-Bold.ttf": "13a813c49624ae3ba3c5c6e72c5ebffc4b9e1e6ea32f421c04069b037c6ad431",
  "NotoSans-Regular.ttf": "fe8c022f48d8dd29f17b744d16f9346f4357e16f7d4f7be58b000ae7c291b614",
  "NotoSansArabic-Bold.ttf": "a86a704ff8b315082f4859b04c2f8f746f4cefb14553ef10505f143e0d4829d3",
  "NotoSansArabic-Regular.ttf": "252629ca0e87b6233851249b8cbf7b43445211a8caf199f1b306a19202251508",
  "NotoSansArmenian-Bold.ttf": "a0f398d0205f0b96d6637ac66d92e6e42b230f8ed3853a050d0aa5792eb9b7f7",
  "NotoSansArmenian-Regular.ttf":
    "9636c32c121f4fc1fc6963dfad60ea32c41889507118a46f83a818eacf40348e",
  "NotoSansBengali-Bold.ttf": "22c9ff99baca4d31c531ce450a1369beed889467e1ad964f4b8a6f810aa46955",
  "NotoSansBengali-Regular.ttf": "9bb35b3547829ecc42041b6017e87fd4c5f1da1edcd00f59171777050f346018",
  "NotoSansDevanagari-Bold.ttf": "67f1ec9e2ac30b261090e32953b2df0adf6c942ab26ac47efb490fa7315bddab",
  "NotoSansDevanagari-Regular.ttf":
    "084a94d89eb54aafb93a056e15425c34fd859f6342875165d304837b3bcfc2d2",
  "NotoSansEthiopic-Bold.ttf": "cc16f0c43be76a2ecb5f6d08de4fe6705886b9be90251bfb5959a90955be7f1d",
  "NotoSansEthiopic-Regular.ttf":
    "58bc43b062961b38ee45757d2e74e6a991a12011aa0399fb03004ac432e5c852",
  "NotoSansGeorgian-Bold.ttf": "2cee22513f5c94b5577fe1a91df94836dc9825ac78e5b3a9f3c49d1f038a5f11",
  "NotoSansGeorgian-Regular.ttf":
    "ba75f2154fef9beac8439f94c631dc37ef9c708d32f9254bb019afdfa9aa3138",
  "NotoSansGujarati-Bold.ttf": "db2b642c28b021da8cb0f3463bf41376549c850aa718ca863ec3ff5d5df0f2f7",
  "NotoSansGujarati-Regular.ttf":
    "4468a3a24516831874fb4a867b760a22257944584e478d32a97e3c4d4bfc6400",
  "NotoSansGurmukhi-Bold.ttf": "ded9c1f56a7ed0b835cfef5dd642f26cfc0f41a16fbc08008d376ddcc91d606e",
  "NotoSansGurmukhi-Regular.ttf":
    "1db960ff6f506a98f5b3ece78f54618388c6187e7edf8ceee5ab63389c0db3ab",
  "NotoSansHebrew-Bold.ttf": "8010b087f33f152e25aef020e68cb5568d6f8deebb6dde8f60d655196e59ebde",
  "NotoSansHebrew-Regular.ttf": "e0ee753f09733337b9236221018d4bf71fd6d06c87dd76bbc83120514bc55911",
  "NotoSansJP-Bold.ttf": "c5b7b9d6a6eb682b0d4e6bbb38509575fd2759a28f147daa74714d1359a7909e",
  "NotoSansJP-Regular.ttf": "d930d5d52d15231c283089760f84584272ad5e37e14607ba0d19c798e7a9caec",
  "NotoSansKR-Bold.ttf": "4ffa20c272ae6d689f7c8d34ff9c8039a326e9c334d9fc8852b2a7396227d077",
  "NotoSansKR-Regular.ttf": "8cbc9b353bb9ce848fd69bb6a507319dfacc659cf5fd643db5d88f3c4970e1dd",
  "NotoSansKannada-Bold.ttf": "fcb9918669a24e33b1464b33eeac24e9a0f54a50393dfdaeb1e596cfcf2dac47",
  "NotoSansKannada-Regular.ttf": "892b841b0b87ca3c2702bdc78d3031c8220f53e8f5f496ec5e37ccf0ca03ddf7",
  "NotoSansKhmer-Bold.ttf": "cc74e7ac685da9a84e18b773ec8d80d06765aa1754bb14acc390c3620023c4dc",
  "NotoSansKhmer-Regular.ttf": "bc9a5e2afcee249849e409aabe6e22330c479b878ea3e59bf5e7c84482d7ee53",
  "NotoSansLao-Bold.ttf": "b87a8592f1cdd8b15e1e827967afd45a8c5ffc1123773bc4bd023fe1ccecd321",
  "NotoSansLao-Regular.ttf": "6c3de7db369e85cba20255d161eeeb3d934ea3c4c51e2574c2ddcce79a25025c",
  "NotoSansMalayalam-Bold.ttf": "abe54dff7c6539899f1208672ae4235207b3e6b8d49594e9ff02d972d5975a81",
  "NotoSansMalayalam-Regular.ttf":
    "5433f4a642b4325aa169a55c4c6b8d1c4a45c4e08bcd9cbe72888229709a8f2d",
  "NotoSansMyanmar-Bold.ttf": "e37e2ef189431020b1eaf4fb8d43252666dc24265d628145fff119613afea174",
  "NotoSansMyanmar-Regular.ttf": "3fe9a4babc12081adc979e0313433e6ec85bb3ad069681c23ee8d8ea8b91332b",
  "NotoSansOriya-Bold.ttf": "d563e031a325aa1d5fa7975a7fed3f34409b3ef10036f75d275653e7e4bad5c2",
  "NotoSansOriya-Regular.ttf": "20751837a8cac9d0e610ffdf91c43d3391e2b267ca2cad07f6e3866798436369",
  "NotoSansSC-Bold.ttf": "9a38ae0ab28cd5a256f9ea8e00dedc688aac17f7915fcb000572990afa956b96",
  "NotoSansSC-Regular.ttf": "d45f67f0a7c0ca3f256950777ce6a61cc7ce5f9696d02900cbbaac25f8aa7d16",
  "NotoSansSinhala-Bold.ttf": "9ac3c2da2562fd3ce449e600a9954a3c5dad982145c85159449fe1c31f648a6e",
  "NotoSansSinhala-Regular.ttf": "31f83eec724a27779d1434afc84beabee239c0ff77dc8d04bee9f49c60b23fdd",
  "NotoSansTamil-Bold.ttf": "7ef7071ba2fad67dcae397dc7f5bfd4dbce69d86cdc453c2cc4abe640df0b442",
  "NotoSansTamil-Regular.ttf": "a7bb7f92f165479af2f0556c4fd669b74c5959f464f603e18389b532f4d07a71",
  "NotoSansTelugu-Bold.ttf": "34e3a81c02ea8474f00b1046cbb183461648fd253a56475140d6b025db828b5b",
  "NotoSansTelugu-Regular.ttf": "cb3165071121b1e80c55a041d0c1f79b3bbc68e4b0eab37b0d881958dfc3ed7a",
  "NotoSansThai-Bold.ttf": "0be544f347b3ab6382bdc2b555a783727a4858a3dc140670406924670967d916",
  "NotoSansThai-Regular.ttf": "9acb585d8662ca4ed1b1cf5889dfa1393f8555103b3986e1ea1e3af4faef70bd",
};

Deno.test("every face is the published file, byte for byte, and there is no other", async () => {
  const folder = new URL("../fonts/", import.meta.url);
  const names = [...Deno.readDirSync(folder)].map(({ name }) => name).filter((name) =>
    name.endsWith(".br")
  );
  assert.deepEqual(names.sort(), Object.keys(PUBLISHED).map((name) => `${name}.br`).sort());
  for (const [name, hash] of Object.entries(PUBLISHED)) {
    const packed = await Deno.readFile(new URL(`${name}.br`, folder));
    assert.equal(
      createHash("sha256").update(brotliDecompressSync(packed)).digest("hex"),
      hash,
      name,
    );
  }
});

const range = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, n) => first + n);

Deno.test("both faces have every Hangul syllable, the letters of Korean and Latin names, and the signs of the pages", () => {
  const wanted = [
    ...range(0x20, 0x7e),
    ...range(0xa0, 0xff),
    ...range(0x3131, 0x318e),
    ...range(0xac00, 0xd7a3),
    ..."–—‘’“”…·×±≤≥−→←↑↓√²³μ".split("").map((sign) => sign.codePointAt(0)!),
  ];
  for (const bold of [false, true]) {
    const has = new Set(fontFileOf("Noto Sans KR", bold).characterSet);
    assert.deepEqual(
      wanted.filter((code) => !has.has(code)).map((code) => String.fromCodePoint(code)),
      [],
    );
  }
});

// covers: D1-3.2, S-129
import assert from "node:assert/strict";
import { namesContrastAgent } from "@/server/core/dicom/choice/contrast_agent.ts";

Deno.test("namesContrastAgent() knows the words of many languages, as words", () => {
  const given = [
    ...[
      "SAG T1 3D INJ",
      "T1 3D inj",
      "ax t1 mdc",
      "t1_mprage_sag_KM",
      "T1 MPRAGE nKM",
      "t1 nach km",
      "mKM",
    ],
    ...[
      "T1 con contraste",
      "T1 com contraste",
      "T1 GADO",
      "t1 gado tra",
      "T1 Gd",
      "T1+GD",
      "造影T1",
      "T1 조영증강",
    ],
    ...[
      "3D T1 +C",
      "T1+ c",
      "T1 C+",
      "t1_post",
      "Ax T1 POST",
      "T1 post GD",
      "T1 post contrast",
      "T1 CE",
      "T1_CE",
    ],
    ...[
      "CE-T1 MPRAGE",
      "t1_mprage_post",
      "T1 CONTRAST",
      "T1 AX FS injecté",
      "T1 gadolinium",
      "T1增强",
    ],
    ...["T1 v2 +C", "T1 no FS +C"],
    ...["POSTCONTRAST T1", "T1 3D POSTGAD", "T1ce", "t1wce sag", "T1 Vueway", "T1 Elucirem"],
    ...["T1 po kontraście", "T1 с контрастом", "T1 после КУ", "T1 Gd(+)", "T1 KM+", "T1 KM - tra"],
  ];
  assert.deepEqual(given.filter((name) => !namesContrastAgent(name)), []);
  const notGiven = [
    ...[
      "T1 MPRAGE",
      "post processed T1",
      "post-processed",
      "T1 posterior",
      "T1 post op",
      "T1 postop",
      "POST FOSSA T1",
    ],
    ...[
      "T1 reference",
      "spaCE",
      "SPACE T1",
      "T1 ce matin",
      "T1 injury",
      "Major T1",
      "project",
      "T1 pre contrast",
    ],
    ...[
      "T1 non contrast",
      "T1 without contrast",
      "T1 w/o contrast",
      "T1 ohne KM",
      "T1 oKM",
      "T1 sans inj",
      "T1 vKM",
    ],
    ...[
      "T1 sin contraste",
      "T1 senza mdc",
      "T1 avant injection",
      "T1 조영 전",
      "비조영 T1",
      "造影前 T1",
      "T1 nativ",
    ],
    ...["T1 zonder contrast", "T1 utan kontrast", "T1 uten kontrast", "T1 uden kontrast"],
    ...["T1 kontrastsız", "T1 без контраста", "T1 до контраста", "T1 Gd(-)", "T1 CE (-)", "T1 KM-"],
    ...["PRECONTRAST T1", "T1 кубик"],
    ...["T1 MPRAGE C", "T1 pre gado", "T1 no gd", "CERVICAL T1", "T1 sagittal BRAVO", "T1 vor KM"],
  ];
  assert.deepEqual(notGiven.filter(namesContrastAgent), []);
});

Deno.test("namesContrastAgent() takes 'pre' for a statement only if it means an injection, and a name of both for contrast", () => {
  const given = [
    ...["T1 MPRAGE +C PRE OP", "Stealth T1 +C pre op", "T1 3D GD pre-surgical", "T1 GAD preop"],
    ...["T1 +C pre RT", "T1 GD pre radiotherapy", "T1 CE pre-treatment", "T1 KM pre biopsy"],
    ...["T1 平扫+增强", "T1 単純+造影", "T1 造影前後", "T1 조영 전후", "T1 조영증강 전/후"],
    ...["T1 avec et sans inj", "T1 sans et avec inj", "T1 mit und ohne KM", "T1 W/WO CONTRAST"],
    ...["T1 with and without Gd", "T1 con e sin contraste", "T1 pre & post GD", "T1 pre/post KM"],
    ...["T1 s/c e c/c", "T1 sin contraste y con contraste", "T1 nativ + KM", "до/после КУ T1"],
    ...["ＧＤ T1", "Ｔ１ ＣＥ", "Ｔ１＋Ｃ", "T1 GdDTPA", "T1 Gd-DTPA", "T1 GdDOTA", "T1 GdBOPTA"],
    ...["T1 POSTCON", "T1 post-con", "T1 postcontr", "T1 ce+", "T1 +ce", "T1 c/c", "T1 w/c"],
    ...["T1 с/у", "T1 с усилением", "T1 con civ", "T1 CIV"],
    ...["T1w_ce", "t1_ce_tra", "T1 ce", "T1 POS", "T1 PÓS", "T1 pós-gado", "T1 pós contraste"],
    ...[
      "T1 CE後",
      "T1 증강",
      "T1 ガドリニウム",
      "T1 ガドビスト",
      "T1 IVKM",
      "T1 i.v. KM",
      "T1 iv KM",
    ],
    ...["T1 +К", "T1 с КВ", "T1 после КВ", "T1 +CON", "T1 W/ CON", "T1 W CON", "T1 +contr"],
    ...["T1 DOTA", "T1 artirem", "T1 primovist", "T1 GBCA", "T1C", "T1c sag", "T1 Enh", "T1 +IV"],
    ...["T1 IV+", "T1 με σκιαγραφικό", "T1 עם חומר ניגוד", "T1 بعد الصبغة", "T1 post 5 min"],
    ...["T1 post-op +C", "T1 post COVID GD", "T1 6 months post op KM"],
  ];
  assert.deepEqual(given.filter((name) => !namesContrastAgent(name)), []);
  const notGiven = [
    ...["T1 pre op", "T1 pre-surgical", "T1 pre RT", "T1 preop", "T1 pre and post op", "T1 PRE"],
    ...["T1 pre GD", "T1 pre-injection", "T1 precontrast gd", "T1 pre Gd-DTPA", "T1 PRECON"],
    ...["T1 pre Gd post op", "T1 without contrast (Gd)", "T1 non contrast enhanced"],
    ...["T1 avant injection de gado", "T1 before contrast", "T1 avec et sans FS", "T1 con FS"],
    ...["T1 KM- nativ", "T1 vor KM nativ", "Ｔ１ ｐｒｅ ＧＤ", "Ｔ１ ＳＰＡＣＥ", "T1 造影なし"],
    ...["T1 조영증강 전", "T1 造影剤なし", "T1 平扫", "T1 単純", "T1 増強前"],
    ...["T1 s/c", "T1 s/ contraste", "T1 sin civ", "T1 б/у", "T1 без усиления", "T1 w/o C"],
    ...["T1 mit FS ohne KM", "T1 w FS w/o contrast", "T1 control", "T1 postcentral", "civil T1"],
    ...["T1 precentral", "T1 prescan norm", "T1 c/s", "T1 mac/cor", "T1 AC/PC", "T1 SENSE+"],
    ...["T1 w/out contrast", "T1 w/out Gd", "sag T1 kontrastfrei", "T1 contrast-free", "T1 KM -"],
    ...[
      "T1 zero contrast",
      "T1 kein KM",
      "T1 keine KM",
      "T1 contrast none",
      "T1 CE前",
      "T1 증강 전",
    ],
    ...["MPRAGE high contrast", "T1 grey-white contrast", "T1 gray white contrast"],
    ...["T1 Contrast optimized", "T1 tissue contrast", "T1 без КВ", "T1 до КВ", "T1 IR 3 cm"],
    ...["T1 POST FU", "T1 post 6 months", "T1 Post TBI", "T1 post COVID", "T1 post transplant"],
    ...["T1 post shunt", "T1 post ECT", "T1 post tx", "T1 post natal", "T1 post mortem"],
    ...["T1 post training", "T1 post 3 wks", "T1 post injury", "T1 POSITION", "T1 pos. 2"],
    ...["T1 χωρίς σκιαγραφικό", "T1 ללא חומר ניגוד", "T1 بدون صبغة", "T1 COR", "T1 CONTROL"],
  ];
  assert.deepEqual(notGiven.filter(namesContrastAgent), []);
});

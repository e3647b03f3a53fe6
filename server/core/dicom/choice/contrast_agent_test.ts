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

// covers: S-120
import assert from "node:assert/strict";
import { ANY_ROUTING_RULE, type RoutingRule } from "@/model/schema/connections/connections.ts";
import { ruleOf } from "@/server/core/connections/service/inbox/routing.ts";

const SERIES = {
  sender: "MR_ROOM_2",
  modality: "MR",
  station: "Ingenia-3T",
  description: "sT1W_3D_TFE",
  bodyPart: "HEAD",
  age: 42,
};

Deno.test("ruleOf() takes the first rule whose every field is in the series, whatever the case", () => {
  const isMet = (rule: Partial<RoutingRule>) =>
    ruleOf([{ ...ANY_ROUTING_RULE, ...rule }], SERIES) === 0;
  const met: Partial<RoutingRule>[] = [
    {},
    { sender: "room_2" },
    { modality: "mr" },
    { station: "ingenia" },
    { description: " t1w " },
    { body_part: "head" },
    { age_from: 42, age_to: 42 },
  ];
  for (const rule of met) assert.ok(isMet(rule), JSON.stringify(rule));
  const unmet: Partial<RoutingRule>[] = [
    { sender: "CT" },
    { modality: "CT" },
    { station: "Skyra" },
    { description: "FLAIR" },
    { body_part: "KNEE" },
    { age_from: 43 },
    { age_to: 41 },
    { modality: "MR", station: "Skyra" },
  ];
  for (const rule of unmet) assert.ok(!isMet(rule), JSON.stringify(rule));
  const rules = [
    { ...ANY_ROUTING_RULE, modality: "CT" },
    { ...ANY_ROUTING_RULE, station: "3T" },
    ANY_ROUTING_RULE,
  ];
  assert.deepEqual([
    ruleOf(rules, SERIES),
    ruleOf(rules, { ...SERIES, station: "" }),
    ruleOf([], SERIES),
  ], [
    1,
    2,
    null,
  ]);
});

Deno.test("ruleOf() lets nobody of unknown age meet a rule of ages", () => {
  assert.equal(ruleOf([{ ...ANY_ROUTING_RULE, age_from: 0 }], { ...SERIES, age: null }), null);
});

// covers: S-107
import assert from "node:assert/strict";
import { isQuantity } from "@/server/core/dicom/choice/units.ts";

const QUANTITIES = [
  ...[
    "ms",
    "msec",
    "millisecond",
    "s",
    "sec",
    "Seconds",
    "us^-1",
    "1/s",
    "1/ms",
    "s-1",
    "/s",
    "s^-1",
  ],
  ...["Hz", "kHz", "rad", "radians", "deg", "degree", "degrees", "rad/s"],
  ...["ppm", "ppb", "[ppm]", "%", "percent", "PCT"],
  ...["mm2/s", "mm^2/s", "mm²/s", "10^-6 mm2/s", "10*-6.mm2/s", "um2/ms", "µm²/ms", "mm2.s-1"],
  ...["cm/s", "mm/s", "m/s", "ml/100g/min", "mL/min", "mmol/L", "kPa", "uT"],
];
const ARBITRARY = [
  ...["", "US", "us", "1", "{ratio}", "ratio", "no units", "none", "unitless", "normalized"],
  ...["arbitrary", "arb. units", "a.u.", "au", "[arb'U]", "intensity", "signal", "counts", "MGML"],
  ...["unknown", "T1", "T1W", "MR", "PD"],
];

Deno.test("isQuantity() tells units of measured quantities from arbitrary ones", () => {
  for (const unit of QUANTITIES) {
    for (const text of [unit, ` ${unit} `]) assert.equal(isQuantity(text), true, text);
  }
  for (const unit of ARBITRARY) assert.equal(isQuantity(unit), false, unit);
});

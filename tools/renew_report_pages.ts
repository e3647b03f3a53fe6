// deno run -A tools/renew_report_pages.ts [NAME …]: redraws the reference pictures of reports, all
// or the named ones. Review each changed picture before the commit.
import { GOLDEN_CASES } from "@/tests/golden/report_cases.ts";
import { drawPages, encodePages, goldenUrl } from "@/tests/golden/report_pages.ts";

for (const each of GOLDEN_CASES) {
  if (Deno.args.length > 0 && !Deno.args.includes(each.name)) continue;
  const png = encodePages(await drawPages(each));
  await Deno.writeFile(goldenUrl(each.name), png);
  Deno.stdout.writeSync(new TextEncoder().encode(`${each.name}: ${png.length} bytes\n`));
}

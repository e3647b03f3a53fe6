// Over 400 lines: its steps share one site and one open viewer, whose start costs more than most of them.
// covers: D1-8.22, D2-2.10, D2-4.8
// The tabs of the viewer page in a browser: files, pictures, texts and errors (D2 §2–5, §9).
import assert from "node:assert/strict";
import type { Page } from "@playwright/test";
import type { Patient } from "@/model/schema/studies/patients.ts";
import { errorText } from "@/model/text/errors.ts";
import { modalText } from "@/model/text/modals.ts";
import { toastText } from "@/model/text/toasts.ts";
import { viewerText } from "@/model/text/viewer/viewer.ts";
import { browserTest, launchBrowser } from "@/tests/e2e/site.ts";
import { until } from "@/tests/sites/until.ts";
import {
  centreColour,
  openViewer,
  tooltipAtCrosshair,
  viewerIsLoaded,
} from "@/tests/viewer/viewer_picture.ts";
import {
  enter,
  LESIONS,
  serveViewer,
  settingsOf,
  thicknessOf,
} from "@/tests/viewer/viewer_site.ts";
import { DEEP, jet, LESION_COLOURS, PERIVENTRICULAR } from "@/viewer/colours.ts";

const LEFT_PRECENTRAL = 53;

interface Settled {
  sliceViewer: { division: { value: number }; priority: { value: ReadonlySet<string> } };
}

const openTab = async (page: Page, name: string) => {
  await page.getByRole("tab", { name }).click();
  await viewerIsLoaded(page);
};
const places = (page: Page) =>
  page.evaluate(() =>
    ["axial", "coronal", "sagittal", "surface"].map((name) => {
      const { width, height } =
        document.querySelector(`[data-testid=${name}-view]`)?.getBoundingClientRect() ??
          { width: 0, height: 0 };
      return Math.round(width * height / 1000);
    })
  );

browserTest("the viewer's tabs: their files, masks, thresholds, tooltips and panes", async (t) => {
  const site = await serveViewer(), { origin } = site;
  const browser = await launchBrowser();
  const context = await browser.newContext({ viewport: { width: 1280, height: 910 } });
  context.setDefaultTimeout(60_000);
  await context.addInitScript(() => {
    document.addEventListener("viewer-loaded", (event) => {
      ((globalThis as unknown as { loads: string[] }).loads ??= []).push(
        (event as CustomEvent).detail.plane,
      );
    });
  });
  /** Closes the page's socket; the page reconnects. */
  let loseConnection = () => Promise.resolve();
  await context.routeWebSocket(/\/api\/v1\/ws/, (socket) => {
    socket.connectToServer();
    loseConnection = () => socket.close({ code: 1012 });
  });
  /** Closes the socket, repeatedly if it was not open yet, until the page shows the result. */
  const loseConnectionUntil = (shown: () => Promise<unknown>) =>
    until(async () => {
      await loseConnection();
      return await shown().then(() => true, () => false);
    });
  const page = await context.newPage(), asked: string[] = [], said: string[] = [];
  page.on("request", (request) => {
    const { pathname, searchParams } = new URL(request.url()), file = searchParams.get("file");
    // requests of the page before may be reported late
    const isOwn = pathname.split("/").at(-1) === new URL(page.url()).pathname.split("/").at(-1);
    if (file && isOwn) asked.push(file);
  });
  page.on("pageerror", (error) => said.push(String(error)));
  const filesAsked = () => [...new Set(asked.splice(0))].sort();
  /** Waits for these files only; requests of workers are reported with a delay. */
  const asksFor = async (...files: string[]) => {
    await until(() => files.every((file) => asked.includes(file)));
    assert.deepEqual(filesAsked(), files);
  };
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  const setSlider = (name: string, value: number) => page.getByLabel(name).fill(String(value));
  /** Indices of an overlay's visible values. */
  const shown = (name: string) =>
    page.evaluate(
      `[...sliceViewer.${name}.value.keys()].filter((v) => sliceViewer.${name}.value[v])`,
    ) as Promise<
      number[]
    >;
  try {
    await enter(page, origin);
    await openViewer(page, origin, 1);

    // covers: D2-2.3, D2-4.3
    await t.step(
      "Parcellation loads its two files and counts as loaded after three panes",
      async () => {
        await asksFor("t1w_file", "t1w_mask_file");
        assert.deepEqual((await page.evaluate("loads") as string[]).sort(), [
          "axial",
          "coronal",
          "sagittal",
        ]);
      },
    );

    // covers: D2-2.11, D2-9.2
    await t.step("the threshold shows what lies at or below it, by the mask type", async () => {
      await button("Mask").click();
      const left = await shown("shownRegions");
      assert.ok(left.includes(19) && !left.includes(20), "left 12, right 30");
      assert.match(await page.getByTestId("icv-volume").innerText(), /ICV 1400\.00\smL/);
      await until(() => page.evaluate('sliceViewer.outline.value === "shown"') as Promise<boolean>);
      await asksFor("icv_mask_file");
      await page.getByLabel("Mask type").selectOption("region");
      assert.equal(await page.evaluate("sliceViewer.outline.value"), "hidden");
      assert.equal(await page.getByTestId("icv-volume").count(), 0);
      const right = await shown("shownRegions");
      assert.ok(right.includes(20) && !right.includes(19), "left 21, right 3");
      assert.equal(await page.getByTestId("shown-count").innerText(), `${right.length} of 104`);
      await setSlider("Percentile threshold", 2);
      assert.ok(!(await shown("shownRegions")).includes(20));
      await setSlider("Percentile threshold", 20);
      await button("All regions").click();
      assert.equal((await shown("shownRegions")).length, 104);
      assert.ok(await page.getByLabel("Percentile threshold").isDisabled());
    });

    // covers: D2-2.5, D2-2.7, D2-2.8
    await t.step(
      "division 3 and zoom: small panes swap with the large one, others fill the viewer",
      async () => {
        const quarters = await places(page);
        assert.ok(Math.max(...quarters) - Math.min(...quarters) <= 2, `${quarters}`);
        for (
          const name of [
            viewerText.stacked.en,
            viewerText.sideBySide.en,
          ]
        ) {
          await button(name).click();
          const [axial, coronal, sagittal, surface] = await places(page);
          assert.ok(axial! > 1.9 * coronal! && coronal! >= 100 && sagittal! >= 100, name);
          assert.equal(surface, 0);
        }
        await page.getByTestId("coronal-view").dblclick();
        const [axial, coronal] = await places(page);
        assert.ok(coronal! > 1.9 * axial!, "swapped");
        await page.getByTestId("coronal-view").dblclick();
        assert.deepEqual((await places(page)).map((area) => area > 0), [
          false,
          true,
          false,
          false,
        ]);
        await page.keyboard.press("Escape");
        await page.getByTestId("axial-view").dblclick();
        await button("Four views").click();
        assert.deepEqual(await places(page), quarters);
      },
    );

    await t.step("a pointer that rests is told what a correction made of a volume", async () => {
      const take = (results: string) =>
        page.evaluate(
          `sliceViewer.takeResults({ ...sliceViewer.patient, t1_result: ${results} })`,
        );
      const tooltip = page.getByTestId("axial-view").getByRole("tooltip");
      const before = await tooltipAtCrosshair(page, "axial");
      await page.evaluate("measured = sliceViewer.patient.t1_result");
      await take(
        "measured.map((row) => ({ ...row, volume_left: 7.77, volume_right: 7.77, volume_total: 7.77 }))",
      );
      assert.match((await tooltip.textContent())!, /7\.77\smL/);
      await take("measured");
      assert.equal(await tooltip.textContent(), before);
    });

    await t.step(
      "what somebody corrects elsewhere is seen, also without the panel of corrections",
      async () => {
        const row = page.getByRole("treeitem", { name: /^Hippocampus/ }).first();
        assert.doesNotMatch(await row.innerText(), /7\.77/);
        const measured = await page.evaluate(
          "sliceViewer.patient.t1_result",
        ) as Patient["t1_result"];
        site.records.set(1, {
          t1_result: measured!.map((one) => ({
            ...one,
            volume_left: 7.77,
            volume_right: 7.77,
            volume_total: 15.54,
          })),
        });
        site.publish({ event: "study_reading", pid: 1, uid: 2 });
        await page.getByRole("treeitem", { name: /^Left hippocampus, 7\.77\smL/ }).waitFor();
        site.records.clear();
        site.publish({ event: "study_reading", pid: 1, uid: 2 });
        await page.getByRole("treeitem", { name: /^Left hippocampus, 7\.77\smL/ }).waitFor({
          state: "detached",
        });
      },
    );

    // covers: S-43
    await t.step(
      "H goes to the same region on the other side, in the closed side panel too",
      async () => {
        await page.getByTestId("axial-view").focus();
        await page.evaluate("sliceViewer.goTo(19)");
        await page.keyboard.press("]");
        await page.getByLabel("Search regions").waitFor({ state: "hidden" });
        for (const label of [20, 19]) {
          await page.keyboard.press("h");
          assert.deepEqual(
            await page.evaluate("[sliceViewer.selected.value, sliceViewer.labelAtCrosshair]"),
            [label, label],
          );
        }
        await page.keyboard.press("[");
      },
    );

    // covers: D2-2.3, D2-2.12, D2-5.3
    await t.step(
      "Cortical Thickness loads the rest, and draws mm in the fixed colours",
      async () => {
        filesAsked();
        await openTab(page, "Cortical Thickness");
        await until(() => asked.includes("thick_mask_file"));
        await button("Mask").click();
        await page.evaluate(`sliceViewer.goTo(${LEFT_PRECENTRAL})`);
        const mm = thicknessOf(LEFT_PRECENTRAL), value = Math.round(mm * 51);
        assert.deepEqual((await centreColour(page, "axial")).colour, [...jet(value / 255)]);
        assert.match(
          await tooltipAtCrosshair(page, "axial"),
          new RegExp(`^Left precentral\n${mm.toFixed(2)}\\smm$`),
        );
        await setSlider("Minimum thickness", 3.4);
        assert.equal(await page.locator("output", { hasText: "3.40\u00a0mm" }).count(), 1);
        assert.ok(!(await shown("shownThickness")).includes(value));
        const { colour } = await centreColour(page, "axial");
        assert.ok(new Set(colour).size === 1, `grey, not ${colour}`);
        await setSlider("Minimum thickness", 0);
        assert.equal(await page.getByTestId("colour-bar").count(), 1);
      },
    );

    // covers: D2-2.3, D2-2.6, D2-2.13, S-45
    await t.step(
      "WMH loads the FLAIR, shows deep and periventricular apart, and alone",
      async () => {
        await page.evaluate("loads.length = 0");
        filesAsked();
        await openTab(page, "WMH");
        await asksFor("t2w_file", "t2w_mask_file");
        assert.ok((await page.evaluate("loads.length") as number) >= 1);
        const at = (kind: number) =>
          page.evaluate(
            `sliceViewer.goToMm(${
              JSON.stringify(LESIONS.find(({ value }) => value === kind)!.centreRasMm)
            })`,
          );
        const colourOf = async (kind: number) => {
          await at(kind);
          return (await centreColour(page, "axial")).colour;
        };
        const isGrey = (colour: number[]) => new Set(colour).size === 1;
        assert.ok(
          isGrey(await colourOf(DEEP)) && isGrey(await colourOf(PERIVENTRICULAR)),
          "hidden at first",
        );
        await button("Deep").click();
        assert.ok(isGrey(await colourOf(PERIVENTRICULAR)));
        assert.deepEqual(await colourOf(DEEP), [...LESION_COLOURS[DEEP]]);
        assert.match(await tooltipAtCrosshair(page, "axial"), /^Deep lesion/);
        await button("Periventricular").click();
        assert.deepEqual(await colourOf(PERIVENTRICULAR), [...LESION_COLOURS[PERIVENTRICULAR]]);
        await button("WMH only").click();
        assert.deepEqual((await places(page)).map((area) => area > 0), [
          true,
          false,
          false,
          false,
        ]);
        assert.equal(
          await page.getByRole("button", { name: /Enlarge this view/ }).count(),
          0,
          "nothing to enlarge",
        );
        // the keys N and P step through the lesions by size, in this layout too
        await page.getByTestId("axial-view").focus();
        const seen: unknown[] = [];
        for (const key of ["n", "n", "n", "n", "p"]) {
          await page.keyboard.press(key);
          seen.push(
            await page.evaluate("[...sliceViewer.scene.crosshairMm].map(Math.round).join()"),
          );
          assert.ok(
            await page.evaluate("sliceViewer.valueAt('lesions', sliceViewer.voxelAtCrosshair)"),
            key,
          );
        }
        assert.equal(new Set(seen).size, LESIONS.length);
        assert.ok(seen[0] === seen[3] && seen[2] === seen[4]);
        await button("WMH only").click();
      },
    );

    await t.step("a tab that is there already opens without asking the server", async () => {
      filesAsked();
      for (const name of ["Parcellation", "WMH", "Cortical Thickness", "Parcellation"]) {
        await openTab(page, name);
      }
      assert.deepEqual(filesAsked(), []);
      assert.deepEqual(said, []);
    });

    await t.step("presenters change without a reload", async () => {
      const before = (await centreColour(page, "axial")).colour;
      for (const kind of ["canvas", "regl"]) {
        await page.evaluate(`sliceViewer.setPresenter("${kind}")`);
        assert.equal(await page.evaluate("sliceViewer.presenter.value.kind"), kind);
        assert.deepEqual((await centreColour(page, "axial")).colour, before);
      }
      await page.evaluate("sliceViewer.setPresenter(null)");
    });

    // covers: D1-2.2, D1-4.16, D2-2.8, S-50
    await t.step(
      "settings that are changed elsewhere take effect: layout, and what comes first",
      async () => {
        const firstRow = () =>
          page.getByTestId("region-list").getByRole("treeitem").nth(1).innerText();
        const before = await firstRow();
        site.settings.stored = settingsOf({ division: 3, brain_part_list: ["Hippocampus"] });
        site.publish({ event: "setting_update", scope: "individual", uid: 2 });
        site.publish({ event: "setting_update", scope: "individual", uid: 1 });
        await page.waitForFunction(() =>
          (globalThis as unknown as Settled).sliceViewer.division.value === 3
        );
        await until(async () => /Hippocampus/.test(await firstRow()));
        assert.doesNotMatch(before, /Hippocampus/);
        // the layout chosen here stays, because the setting of the layout did not change
        await button("Four views").click();
        site.settings.stored = settingsOf({ division: 3, brain_part_list: [] });
        site.publish({ event: "setting_update", scope: "individual", uid: 1 });
        await page.waitForFunction(() =>
          (globalThis as unknown as Settled).sliceViewer.priority.value.size === 0
        );
        assert.equal(await page.evaluate("sliceViewer.division.value"), 4);
        // changing the anonymity reloads the page; its address keeps the view
        site.settings.stored = settingsOf({ anonymize: true });
        site.publish({ event: "setting_update", scope: "individual", uid: 1 });
        await page.getByTestId("patient-name").filter({ hasText: "Anonymous" }).waitFor();
        await viewerIsLoaded(page);
        site.settings.stored = null;
      },
    );

    await t.step(
      "what was said while the connection was lost is found out when it is back",
      async () => {
        await openViewer(page, origin, 1);
        const alert = page.getByRole("alertdialog"), timeout = 6000;
        site.settings.stored = settingsOf({ division: 3 });
        await loseConnectionUntil(() =>
          page.waitForFunction(
            () => (globalThis as unknown as Settled).sliceViewer.division.value === 3,
            null,
            { timeout },
          )
        );
        assert.equal(await alert.count(), 0, "the record is as it was");
        site.settings.stored = null;
        site.records.set(1, { patient_age: 71 });
        await loseConnectionUntil(() => alert.waitFor({ timeout }));
        assert.match(await alert.innerText(), /patient information was updated/);
        await openViewer(page, origin, 4);
        site.records.set(4, null);
        await loseConnectionUntil(() => alert.waitFor({ timeout }));
        assert.match(await alert.innerText(), /deleted/);
        site.records.clear();
        await openViewer(page, origin, 1);
      },
    );

    // covers: D1-8.9, D2-2.15, S-38
    await t.step(
      "modals lead home with a full load, but never the user who acted",
      async () => {
        const modal = page.getByRole("alertdialog").or(page.getByRole("dialog"));
        const setting = { event: "setting_update", scope: "individual", uid: 1 } as const;
        for (
          const [event, text] of [
            ["study_update", modalText["study.updated"].text],
            ["study_delete", errorText["study.deleted"]],
          ] as const
        ) {
          site.settings.stored = settingsOf({ division: 3 });
          await openViewer(page, origin, 1);
          await page.evaluate("globalThis.isPageBefore = true");
          // the changed setting takes effect, which shows that the page has handled the earlier
          // events
          site.settings.stored = settingsOf({ division: 4 });
          await until(async () => {
            site.publish({ event, pid: 1, uid: 1 });
            site.publish({ event, pid: 4, uid: 2 });
            site.publish(setting);
            return await page.evaluate("sliceViewer.division.value") === 4;
          });
          assert.equal(await modal.count(), 0, "the own act, and another study's");
          site.publish({ event, pid: 1, uid: 2 });
          await modal.waitFor();
          assert.ok((await modal.innerText()).includes(text.en), await modal.innerText());
          await modal.getByRole("button").click();
          await page.waitForURL(`${origin}/`);
          assert.equal(await page.evaluate("globalThis.isPageBefore"), undefined, "a new page");
        }
        site.settings.stored = null;
      },
    );

    // covers: D2-4.8, S-38
    await t.step(
      "the report's modals lead home as well, and find out what was missed",
      async () => {
        const open = async () => {
          await page.goto(`${origin}/report/4`);
          await page.getByRole("switch").waitFor();
        };
        const alert = page.getByRole("alertdialog");
        // a correction changes results, so the report is requested again
        await open();
        const again = page.waitForResponse((answer) => /patients\/4\/report\?/.test(answer.url()));
        await until(async () => {
          site.publish({ event: "study_reading", pid: 4, uid: 1 });
          return await Promise.race([
            again.then(() => true),
            new Promise((done) => setTimeout(done, 500, false)),
          ]);
        });
        for (
          const [event, words] of [["study_update", "was updated"], [
            "study_delete",
            "deleted",
          ]] as const
        ) {
          await open();
          // repeated until the page's socket is open
          await until(async () => {
            site.publish({ event, pid: 4, uid: 1 });
            site.publish({ event, pid: 4, uid: 2 });
            return await alert.count() > 0;
          });
          assert.ok((await alert.innerText()).includes(words));
          await alert.getByRole("button").click();
          await page.waitForURL(`${origin}/`);
        }
        await open();
        site.records.set(4, null);
        await loseConnectionUntil(() => alert.waitFor({ timeout: 6000 }));
        assert.match(await alert.innerText(), /deleted/);
        site.records.clear();
      },
    );

    await t.step(
      "without norms the threshold is off and says why; without a FLAIR series WMH is closed",
      async () => {
        await openViewer(page, origin, 4);
        await button("Mask").click();
        assert.equal((await shown("shownRegions")).length, 104);
        assert.ok(await button(viewerText.atOrBelow.en).isDisabled());
        assert.match(
          await page.getByTestId("overlay-controls").innerText(),
          new RegExp(viewerText.noNormAge.en),
        );
        const wmh = page.getByRole("tab", { name: "WMH" });
        assert.equal(await wmh.getAttribute("title"), viewerText.noFlair.en);
        await wmh.click({ force: true });
        assert.equal(await page.evaluate("sliceViewer.type.value"), "parcellation");
      },
    );

    await t.step("a FLAIR-only study opens on WMH", async () => {
      // requests of the page before are not counted
      await page.goto("about:blank");
      filesAsked();
      await openViewer(page, origin, 5);
      await asksFor("t2w_file", "t2w_mask_file");
      assert.equal(await page.evaluate("sliceViewer.type.value"), "wmh");
      const title = await page.getByRole("tab", { name: "Parcellation" }).getAttribute("title");
      assert.equal(title, viewerText.noT1.en);
      assert.ok((await places(page))[0]! > 100);
    });

    // covers: D2-2.14
    await t.step("a tab that is left while it loads does not hold up the next one", async () => {
      const left = Promise.withResolvers<void>();
      await page.route(/[?&]file=/, async (route) => {
        await left.promise;
        await route.continue().catch(() => {});
      });
      await page.goto(`${origin}/viewer/1?testing`);
      await page.waitForFunction(() => "sliceViewer" in globalThis);
      for (const name of ["WMH", "Cortical Thickness", "WMH"]) {
        await page.getByRole("tab", { name }).click();
      }
      await page.getByRole("progressbar", { name: "Loading images" }).waitFor();
      left.resolve();
      await viewerIsLoaded(page);
      assert.equal(await page.evaluate("sliceViewer.type.value"), "wmh");
      assert.ok(await page.evaluate("sliceViewer.composer.volume('lesions').includes(1)"));
      await page.unroute(/[?&]file=/);
    });

    // covers: D2-2.14
    await t.step("a failed load says so in a toast, and can be tried again", async () => {
      await page.route(/file=t1w_file/, (route) => route.abort());
      await page.goto(`${origin}/viewer/1?testing`);
      await page.getByText(toastText["viewer.failed"].text.en, { exact: true }).waitFor();
      const panel = page.getByRole("alert").filter({ hasText: "could not be loaded" });
      assert.match(await panel.innerText(), /The server cannot be reached/);
      await page.unroute(/file=t1w_file/);
      // Enter presses the button that has the focus
      await page.keyboard.press("Enter");
      await viewerIsLoaded(page);
      await panel.waitFor({ state: "detached" });
      const body = JSON.stringify({ code: "entity.not_found" });
      await page.route(/file=t2w_file/, (route) => route.fulfill({ status: 404, body }));
      await page.getByRole("tab", { name: "WMH" }).click();
      await panel.filter({ hasText: "analyzed again since this page was opened" }).waitFor();
      await openTab(page, "Parcellation");
      assert.equal(await panel.count(), 0, "the other tabs go on");
    });
  } finally {
    await browser.close();
    await site.close();
  }
});

// covers: S-255
import assert from "node:assert/strict";
import { renderToStaticMarkup } from "react-dom/server";
import { AnswerForm } from "@/components/reading_study/AnswerForm.tsx";
import { readingStudyText } from "@/model/text/settings/reading_study.ts";

Deno.test("a reading takes no answer before its images are shown, and says why", () => {
  const html = (isReady: boolean) =>
    renderToStaticMarkup(
      <AnswerForm
        task={{
          title: "Hippocampus",
          question: "Atrophy?",
          scale: "five",
          asks_decision: true,
          asks_region: true,
          done: 0,
          total: 2,
          reading: null,
        }}
        isReady={isReady}
        isBusy={false}
        onSubmit={() => {}}
      />,
    );
  // all controls are in the fieldset that is disabled
  const [before, within] = html(false).split(/<fieldset disabled=""[^>]*>/);
  assert.doesNotMatch(before!, /<(input|select|button)/);
  assert.ok(before!.includes(readingStudyText.needsImages.en));
  assert.match(within!, /<input[^]*<select[^]*<button[^]*<\/fieldset><\/form>$/);
  assert.doesNotMatch(html(true), /<fieldset disabled/);
  assert.ok(!html(true).includes(readingStudyText.needsImages.en));
});

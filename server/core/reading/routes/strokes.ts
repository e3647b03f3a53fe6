import { corrected, strokeList, strokePost, strokeSeries } from "@/model/schema/reading/strokes.ts";
import {
  addStroke,
  getStrokes,
  redoStroke,
  restoreOriginal,
  undoStroke,
} from "@/server/core/reading/service/strokes.ts";
import { json, pidOf, readJson, type Routes } from "@/server/core/http/app.ts";

const ALL = "/api/v1/patients/:pid{[0-9]+}/strokes";

/** Routes of strokes, with which readers correct label maps. */
export const strokeRoutes: Routes = (api, services) => {
  api.get(
    ALL,
    async ({ req }) => json(strokeList, await getStrokes(services, pidOf(req.param("pid")))),
  );
  api.post(ALL, async (context) => {
    const post = await readJson(context.req.raw, strokePost);
    const answer = await addStroke(
      services,
      pidOf(context.req.param("pid")),
      post,
      context.var.caller,
    );
    context.set("auditDetails", {
      stroke: answer.stroke_id!,
      series: post.series,
      value: post.value,
    });
    return json(corrected, answer, 201);
  });
  for (
    const [name, act] of [["undo", undoStroke], ["redo", redoStroke], [
      "restore",
      restoreOriginal,
    ]] as const
  ) {
    api.post(`${ALL}/${name}`, async (context) => {
      const { series } = await readJson(context.req.raw, strokeSeries);
      const answer = await act(
        services,
        pidOf(context.req.param("pid")),
        series,
        context.var.caller,
      );
      if (answer.stroke_id === null) context.set("audited", "nothing");
      context.set("auditDetails", { stroke: answer.stroke_id ?? 0, series });
      return json(corrected, answer);
    });
  }
};

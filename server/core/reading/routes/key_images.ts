import { readBody } from "@/server/wire/body.ts";
import {
  keyImageCreated,
  keyImageList,
  keyImageQuery,
  MAX_KEY_IMAGE_BYTES,
} from "@/model/schema/reading/key_images.ts";
import {
  addKeyImage,
  getKeyImage,
  getKeyImages,
  removeKeyImage,
} from "@/server/core/reading/service/key_images.ts";
import {
  bodyLimits,
  json,
  noContent,
  pidOf,
  readQuery,
  type Routes,
} from "@/server/core/http/app.ts";
import { numberOf } from "@/server/core/reading/routes/measurements.ts";

const ALL = "/api/v1/patients/:pid{[0-9]+}/key-images", ONE = `${ALL}/:image{[0-9]{1,15}}`;

/** Routes of the key images that radiologists capture in the viewer. */
export const keyImageRoutes: Routes = (api, services) => {
  api.get(
    ALL,
    async ({ req, var: { caller } }) =>
      json(keyImageList, await getKeyImages(services, pidOf(req.param("pid")), caller)),
  );
  api.get(ONE, async ({ req }) => {
    const png = await getKeyImage(services, pidOf(req.param("pid")), numberOf(req.param("image")));
    return new Response(png, {
      headers: { "content-type": "image/png", "cache-control": "private, no-cache" },
    });
  });
  api.post(ALL, async (context) => {
    const { req, var: { caller } } = context, { note } = readQuery(req.raw, keyImageQuery);
    const picture = await readBody(req.raw.body, bodyLimits(req.raw, MAX_KEY_IMAGE_BYTES));
    const id = await addKeyImage(services, pidOf(req.param("pid")), { picture, note }, caller);
    context.set("auditDetails", { image: id });
    return json(keyImageCreated, { id }, 201);
  });
  api.delete(ONE, async (context) => {
    const { req, var: { caller } } = context, id = numberOf(req.param("image"));
    context.set("auditDetails", { image: id });
    await removeKeyImage(services, pidOf(req.param("pid")), id, caller);
    return noContent();
  });
};

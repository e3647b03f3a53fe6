import assert from "node:assert/strict";
import { queryClient } from "@/client/page/query.ts";

// covers: D1-4.34
Deno.test("queryClient asks once, keeps for ever what is shown and for 3 s what is not, and refetches nothing by itself", () => {
  const { queries } = queryClient.getDefaultOptions();
  assert.deepEqual(queries, {
    retry: false,
    staleTime: Infinity,
    gcTime: 3000,
    refetchOnMount: false,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    networkMode: "always",
  });
});

import type { Api } from "@/client/api/http.ts";

/** API client with the page's cookie: a second sign-in would end the page's session. */
export const pageApi = (url: string, cookie: string): Api => ({
  origin: url,
  send: (request) => {
    request.headers.set("cookie", cookie);
    request.headers.set("origin", url);
    return fetch(request);
  },
});

/** Signs in as a page does. @returns the session cookie. */
export async function signInPage(url: string, email: string, password: string): Promise<string> {
  const answer = await fetch(`${url}/api/v1/auth/login`, {
    method: "POST",
    headers: { "content-type": "application/json", origin: url },
    body: JSON.stringify({ email, password }),
  });
  await answer.body?.cancel();
  const cookie = answer.headers.get("set-cookie")?.split(";")[0];
  if (!cookie) throw new Error(`Cannot sign in: answer ${answer.status}`);
  return cookie;
}

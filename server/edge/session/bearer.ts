/** Bearer token of a program's call; `null` without one. */
export const bearerOf = (request: Request): string | null =>
  /^Bearer +(\S+)$/i.exec(request.headers.get("authorization") ?? "")?.[1] ?? null;

import { proxy } from "@/server/edge/remote/proxy.ts";

export const GET = proxy;
export const POST = proxy;
export const PUT = proxy;
export const PATCH = proxy;
export const DELETE = proxy;

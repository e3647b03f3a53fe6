export { completeProviderSignIn as GET } from "@/server/edge/session/provider_sign_in.ts";

export { beginProviderSignIn as GET } from "@/server/edge/session/provider_sign_in.ts";

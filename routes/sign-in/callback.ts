export { completeProviderSignIn as GET } from "@/edge/session/provider_sign_in.ts";

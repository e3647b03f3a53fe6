// Calls of the API: accounts and sign-in.
import {
  loginRequest,
  loginResponse,
  oidcCompleted,
  oidcCompletion,
  oidcStart,
  oidcStarted,
  refreshResponse,
  signInMethods,
  signOutAddress,
  wsTicket,
} from "@/model/schema/accounts/auth.ts";
import { myPage } from "@/model/schema/accounts/my_page.ts";
import {
  factorCode,
  factorRequest,
  factorState,
  newFactor,
  recoveryCodes,
} from "@/model/schema/accounts/second_factor.ts";
import { signInDelays } from "@/model/schema/accounts/sign_ins.ts";
import { user } from "@/model/schema/accounts/user.ts";
import {
  accountChange,
  accountList,
  firstPassword,
  newAccount,
} from "@/model/schema/accounts/users.ts";
import { endpoints } from "@/model/api/endpoint.ts";

const USER = "/api/v1/users/:id{[0-9]{1,15}}";

export const accountsEndpoints = endpoints({
  "POST /api/v1/auth/login": {
    may: "public",
    shows: "nothing",
    summary: "Signs in by e-mail address and password.",
    body: { loginRequest },
    answer: { loginResponse },
  },
  "GET /api/v1/auth/methods": {
    may: "public",
    shows: "nothing",
    summary: "Names the ways to sign in.",
    answer: { signInMethods },
  },
  "POST /api/v1/auth/oidc": {
    may: "public",
    shows: "nothing",
    summary: "Begins a sign-in at the hospital's OpenID provider.",
    body: { oidcStart },
    answer: { oidcStarted },
  },
  "POST /api/v1/auth/oidc/completion": {
    may: "public",
    shows: "nothing",
    summary: "Completes a sign-in with the answer of the OpenID provider.",
    body: { oidcCompletion },
    answer: { oidcCompleted },
  },
  "GET /api/v1/auth/sign-out": {
    may: "own",
    shows: "nothing",
    summary: "Names the address at which the OpenID session ends too.",
    answer: { signOutAddress },
  },
  "POST /api/v1/auth/refresh": {
    may: "public",
    shows: "nothing",
    summary: "Gives a new access token for a refresh token, which is sent as the bearer token.",
    answer: { refreshResponse },
  },
  "GET /api/v1/auth/logout": {
    may: "public",
    summary: "Ends the session of a refresh token. Only as HEAD.",
    isHeadOnly: true,
  },
  "POST /api/v1/auth/ws-ticket": {
    may: "own",
    shows: "nothing",
    summary: "Gives a ticket for the socket at /ws.",
    answer: { wsTicket },
  },
  "GET /api/v1/settings/mypage": {
    may: "own",
    shows: "nothing",
    summary: "Reads the caller's name, the hospital's name and its logo.",
    answer: { myPage },
  },
  "PUT /api/v1/settings/mypage": {
    may: "own",
    shows: "nothing",
    summary: "Saves the caller's name, the hospital's name and its logo.",
    takes: ["multipart/form-data"],
    answer: { myPage },
  },
  "GET /api/v1/settings/mypage/logo": {
    may: "own",
    shows: "nothing",
    summary: "Reads the hospital's logo.",
    file: ["image/png"],
  },
  "GET /api/v1/second-factor": {
    may: "own",
    shows: "nothing",
    summary: "Says whether the caller's account asks for one-time codes.",
    answer: { factorState },
  },
  "POST /api/v1/second-factor": {
    may: "own",
    shows: "nothing",
    summary: "Begins to set up one-time codes.",
    body: { factorRequest },
    answer: { newFactor },
  },
  "POST /api/v1/second-factor/confirmation": {
    may: "own",
    shows: "nothing",
    summary: "Turns one-time codes on, and gives the recovery codes.",
    body: { factorCode },
    answer: { recoveryCodes },
  },
  "DELETE /api/v1/second-factor": {
    may: "own",
    summary: "Turns one-time codes off.",
    body: { factorCode },
  },
  [`DELETE ${USER}/second-factor`]: {
    may: "administer",
    summary: "Turns a user's one-time codes off.",
  },
  "GET /api/v1/sign-ins/delays": {
    may: "status",
    shows: "nothing",
    summary: "Lists who must wait before the next sign-in.",
    answer: { signInDelays },
  },
  "DELETE /api/v1/sign-ins/delays/:id{[0-9a-f]{64}}": {
    may: "administer",
    summary: "Ends the wait before a sign-in.",
  },
  "GET /api/v1/user": {
    may: "own",
    shows: "nothing",
    summary: "Reads the caller's account and rights.",
    answer: { user },
  },
  "GET /api/v1/users": {
    may: "administer",
    shows: "nothing",
    summary: "Lists the accounts.",
    answer: { accountList },
  },
  "POST /api/v1/users": {
    may: "administer",
    shows: "nothing",
    summary: "Adds an account, and gives its first password.",
    body: { newAccount },
    answer: { firstPassword },
    status: 201,
  },
  [`PUT ${USER}`]: {
    may: "administer",
    summary: "Changes an account's role or state.",
    body: { accountChange },
  },
  [`POST ${USER}/password`]: {
    may: "administer",
    shows: "nothing",
    summary: "Gives an account a new first password.",
    answer: { firstPassword },
  },
});

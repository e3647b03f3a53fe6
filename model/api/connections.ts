// Calls of the API: connected systems and archives.
import {
  connections,
  mergesPage,
  mergesQuery,
  messageConfirmation,
  messagesPage,
  messagesQuery,
  peerPut,
  peerSaved,
  peerTest,
  repeatRequest,
  repetitionQuery,
  routing,
  routingTest,
  sentResults,
  systemKey,
} from "@/model/schema/connections/connections.ts";
import {
  archivedSeriesFound,
  archivedSeriesRequest,
  archiveFound,
  archives,
  archiveSearch,
  pullRequest,
  pulls,
} from "@/model/schema/connections/pacs.ts";
import { endpoints } from "@/model/api/endpoint.ts";

const PEER = "/api/v1/connections/peers/:id{[0-9]{1,15}}";
const MESSAGE = "/api/v1/connections/messages/:id{[0-9]{1,15}}";
const STUDY = "/api/v1/patients/:pid{[0-9]+}";
const ARCHIVE = "/api/v1/pacs/:id{[0-9]{1,15}}";

export const connectionsEndpoints = endpoints({
  "GET /api/v1/connections": {
    may: "administer",
    shows: "nothing",
    summary: "Lists the connected systems and what waits to be sent.",
    answer: { connections },
  },
  "POST /api/v1/connections/peers": {
    may: "administer",
    shows: "nothing",
    summary: "Adds a connected system.",
    body: { peerPut },
    answer: { peerSaved },
    status: 201,
  },
  [`PUT ${PEER}`]: {
    may: "administer",
    shows: "nothing",
    summary: "Changes a connected system.",
    body: { peerPut },
    answer: { peerSaved },
  },
  [`DELETE ${PEER}`]: { may: "administer", summary: "Removes a connected system." },
  [`POST ${PEER}/test`]: {
    may: "administer",
    shows: "nothing",
    summary: "Tests the connection to a system.",
    answer: { peerTest },
  },
  [`POST ${PEER}/test-image`]: {
    may: "administer",
    shows: "nothing",
    summary: "Sends a test image to a system.",
    answer: { peerTest },
  },
  [`POST ${PEER}/key`]: {
    may: "administer",
    shows: "nothing",
    summary: "Gives a system a new key, which is shown once.",
    answer: { systemKey },
  },
  "POST /api/v1/connections/outbox/repeat": {
    may: "administer",
    summary: "Sends results again.",
    body: { repeatRequest },
  },
  "GET /api/v1/connections/messages": {
    may: "administer",
    shows: "nothing",
    summary: "Lists HL7 messages, a page at a time; those that wait or failed come first. " +
      "An ended message can fail later: read open messages again from the first page, without `after`.",
    query: { messagesQuery },
    answer: { messagesPage },
  },
  "GET /api/v1/connections/merges": {
    may: "administer",
    shows: "nothing",
    summary: "Lists merges of two patients, a page at a time, the newest first.",
    query: { mergesQuery },
    answer: { mergesPage },
  },
  [`GET ${MESSAGE}/confirmation`]: {
    may: "administer",
    shows: "nothing",
    summary: "Shows both identities of an HL7 message that waits for a person's decision.",
    answer: { messageConfirmation },
  },
  [`POST ${MESSAGE}/repetition`]: {
    may: "administer",
    summary: "Applies an HL7 message that could not be applied. If it waits for a person's " +
      "decision, `confirmed` of the identities that were compared is required.",
    query: { repetitionQuery },
  },
  [`DELETE ${MESSAGE}`]: {
    may: "administer",
    summary: "Drops an HL7 message that waits or could not be applied.",
  },
  "POST /api/v1/connections/merges/:id{[0-9]{1,15}}/undo": {
    may: "administer",
    summary: "Undoes a merge of two patients.",
  },
  "GET /api/v1/connections/routing": {
    may: "administer",
    shows: "nothing",
    summary: "Reads the rules that say which results go where.",
    answer: { routing },
  },
  "PUT /api/v1/connections/routing": {
    may: "administer",
    shows: "nothing",
    summary: "Saves the rules that say which results go where.",
    body: { routing },
    answer: { routing },
  },
  "POST /api/v1/connections/routing/test": {
    may: "administer",
    shows: "nothing",
    summary: "Says what rules would do with the newest studies.",
    body: { routing },
    answer: { routingTest },
  },
  [`GET ${STUDY}/sent`]: {
    may: "look",
    shows: "nothing",
    summary: "Lists what was sent of a study.",
    answer: { sentResults },
  },
  "GET /api/v1/pacs": {
    may: "upload",
    shows: "nothing",
    summary: "Lists the archives that can be searched.",
    answer: { archives },
  },
  "GET /api/v1/pacs/pulls": {
    may: "upload",
    shows: "nothing",
    summary: "Lists what is being fetched from archives.",
    answer: { pulls },
  },
  [`POST ${ARCHIVE}/search`]: {
    may: "upload",
    shows: "nothing",
    summary: "Searches an archive for studies.",
    body: { archiveSearch },
    answer: { archiveFound },
  },
  [`POST ${ARCHIVE}/series`]: {
    may: "upload",
    shows: "nothing",
    summary: "Lists the series of a study in an archive.",
    body: { archivedSeriesRequest },
    answer: { archivedSeriesFound },
  },
  [`POST ${ARCHIVE}/pulls`]: {
    may: "upload",
    shows: "nothing",
    summary: "Fetches series from an archive.",
    body: { pullRequest },
    answer: { pulls },
  },
});

// A minimal FHIRcast hub: accepts subscriptions as forms, and sends events as JSON to all
// subscribers of a topic, and the current context to new subscribers. Can send faulty responses.
import { until } from "@/tests/sites/until.ts";

interface Subscriber {
  topic: string;
  name: string;
  socket: WebSocket | null;
}
type Json = Record<string, unknown>;
export interface HubEvent {
  id: string;
  timestamp: string;
  event: { "hub.topic": string; "hub.event": string; context: { key: string; resource: Json }[] };
}

/** Faulty responses of the hub. */
export interface HubFaults {
  /** response to an event of an application; the event is then not sent to other applications */
  event?: () => Response;
  /** response to a subscription, instead of the correct response */
  answer?: () => Response | Promise<Response>;
  /** address of the socket, instead of the correct address */
  endpoint?: string;
  /** first message on a socket, instead of the confirmation */
  greeting?: string;
}

export const TOKEN = "token-of-the-hub";

/** Starts the hub on a free port of this machine. */
export function serveHub({ port = 0, tls }: { port?: number; tls?: Deno.TlsCertifiedKeyPem } = {}) {
  const host = "127.0.0.1";
  const subscribers = new Map<string, Subscriber>(), faults: HubFaults = {};
  /** events that subscribers have posted, replies on the sockets, and refused requests */
  const posted: HubEvent[] = [], replies: { id: string; status: string }[] = [];
  const refused: string[] = [], modes: string[] = [];
  let current: HubEvent | null = null;

  const broadcast = (event: HubEvent) => {
    const name = event.event["hub.event"].toLowerCase();
    if (name.endsWith("-open")) current = event;
    if (name.endsWith("-close")) current = null;
    for (const { topic, socket } of subscribers.values()) {
      if (topic === event.event["hub.topic"] && socket?.readyState === WebSocket.OPEN) {
        socket.send(JSON.stringify(event));
      }
    }
  };
  const connect = (request: Request, key: string) => {
    const subscriber = subscribers.get(key);
    if (!subscriber) return new Response("no such subscription", { status: 404 });
    const { socket, response } = Deno.upgradeWebSocket(request);
    socket.onopen = () => {
      subscriber.socket = socket;
      socket.send(
        faults.greeting ?? JSON.stringify({
          "hub.mode": "subscribe",
          "hub.topic": subscriber.topic,
          "hub.events": "patient-open,patient-close,imagingstudy-open,imagingstudy-close",
          "hub.lease_seconds": 7200,
        }),
      );
      if (current?.event["hub.topic"] === subscriber.topic) socket.send(JSON.stringify(current));
    };
    socket.onmessage = ({ data }) => void replies.push(JSON.parse(data));
    socket.onclose = () => void subscribers.delete(key);
    return response;
  };
  const subscribe = (form: URLSearchParams): Response | Promise<Response> => {
    const mode = form.get("hub.mode") ?? "", topic = form.get("hub.topic") ?? "";
    modes.push(mode);
    if (faults.answer) return faults.answer();
    if (form.get("hub.channel.type") !== "websocket" || topic === "") {
      return new Response("not a subscription", { status: 400 });
    }
    if (mode === "unsubscribe") {
      const key = new URL(form.get("hub.channel.endpoint")!).pathname.slice(1);
      subscribers.get(key)?.socket?.close(1000);
      subscribers.delete(key);
      return new Response(null, { status: 202 });
    }
    const key = crypto.randomUUID();
    subscribers.set(key, { topic, name: form.get("subscriber.name") ?? "", socket: null });
    const endpoint = faults.endpoint ??
      `${tls ? "wss" : "ws"}://${host}:${server.addr.port}/${key}`;
    return Response.json({ "hub.channel.endpoint": endpoint }, { status: 202 });
  };
  const server = Deno.serve(
    { port, hostname: "127.0.0.1", onListen: () => {}, ...tls },
    async (request) => {
      const { pathname } = new URL(request.url);
      if (request.headers.get("upgrade")) return connect(request, pathname.slice(1));
      if (request.headers.get("authorization") !== `Bearer ${TOKEN}`) {
        refused.push(`${request.method} ${pathname}`);
        return new Response("no token", { status: 401 });
      }
      const type = request.headers.get("content-type") ?? "", text = await request.text();
      if (type.startsWith("application/x-www-form-urlencoded")) {
        return subscribe(new URLSearchParams(text));
      }
      const event = JSON.parse(text) as HubEvent;
      if (faults.event) return faults.event();
      posted.push(event);
      broadcast(event);
      return new Response(null, { status: 202 });
    },
  );
  const hub = {
    port: server.addr.port,
    settings: {
      url: `${tls ? "https" : "http"}://${host}:${server.addr.port}/fhircast`,
      topic: "session-{email}",
      token: TOKEN,
      hosts: [],
      delayFactor: 0.01,
    },
    faults,
    posted,
    replies,
    refused,
    modes,
    broadcast,
    /** newest open event that was not followed by a close event */
    current: () => current,
    /** topics with an open socket */
    topics: () =>
      [...subscribers.values()].filter(({ socket }) => socket !== null).map(({ topic }) => topic),
    /** sends a text unchanged to every socket */
    sendRaw: (text: string | Uint8Array<ArrayBuffer>) => {
      for (const { socket } of subscribers.values()) {
        if (socket?.readyState === WebSocket.OPEN) socket.send(text);
      }
    },
    cut: () => {
      for (const { socket } of subscribers.values()) socket?.close();
    },
    /** Status of the reply to an event. */
    replyTo: (id: string): Promise<string> =>
      until(() => replies.find((each) => each.id === id)?.status),
    [Symbol.asyncDispose]: async () => {
      for (const { socket } of subscribers.values()) socket?.close();
      await server.shutdown();
    },
  };
  return hub;
}

interface Asked {
  patientId?: string | null;
  studyUid?: string | null;
  accession?: string;
  birthDate?: string;
  atMs?: number;
  id?: string;
}

/** An event as the other application of the tests sends it. */
export function hubEvent(
  topic: string,
  name: string,
  { patientId = null, studyUid = null, accession, birthDate, atMs, id }: Asked,
): HubEvent {
  const typed = (code: string, value: string) => ({
    type: {
      coding: [{ system: "http://terminology.hl7.org/CodeSystem/v2-0203", code }],
    },
    value,
  });
  return {
    id: id ?? crypto.randomUUID(),
    timestamp: new Date(atMs ?? Date.now()).toISOString(),
    event: {
      "hub.topic": topic,
      "hub.event": name,
      context: [
        {
          key: "patient",
          resource: {
            resourceType: "Patient",
            id: "p",
            ...(patientId === null ? {} : { identifier: [typed("MR", patientId)] }),
            ...(birthDate ? { birthDate } : {}),
          },
        },
        ...(name.toLowerCase().startsWith("imagingstudy")
          ? [{
            key: "study",
            resource: {
              resourceType: "ImagingStudy",
              id: "s",
              status: "available",
              subject: { reference: "Patient/p" },
              identifier: [
                ...(studyUid === null
                  ? []
                  : [{ system: "urn:dicom:uid", value: `urn:oid:${studyUid}` }]),
                ...(accession === undefined ? [] : [typed("ACSN", accession)]),
              ],
            },
          }]
          : []),
      ],
    },
  };
}

import { createHook } from '../hooks/create-hook.js';
import type { Caller } from '../kernel/records/caller.js';
import type { RealtimeClient } from './realtime-client.js';

/** A stream is about to be opened; a throw refuses it. */
export interface RealtimeConnectEvent {
  readonly caller: Caller;
  /** Milliseconds after the last message until the stream ends. May be changed. */
  idleTimeout: number;
  /** Milliseconds after opening until the stream ends. May be changed. */
  maxAge: number;
}

/** A client is about to listen to other topics, perhaps as somebody else; a throw refuses it and changes nothing. */
export interface RealtimeSubscribeEvent {
  readonly client: RealtimeClient;
  readonly caller: Caller;
  /** May be replaced. */
  topics: readonly string[];
}

/** A message is about to be written to one client that may have it; a throw drops this message. */
export interface RealtimeMessageEvent {
  readonly client: RealtimeClient;
  /** The client's topic: the name of the event. */
  readonly topic: string;
  /** `{ action, record }` of a record's message, the data of any other. May be replaced. */
  data: unknown;
}

/** A stream has ended. */
export interface RealtimeDisconnectEvent {
  /** With its last account and topics; nothing can be sent to it any more. */
  readonly client: RealtimeClient;
}

/** Before a stream is opened. A throw refuses it. */
export const BeforeRealtimeConnect = createHook<RealtimeConnectEvent>('BeforeRealtimeConnect');
/** Before the topics of a client are replaced. A throw refuses the request and leaves the old ones in force. */
export const BeforeRealtimeSubscribe = createHook<RealtimeSubscribeEvent>('BeforeRealtimeSubscribe');
/** For the collections of the records; a message of the application's own reaches handlers of all collections. */
export const BeforeRealtimeMessage = createHook<RealtimeMessageEvent>('BeforeRealtimeMessage');
/** After a stream ended, whoever ended it. A throw is logged. */
export const AfterRealtimeDisconnect = createHook<RealtimeDisconnectEvent>('AfterRealtimeDisconnect');

import { Inject, Injectable } from '@nestjs/common';
import { ROOST_CONFIG, type RoostConfig } from '../../config/roost-config.js';
import { INSTANCE_LINK, type InstanceLink } from '../../instances/instance-link.js';
import type { SseClient } from '../../sse/sse-client.js';
import { SseHub } from '../../sse/sse-hub.js';
import { sseMessage } from '../../sse/sse-message.js';
import { AppleNames } from './apple-names.js';

/** The topic on which a client waits for the provider to send the browser back (AUTH-921). */
const TOPIC = '@oauth2';
const QUESTION = 'OAuth2 redirect';

/** What a provider sends a browser back with. */
export interface OAuth2Redirect {
  /** The id of the realtime client that began the sign-in. */
  readonly state: string;
  readonly code: string;
  readonly error: string;
  /** Apple's, once: JSON text or an object. */
  readonly user: unknown;
}

/** Passes the answer of a provider on to the client that waits for it on its realtime stream (AUTH-922). */
@Injectable()
export class OAuth2RedirectService {
  constructor(
    private readonly hub: SseHub,
    private readonly appleNames: AppleNames,
    @Inject(ROOST_CONFIG) private readonly config: RoostConfig,
    @Inject(INSTANCE_LINK) private readonly link: InstanceLink,
  ) {
    link.onQuestion(QUESTION, (payload) => {
      const { redirect, ip } = payload as { readonly redirect: OAuth2Redirect; readonly ip: string };
      return this.hub.find(redirect.state) && this.deliverHere(redirect, ip);
    });
  }

  /** True when a waiting client was told of a successful sign-in. One message per subscription, errors included. */
  async deliver(redirect: OAuth2Redirect, ip: string): Promise<boolean> {
    if (this.link.isAlone || this.hub.find(redirect.state)) return this.deliverHere(redirect, ip);
    // The client may be waiting on a stream of another process.
    const [wasTold] = await this.link.askOthers(QUESTION, { redirect, ip });
    return wasTold === true;
  }

  private async deliverHere({ state, code, error, user }: OAuth2Redirect, ip: string): Promise<boolean> {
    const client = this.hub.find(state);
    const topic = client && [...client.topics].find((candidate) => candidate.split('?')[0] === TOPIC);
    if (!client || topic === undefined || !this.isSamePlace(client, ip)) return false;
    // Unsubscribed before the first await, so that each subscription gets one message.
    client.unsubscribe(topic);
    if (error === '') await this.appleNames.remember(code, user);
    client.send(sseMessage(topic, JSON.stringify({ state, code, ...(error === '' ? {} : { error }) })));
    return error === '' && code !== '';
  }

  /** Keeps a link that somebody else followed from signing this client in (RT-94). */
  private isSamePlace(client: SseClient, ip: string): boolean {
    return !this.config.realtimeIpCheck || client.ip === ip;
  }
}

import { Inject, Injectable } from '@nestjs/common';
import type { Agent } from 'undici';
import { ROOST_CONFIG, type RoostConfig } from '../../config/roost-config.js';
import { lookupPublic, requirePublicHost } from './public-address.js';

const TIME_LIMIT = 10_000;
const MAX_REDIRECTS = 5;

/** Downloads the picture a provider points at, from the public internet only (AUTH-908). */
@Injectable()
export class AvatarDownloader {
  constructor(@Inject(ROOST_CONFIG) private readonly config: RoostConfig) {}

  /** The content. Throws when the address leads inside, answers with anything but 200, or has more than `maxBytes`. */
  async download(url: string, maxBytes: number): Promise<Buffer> {
    const { protocol } = new URL(url);
    if (protocol !== 'http:' && protocol !== 'https:') throw new Error(`Pictures are not loaded over ${protocol}`);
    // Loaded with the first picture, because few servers need it.
    const undici = await import('undici');
    const agent = this.config.allowPrivateFetch ? new undici.Agent() : publicAgent(undici);
    try {
      const dispatcher = agent.compose(undici.interceptors.redirect({ maxRedirections: MAX_REDIRECTS }));
      const signal = AbortSignal.timeout(TIME_LIMIT);
      const { statusCode, body } = await undici.request(url, { dispatcher, signal, headers: { accept: 'image/*' } });
      if (statusCode !== 200) throw new Error(`The address of the picture answered ${statusCode}.`);
      return await collect(body, maxBytes);
    } finally {
      await agent.destroy();
    }
  }
}

/** Checks each connection as it is made, so that redirects and changing DNS answers are checked too. */
function publicAgent(undici: typeof import('undici')): Agent {
  const connect = undici.buildConnector({ timeout: TIME_LIMIT, lookup: lookupPublic });
  return new undici.Agent({
    connect: (options, callback) => {
      try {
        requirePublicHost(options.hostname);
      } catch (error) {
        return callback(error as Error, null);
      }
      connect(options, callback);
    },
  });
}

async function collect(body: AsyncIterable<Buffer>, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes) throw new Error(`The picture has more than ${maxBytes} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

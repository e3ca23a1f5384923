import type { QueryClient } from '@tanstack/react-query';

type Topic = 'collections' | 'settings';

const SIGNED_OUT = 'signed out';

/** Keeps collections and settings in step between the open tabs of one browser (UI-2). */
export class TabSync {
  private readonly channel = new BroadcastChannel('roost-admin');

  constructor(private readonly queries: QueryClient) {
    this.channel.addEventListener('message', (event: MessageEvent<Topic | typeof SIGNED_OUT>) => {
      // Nothing that was known may stay in the memory of a tab.
      if (event.data === SIGNED_OUT) location.reload();
      else void this.queries.invalidateQueries({ queryKey: [event.data] });
    });
  }

  /** Tells the other tabs that somebody signed out here, so that they start anew. */
  signedOut(): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    this.channel.postMessage(SIGNED_OUT);
  }

  /** Refreshes a topic here and tells the other tabs to do the same. */
  async changed(topic: Topic): Promise<void> {
    // A broadcast channel has no target origin: it never leaves this one.
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    this.channel.postMessage(topic);
    await this.queries.invalidateQueries({ queryKey: [topic] });
  }
}

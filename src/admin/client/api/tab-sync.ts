import type { QueryClient } from '@tanstack/react-query';

type Topic = 'collections' | 'settings';

/** Keeps collections and settings in step between the open tabs of one browser (UI-2). */
export class TabSync {
  private readonly channel = new BroadcastChannel('roost-admin');

  constructor(private readonly queries: QueryClient) {
    this.channel.addEventListener('message', (event: MessageEvent<Topic>) => {
      void this.queries.invalidateQueries({ queryKey: [event.data] });
    });
  }

  /** Refreshes a topic here and tells the other tabs to do the same. */
  async changed(topic: Topic): Promise<void> {
    // A broadcast channel has no target origin: it never leaves this one.
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    this.channel.postMessage(topic);
    await this.queries.invalidateQueries({ queryKey: [topic] });
  }
}

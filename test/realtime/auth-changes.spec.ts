import { afterEach, expect, it, vi } from 'vitest';
import type { Database } from '../../src/database/database.js';
import { DatabaseError } from '../../src/database/database.error.js';
import type { EventBus } from '../../src/events/event-bus.js';
import type { AccountRefresher } from '../../src/realtime/account-refresher.js';
import { AuthChangesListener } from '../../src/realtime/auth-changes.listener.js';
import type { RealtimeClients } from '../../src/realtime/realtime-clients.js';

afterEach(() => vi.useRealTimers());

it('RT-34 SCALE-18 accounts of streams are read again once the database is back', async () => {
  vi.useFakeTimers();
  let change: () => unknown = () => undefined;
  let tries = 0;
  let isAway = true;
  const accounts = {
    refresh: async () => {
      tries++;
      if (isAway) throw new DatabaseError('unavailable', 'It restarts.');
    },
  } as unknown as AccountRefresher;
  const database = {
    hasPeers: true,
    changes: { onExternalChange: (listener: () => unknown) => (change = listener) },
  } as unknown as Database;
  const clients = { all: () => [] } as unknown as RealtimeClients;
  const listener = new AuthChangesListener(clients, accounts, {} as EventBus, database);
  expect(listener).toBeDefined();
  void change();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(tries).toBe(1);
  isAway = false;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(tries).toBe(2);
});

import { formatConsoleTime } from '../kernel/date-time.js';

/**
 * What is printed when the server listens (OPS-191). `address` is as Fastify reports it, e.g. `http://127.0.0.1:8090`.
 */
export function formatBanner(address: string, now: number): string {
  const lines = [
    `${formatConsoleTime(now)} Server started at ${address}`,
    `├─ REST API:  ${address}/api/`,
    `└─ Dashboard: ${address}/_/`,
  ];
  return `${lines.join('\n')}\n`;
}

/** How to create the first superuser (AUTH-1205). */
export function formatInvitation(address: string, token: string): string {
  return (
    `\nThere is no superuser yet. Open this link to create one (it is good for 30 minutes):\n` +
    `${address}/_/#/pbinstall/${token}\n` +
    `or run:  node dist/main superuser upsert EMAIL PASSWORD\n`
  );
}

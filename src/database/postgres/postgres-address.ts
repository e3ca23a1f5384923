import { urlsOf } from '../../config/database-hosts.js';
import { DatabaseError } from '../database.error.js';

/** How the driver is told of an address; every connection is made with these options. */
export interface PostgresAddress {
  readonly connectionString: string;
  readonly keepAlive: true;
  readonly keepAliveInitialDelayMillis: number;
  readonly application_name: string;
}

/** Firewalls and NAT silently drop connections that were idle for a few minutes, so TCP keep-alive starts earlier. */
const SILENT_MILLISECONDS = 10_000;

/**
 * `sslmode` means what it means to every other program on PostgreSQL: `require` encrypts and asks for no certificate,
 * `verify-full` asks for one. The driver would take both for `verify-full`, with a warning.
 */
export function addressOf(url: string): PostgresAddress {
  const keeping = { keepAlive: true, keepAliveInitialDelayMillis: SILENT_MILLISECONDS } as const;
  // Where there are several, whoever connects finds out which.
  return { connectionString: withUsualTls(urlsOf(url)[0]!), ...keeping, application_name: 'roost' };
}

const TLS_MODES: ReadonlySet<string> = new Set([
  'disable',
  'prefer',
  'require',
  'verify-ca',
  'verify-full',
  'no-verify',
]);

/** The driver would take a word that it does not know for one of its own choice. Throws a DatabaseError. */
export function requireKnownTls(url: string): void {
  const mode = new URL(urlsOf(url)[0]!).searchParams.get('sslmode');
  if (mode === null || TLS_MODES.has(mode)) return;
  const modes = [...TLS_MODES].slice(0, -1).join(', ');
  throw new DatabaseError('refused', `sslmode=${mode} is none of ${modes}`);
}

function withUsualTls(url: string): string {
  const { searchParams } = new URL(url);
  const mode = searchParams.get('sslmode');
  // `no-verify` is a word of the driver's own.
  if (mode === null || mode === 'no-verify' || searchParams.has('uselibpqcompat')) return url;
  return `${url}&uselibpqcompat=true`;
}

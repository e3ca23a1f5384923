import { urlsOf } from './database-hosts.js';
import { timerLength } from '../kernel/timer-length.js';
import type { ConfigOption } from './config-options.js';
import { UsageError } from './usage.error.js';

const TRUE_WORDS = new Set(['', '1', 't', 'true', 'on', 'yes']);
const FALSE_WORDS = new Set(['0', 'f', 'false', 'off', 'no']);

/** The text of an option as its value. `source` is how the user wrote it, for the message. Throws a UsageError. */
export function parseOptionValue(option: ConfigOption, text: string, source: string): unknown {
  const wrong = (expected: string) => new UsageError(`${source}: "${text}" is not ${expected}.`);
  switch (option.kind) {
    case 'boolean': {
      const word = text.trim().toLowerCase();
      if (TRUE_WORDS.has(word)) return true;
      if (FALSE_WORDS.has(word)) return false;
      throw wrong('true or false');
    }
    case 'seconds':
      if (!/^\d+(\.\d+)?$/.test(text)) throw wrong('a number of seconds');
      // Whoever wants to wait for ever gives a large number, with which a timer would fire at once.
      return timerLength(Number(text) * 1000) / 1000;
    case 'count':
      if (!/^\d{1,9}$/.test(text)) throw wrong('a whole number');
      return Number(text);
    case 'workers':
      if (text === 'auto') return text;
      if (!/^[1-9]\d{0,2}$/.test(text)) throw wrong('a number of processes from 1 to 999, or auto');
      return Number(text);
    case 'list':
      return text
        .split(',')
        .map((entry) => entry.trim())
        .filter((entry) => entry !== '');
    case 'address':
      if (text === '') return null;
      return requireAddress(text, wrong);
    case 'driver':
      if (text !== 'better-sqlite3' && text !== 'sqlite3') throw wrong('better-sqlite3 or sqlite3');
      return text;
    case 'database':
      // The value is not shown, because it contains a password.
      if (text !== '' && !isDatabaseUrl(text))
        throw new UsageError(`${source} is not an address postgres://host/database.`);
      return text === '' ? null : text;
    case 'redis':
      if (text !== '' && !isRedisUrl(text)) throw new UsageError(`${source} is not an address redis://host:port.`);
      return text === '' ? null : text;
    case 'prefix':
      if (!/^[\w.-]{1,50}$/.test(text)) throw wrong('a prefix of letters, digits, "_", "-" and "."');
      return text;
    case 'path':
      if (text.includes('\0')) throw wrong('a path');
      return text;
    case 'environment name':
      return text;
  }
}

function requireAddress(text: string, wrong: (expected: string) => UsageError): string {
  const match = /^(\[[0-9a-fA-F:.]+\]|[^:\s/]*):(\d{1,5})$/.exec(text);
  if (!match || Number(match[2]) > 65535) throw wrong('an address of the form host:port');
  return text;
}

/** Whether a text is the address of a database, on one server or several, as DATABASE_URL has it. */
export function isDatabaseUrl(text: string): boolean {
  return (
    /^postgres(?:ql)?:\/\//.test(text) &&
    urlsOf(text).every((url) => URL.canParse(url) && new URL(url).pathname.length > 1)
  );
}

function isRedisUrl(text: string): boolean {
  if (!/^rediss?:\/\//.test(text) || !URL.canParse(text)) return false;
  const { hostname, pathname } = new URL(text);
  return hostname !== '' && /^(?:\/\d{0,4})?$/.test(pathname);
}

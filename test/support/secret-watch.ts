import { Database } from '../../src/database/database.js';
import { AuxiliaryDatabase } from '../../src/database/auxiliary-database.js';
import { LogsService } from '../../src/logs/logs.service.js';
import { SettingsService } from '../../src/settings/settings.service.js';
import type { TestRoost } from '../../src/testing/index.js';

/** What bcrypt makes of a password. */
const HASH = /\$2[aby]\$\d\d\$[./A-Za-z0-9]{53}/;

/** Answers that show what superusers ask the database itself, or that are files. */
const EXCEPTED = /^\/(?:api\/(?:sql|backups|files)|_\/)/;

/** Short values stand in texts by chance. */
const SHORTEST = 12;

/**
 * Looks at every answer of a test application and, when it is closed, at its log: no password hash, no key or secret
 * of tokens and no stored password of another service may stand in any of them (AUTH-504, AUTH-406, OPS-2, OPS-85).
 * Closing rejects with what was found where.
 */
export function watchForSecrets(roost: TestRoost): TestRoost {
  const answers: { readonly from: string; readonly text: string }[] = [];
  const { inject, close } = roost;
  roost.inject = async (request) => {
    const answer = await inject.call(roost, request);
    const method = request.method ?? 'GET';
    if (!EXCEPTED.test(request.url)) answers.push({ from: `${method} ${request.url}`, text: answer.text });
    return answer;
  };
  roost.close = async () => {
    const secrets = await secretsOf(roost).catch(() => []);
    const texts = [...answers, ...(await logOf(roost).catch(() => []))];
    await close.call(roost);
    for (const { from, text } of texts) {
      const found = HASH.exec(text)?.[0] ?? secrets.find((secret) => text.includes(secret));
      if (found !== undefined) throw new Error(`A secret was told by ${from}: ${found} in ${text.slice(0, 500)}`);
    }
  };
  return roost;
}

/** Token keys of all accounts, token and client secrets of all collections, passwords of the settings, as stored. */
async function secretsOf({ app }: TestRoost): Promise<string[]> {
  const database = app.get(Database, { strict: false });
  const collections = await database.all<{ name: string; options: string }>({
    sql: `SELECT name, options FROM _collections WHERE type = 'auth'`,
    params: [],
  });
  const secrets: unknown[] = [];
  for (const { name, options } of collections) {
    const rows = await database.all<{ tokenKey: string }>({ sql: `SELECT tokenKey FROM "${name}"`, params: [] });
    secrets.push(...rows.map(({ tokenKey }) => tokenKey), ...secretsIn(JSON.parse(options)));
  }
  const { smtp, s3, backups } = app.get(SettingsService, { strict: false }).get();
  secrets.push(smtp.password, s3.secret, backups.s3.secret);
  return secrets.filter((secret): secret is string => typeof secret === 'string' && secret.length >= SHORTEST);
}

/** The values of all keys `secret` and `clientSecret`, at any depth. */
function secretsIn(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === 'secret' || key === 'clientSecret' ? [inner] : secretsIn(inner),
  );
}

async function logOf({ app }: TestRoost): Promise<{ readonly from: string; readonly text: string }[]> {
  // Looking at it has everything written that waits.
  await app.get(LogsService, { strict: false }).countByHour('');
  const rows = await app.get(AuxiliaryDatabase, { strict: false }).all<{ text: string }>({
    sql: `SELECT message || data AS text FROM _logs`,
    params: [],
  });
  return rows.map(({ text }) => ({ from: 'the log', text }));
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import { AuxiliaryDatabase, type CompiledSql, Database } from '../../../src/database/database.js';
import { SettingsService } from '../../../src/settings/settings.service.js';
import type { TestRoost } from '../../../src/testing/index.js';
import { SecretWatch } from './secret-watch.js';
import { secretsInJson, storedSecrets } from './stored-secrets.js';
import { isWatched, LONGEST_BODY, teeExchange } from './traffic-tee.mjs';

/** A key of an account, as it is made. */
const KEY = /^[A-Za-z0-9]{50}$/;

/** The tables whose JSON holds secrets. */
const WITH_SECRETS = /"_(?:collections|params)"/;

/**
 * Looks at every answer of a test application, over a socket or not, and at its log: no password hash, no key or
 * secret of tokens, no stored password of another service and no password that was posted may stand in any of them
 * (AUTH-504, AUTH-406, OPS-2, OPS-85). Closing rejects with what was found where.
 */
export function watchForSecrets(roost: TestRoost): TestRoost {
  const database = roost.app.get(Database, { strict: false });
  const settings = roost.app.get(SettingsService, { strict: false });
  const watch = new SecretWatch(async () => [
    ...secretsInJson(JSON.stringify(settings.get())),
    ...(await storedSecrets((sql) => database.all({ sql, params: [] }))),
  ]);
  watchAnswers(roost, watch);
  watchSockets(roost, watch);
  watchWrites(database, watch);
  watchLog(roost.app.get(AuxiliaryDatabase, { strict: false }), watch);
  const { close } = roost;
  roost.close = async () => {
    await watch.learn();
    await close.call(roost);
    await watch.verdict();
  };
  return roost;
}

function watchAnswers(roost: TestRoost, watch: SecretWatch): void {
  const { inject } = roost;
  roost.inject = async (request) => {
    const answer = await inject.call(roost, request);
    if (!isWatched(request.url)) return answer;
    const { asked, head, told, ended } = watch.exchange(
      `${request.method ?? (request.body === undefined ? 'GET' : 'POST')} ${request.url}`,
    );
    if (request.body !== undefined) asked((await bytesOf(request.body)).subarray(0, LONGEST_BODY));
    head(JSON.stringify(answer.headers), String(answer.headers['content-encoding'] ?? ''));
    told(answer.raw);
    ended();
    return answer;
  };
}

function watchSockets({ app }: TestRoost, watch: SecretWatch): void {
  app.getHttpServer().prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    const url = request.url!;
    if (isWatched(url)) teeExchange(request, response, watch.exchange(`${request.method} ${url}`));
  });
}

/** Secrets that are replaced or deleted before the end are seen when they are stored. */
function watchWrites({ writes }: Database, watch: SecretWatch): void {
  const see = ({ sql, params }: CompiledSql): void => {
    const texts = params.filter((param) => typeof param === 'string');
    watch.plant(texts.filter((text) => KEY.test(text)));
    if (WITH_SECRETS.test(sql)) watch.plant(texts.flatMap(secretsInJson));
  };
  const { run, runLast } = writes;
  writes.run = <Row>(statement: CompiledSql) => {
    see(statement);
    return run.call(writes, statement) as ReturnType<typeof writes.run<Row>>;
  };
  writes.runLast = (statement) => {
    see(statement);
    return runLast.call(writes, statement);
  };
}

/** Entries are seen as they are stored, because they may be deleted again. */
function watchLog({ writes }: AuxiliaryDatabase, watch: SecretWatch): void {
  const see = (row: readonly unknown[]): void => watch.tell('the log', row.join(' '));
  const { run, runForRows } = writes;
  writes.run = <Row>(statement: CompiledSql) => {
    see(statement.params);
    return run.call(writes, statement) as ReturnType<typeof writes.run<Row>>;
  };
  writes.runForRows = ({ parts, ...rows }) =>
    runForRows.call(writes, {
      ...rows,
      parts: (function* seen() {
        for (const part of parts) {
          part.rows.forEach(see);
          yield part;
        }
      })(),
    });
}

async function bytesOf(body: unknown): Promise<Buffer> {
  if (body instanceof FormData) return Buffer.from(await new Response(body).arrayBuffer());
  return Buffer.from(typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body));
}

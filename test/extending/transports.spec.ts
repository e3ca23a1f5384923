import { ConflictException, Controller, Injectable, Module, UseFilters, UseInterceptors } from '@nestjs/common';
import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import { Args, GraphQLModule, Mutation, Query, Resolver } from '@nestjs/graphql';
import { MercuriusDriver, type MercuriusDriverConfig } from '@nestjs/mercurius';
import {
  ClientProxyFactory,
  MessagePattern,
  Payload,
  RpcException,
  type TcpClientOptions,
  Transport,
} from '@nestjs/microservices';
import { WsAdapter } from '@nestjs/platform-ws';
import { MessageBody, SubscribeMessage, WebSocketGateway, WsException } from '@nestjs/websockets';
import { firstValueFrom, type Observable } from 'rxjs';
import {
  Caller,
  CurrentAuth,
  CurrentCaller,
  ErrorFilter,
  GUEST,
  NotFoundError,
  type RecordModel,
  RecordsModule,
  RecordsService,
  RequireAuth,
  RequireSuperuser,
  runAs,
  ValidationError,
} from 'roost';
import type { TestRoost, TestRoostOptions } from 'roost/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { freePort } from '../support/free-port.js';
import { startRoost } from '../support/roost.js';

const SECRETS = { name: 'secrets', type: 'base', fields: [{ name: 'text', type: 'text' }] };
const NOTES = {
  name: 'notes',
  type: 'base',
  listRule: '@request.auth.id != ""',
  fields: [{ name: 'text', type: 'text' }],
};
const UNKNOWN = 'Something went wrong on the server.';

let roost: TestRoost;

const records = (): RecordsService => roost.app.get(RecordsService, { strict: false });

async function start(options: TestRoostOptions): Promise<void> {
  roost = await startRoost(options);
  await roost.createCollections(SECRETS, NOTES, { name: 'users', type: 'auth', fields: [] });
  await records().create('secrets', { text: 'a secret' });
  await records().create('notes', { text: 'a note' });
  await records().create('users', { email: 'ann@example.com', password: '1234567890' });
}

afterEach(() => roost?.close());

/** The same handlers for all transports. */
@Injectable()
class Reader {
  constructor(private readonly records: RecordsService) {}

  async texts(collection: string, as: Caller): Promise<string> {
    const { items } = await this.records.find(collection, { as });
    return items.map((record) => String(record.get('text'))).join();
  }

  fail(kind: string): never {
    if (kind === 'conflict') throw new ConflictException('It is taken.');
    if (kind === 'invalid') throw new ValidationError({ text: { code: 'validation_required', message: 'Needed.' } });
    if (kind === 'missing') throw new NotFoundError();
    if (kind === 'rpc') throw new RpcException('in its own words');
    if (kind === 'ws') throw new WsException('in its own words');
    throw new Error('a password of the server');
  }
}

@Resolver()
class NotesResolver {
  constructor(private readonly reader: Reader) {}

  @Query(() => String)
  who(@CurrentAuth() auth: RecordModel | null, @CurrentCaller() caller: Caller): string {
    return `${auth ? String(auth.get('email')) : 'nobody'} from ${caller.ip}`;
  }

  @Query(() => String)
  texts(@Args('collection') collection: string, @CurrentCaller() caller: Caller): Promise<string> {
    return this.reader.texts(collection, caller);
  }

  @Query(() => String)
  @RequireAuth('users')
  members(): string {
    return 'for members';
  }

  @Mutation(() => String)
  @RequireSuperuser()
  dangerous(): string {
    return 'done';
  }

  @Query(() => String)
  broken(@Args('kind') kind: string): string {
    return this.reader.fail(kind);
  }
}

@Module({
  imports: [
    RecordsModule,
    GraphQLModule.forRoot<MercuriusDriverConfig>({ driver: MercuriusDriver, autoSchemaFile: true }),
  ],
  providers: [Reader, NotesResolver],
})
class GraphQlNotesModule {}

describe('GraphQL over HTTP', () => {
  beforeEach(() => start({ imports: [GraphQlNotesModule] }));

  const ask = async (query: string, token?: string) => {
    const { body } = await roost.inject({ url: '/graphql', body: { query }, token });
    return body as { data: Record<string, unknown> | null; errors?: { message: string; extensions?: object }[] };
  };

  it('EXT-13 EXT-45 the caller of a resolver is the one of the request, the guest without a token', async () => {
    const token = await roost.signIn('users', 'ann@example.com');
    expect((await ask('{ who }')).data).toEqual({ who: 'nobody from 127.0.0.1' });
    expect((await ask('{ who }', token)).data).toEqual({ who: 'ann@example.com from 127.0.0.1' });
    expect((await ask('{ who }', 'no.token.atall')).data).toEqual({ who: 'nobody from 127.0.0.1' });
    expect((await ask('{ texts(collection: "notes") }', token)).data).toEqual({ texts: 'a note' });
    expect((await ask('{ texts(collection: "notes") }')).data).toEqual({ texts: '' });
  });

  it('EXT-13 a closed collection stays closed in a resolver', async () => {
    const token = await roost.signIn('users', 'ann@example.com');
    for (const caller of [undefined, token]) {
      const { data, errors } = await ask('{ texts(collection: "secrets") }', caller);
      expect(data).toBeNull();
      expect(errors![0]).toMatchObject({ extensions: { code: '403', data: {} } });
    }
    const answer = await ask('{ texts(collection: "secrets") }', await roost.createSuperuser());
    expect(answer.data).toEqual({ texts: 'a secret' });
  });

  it('EXT-10 EXT-13 resolvers ask for accounts as routes do', async () => {
    const user = await roost.signIn('users', 'ann@example.com');
    const superuser = await roost.createSuperuser();
    const codes = async (query: string) =>
      Promise.all(
        [undefined, user, superuser].map(async (token) => {
          const { errors } = await ask(query, token);
          return (errors?.[0]?.extensions as { code?: string } | undefined)?.code ?? '200';
        }),
      );
    expect(await codes('{ members }')).toEqual(['401', '200', '403']);
    expect(await codes('mutation { dangerous }')).toEqual(['401', '403', '200']);
  });

  it('AUTH-206 EXT-13 a superuser from an address that is not listed is refused in a resolver too', async () => {
    const token = await roost.createSuperuser();
    const body = { superuserIPs: ['10.0.0.1', '127.0.0.2'] };
    const settings = { method: 'PATCH', url: '/api/settings', token, body, remoteAddress: '127.0.0.2' } as const;
    expect((await roost.inject(settings)).status).toBeLessThan(300);
    expect((await ask('mutation { dangerous }', token)).data).toBeNull();
  });

  it('EXT-4 OPS-37 what a resolver throws is said as everywhere, and what breaks tells nothing', async () => {
    const errorOf = async (kind: string) => (await ask(`{ broken(kind: "${kind}") }`)).errors![0];
    expect(await errorOf('conflict')).toMatchObject({ message: 'It is taken.', extensions: { code: '409' } });
    const data = { text: { code: 'validation_required', message: 'Needed.' } };
    expect(await errorOf('invalid')).toMatchObject({ extensions: { code: '400', data } });
    expect(await errorOf('else')).toMatchObject({ message: UNKNOWN, extensions: { code: '500', data: {} } });
  });
});

/** What a team binds to a gateway or a handler to say who is calling there. */
class TokenInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const { as } = (context.getType() === 'ws' ? context.switchToWs() : context.switchToRpc()).getData<{
      as?: string;
    }>();
    return runAs(as === 'ann' ? new Caller(ann) : GUEST, () => next.handle());
  }
}

let ann: RecordModel;

@WebSocketGateway({ path: '/socket' })
@UseFilters(ErrorFilter)
class NotesGateway {
  constructor(private readonly reader: Reader) {}

  @SubscribeMessage('texts')
  texts(@MessageBody() { of }: { of: string }, @CurrentCaller() caller: Caller): Promise<string> {
    return this.reader.texts(of, caller);
  }

  @SubscribeMessage('members')
  @RequireAuth()
  members(): string {
    return 'for members';
  }

  @SubscribeMessage('who')
  @UseInterceptors(TokenInterceptor)
  who(@CurrentAuth() auth: RecordModel | null): { event: string; data: string } {
    return { event: 'who', data: auth ? String(auth.get('email')) : 'nobody' };
  }

  @SubscribeMessage('broken')
  broken(@MessageBody() { kind }: { kind: string }): never {
    return this.reader.fail(kind);
  }
}

@Module({ imports: [RecordsModule], providers: [Reader, NotesGateway] })
class GatewayModule {}

describe('WebSocket gateways', () => {
  let socket: WebSocket;

  beforeEach(async () => {
    await start({ imports: [GatewayModule], configureApp: (app) => void app.useWebSocketAdapter(new WsAdapter(app)) });
    ann = (await records().findFirst('users', "email = 'ann@example.com'"))!;
    socket = new WebSocket(`${(await roost.listen()).replace('http', 'ws')}/socket`);
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
  });
  afterEach(() => socket.close());

  const say = (event: string, data: object) =>
    new Promise<{ event: string; data: Record<string, unknown> }>((resolve) => {
      socket.once('message', (text: Buffer) => resolve(JSON.parse(text.toString())));
      socket.send(JSON.stringify({ event, data }));
    });

  it('EXT-13 the caller of a message is the guest, and a closed collection stays closed', async () => {
    expect(await say('texts', { of: 'secrets' })).toMatchObject({ event: 'exception', data: { code: 403 } });
    expect(await say('members', {})).toMatchObject({ event: 'exception', data: { code: 401 } });
  });

  it('EXT-13 runAs says who is calling', async () => {
    expect(await say('who', { as: 'ann' })).toEqual({ event: 'who', data: 'ann@example.com' });
    expect(await say('who', {})).toEqual({ event: 'who', data: 'nobody' });
  });

  it('EXT-4 ErrorFilter tells the clients of a gateway what those of HTTP are told', async () => {
    expect(await say('broken', { kind: 'conflict' })).toEqual({
      event: 'exception',
      data: {
        status: 'error',
        code: 409,
        message: 'It is taken.',
        data: {},
        cause: { pattern: 'broken', data: { kind: 'conflict' } },
      },
    });
    expect(await say('broken', { kind: 'ws' })).toMatchObject({ data: { message: 'in its own words' } });
    expect(await say('broken', { kind: 'else' })).toMatchObject({ data: { code: 500, message: UNKNOWN } });
  });
});

@Controller()
class NotesHandlers {
  constructor(private readonly reader: Reader) {}

  @MessagePattern('texts')
  texts(@Payload() of: string, @CurrentCaller() caller: Caller): Promise<string> {
    return this.reader.texts(of, caller);
  }

  @MessagePattern('dangerous')
  @RequireSuperuser()
  dangerous(): string {
    return 'done';
  }

  @MessagePattern('who')
  @UseInterceptors(TokenInterceptor)
  who(@CurrentAuth() auth: RecordModel | null): string {
    return auth ? String(auth.get('email')) : 'nobody';
  }

  @MessagePattern('broken')
  broken(@Payload() kind: string): never {
    return this.reader.fail(kind);
  }
}

@Module({ imports: [RecordsModule], controllers: [NotesHandlers], providers: [Reader] })
class HandlersModule {}

describe.each([{ inheritAppConfig: true }, { inheritAppConfig: false }])('microservices, %o', (hybrid) => {
  let client: ReturnType<typeof ClientProxyFactory.create>;

  beforeEach(async () => {
    const options = { host: '127.0.0.1', port: await freePort() };
    const tcp: TcpClientOptions = { transport: Transport.TCP, options };
    await start({
      imports: [HandlersModule],
      configureApp: async (app) => {
        app.connectMicroservice(tcp, hybrid);
        await app.startAllMicroservices();
      },
    });
    ann = (await records().findFirst('users', "email = 'ann@example.com'"))!;
    client = ClientProxyFactory.create(tcp);
    await client.connect();
  });
  afterEach(() => client.close());

  const send = (pattern: string, data: unknown = {}): Promise<unknown> =>
    firstValueFrom(client.send<unknown>(pattern, data));

  it('EXT-13 the caller of a message is the guest, the one of runAs where that says so', async () => {
    await expect(send('texts', 'secrets')).rejects.toMatchObject({ status: 'error' });
    expect(await send('texts', 'notes')).toBe('');
    expect([await send('who', { as: 'ann' }), await send('who')]).toEqual(['ann@example.com', 'nobody']);
  });

  it('EXT-10 EXT-13 what asks for a superuser stays closed', async () => {
    await expect(send('dangerous')).rejects.toMatchObject({ status: 'error' });
  });

  it('EXT-13 every error is answered', async () => {
    const [conflict, own, unknown] = hybrid.inheritAppConfig
      ? [
          { status: 'error', code: 409, message: 'It is taken.', data: {} },
          { status: 'error', message: 'in its own words' },
          { status: 'error', code: 500, message: UNKNOWN, data: {} },
        ]
      : [
          { status: 'error', message: 'Internal server error' },
          { status: 'error', message: 'in its own words' },
          { status: 'error', message: 'Internal server error' },
        ];
    await expect(send('broken', 'conflict')).rejects.toEqual(conflict);
    await expect(send('broken', 'rpc')).rejects.toEqual(own);
    await expect(send('broken', 'else')).rejects.toEqual(unknown);
  });
});

describe('full rights', () => {
  beforeEach(() => start({}));

  it('EXT-13 are given by leaving `as` out or by null, and never by a caller that is missing', async () => {
    expect((await records().find('secrets')).totalItems).toBe(1);
    expect((await records().find('secrets', { as: null })).totalItems).toBe(1);
    const { id } = (await records().findFirst('secrets', "id != ''"))!;
    const as = undefined;
    const calls: (() => Promise<unknown>)[] = [
      () => records().find('secrets', { as }),
      () => records().findOne('secrets', id, { as }),
      () => records().findFirst('secrets', "id != ''", {}, { as }),
      () => records().count('secrets', { as }),
      () => records().create('secrets', { text: 'x' }, { as }),
      () => records().update('secrets', id, { text: 'x' }, { as }),
      () => records().upsert('secrets', { id, text: 'x' }, { as }),
      () => records().delete('secrets', id, { as }),
      async () => records().show(await records().findOne('secrets', id), as as unknown as Caller),
    ];
    for (const call of calls) await expect(call()).rejects.toThrow(TypeError);
    const record = await records().findOne('secrets', id);
    await expect(records().find('secrets', { as: record as never })).rejects.toThrow('"as" must be a Caller');
    expect(record.get('text')).toBe('a secret');
    expect(await records().count('secrets')).toBe(1);
  });

  it('EXT-13 a caller is somebody or a guest', () => {
    expect(() => new Caller(undefined as never)).toThrow(TypeError);
    expect(() => runAs(undefined as never, () => 1)).toThrow(TypeError);
    expect(new Caller(null).isGuest).toBe(true);
  });
});

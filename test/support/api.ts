import type { TestResponse, TestRoost } from '../../src/testing/index.js';

/** Calls to the record endpoints of one application, as one caller. */
export class RecordApi {
  constructor(
    private readonly roost: TestRoost,
    private readonly token?: string,
  ) {}

  /** The same calls as somebody else. */
  as(token: string | undefined): RecordApi {
    return new RecordApi(this.roost, token);
  }

  list(collection: string, query: Readonly<Record<string, string | undefined>> = {}): Promise<TestResponse> {
    return this.call('GET', collection, '', query);
  }

  view(
    collection: string,
    id: string,
    query: Readonly<Record<string, string | undefined>> = {},
  ): Promise<TestResponse> {
    return this.call('GET', collection, `/${id}`, query);
  }

  create(
    collection: string,
    body: unknown,
    query: Readonly<Record<string, string | undefined>> = {},
  ): Promise<TestResponse> {
    return this.call('POST', collection, '', query, body);
  }

  update(
    collection: string,
    id: string,
    body: unknown,
    query: Readonly<Record<string, string | undefined>> = {},
  ): Promise<TestResponse> {
    return this.call('PATCH', collection, `/${id}`, query, body);
  }

  upsert(collection: string, body: unknown): Promise<TestResponse> {
    return this.call('PUT', collection, '', {}, body);
  }

  delete(collection: string, id: string): Promise<TestResponse> {
    return this.call('DELETE', collection, `/${id}`, {});
  }

  /** A created record; fails when it was refused. */
  async make(collection: string, body: unknown): Promise<Record<string, unknown> & { id: string }> {
    const response = await this.create(collection, body);
    if (response.status !== 200) throw new Error(`${collection} refused ${JSON.stringify(body)}: ${response.text}`);
    return response.body;
  }

  /** One column of a list, in its order. */
  async column(
    collection: string,
    name: string,
    query: Readonly<Record<string, string | undefined>> = {},
  ): Promise<unknown[]> {
    const response = await this.list(collection, query);
    if (response.status !== 200) throw new Error(`${collection} cannot be listed: ${response.text}`);
    return response.body.items.map((item: Record<string, unknown>) => item[name]);
  }

  private call(
    method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE',
    collection: string,
    path: string,
    query: Readonly<Record<string, string | undefined>>,
    body?: unknown,
  ): Promise<TestResponse> {
    const search = new URLSearchParams(
      Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined),
    ).toString();
    return this.roost.inject({
      method,
      url: `/api/collections/${collection}/records${path}${search ? `?${search}` : ''}`,
      body,
      token: this.token,
    });
  }
}

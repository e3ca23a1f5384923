import { Injectable } from '@nestjs/common';
import { BodyReader } from '../../http/body/body-reader.js';
import type { RequestBody } from '../../http/body/request-body.js';
import type { RoostRequest } from '../../http/request/roost-request.js';
import { RecordBodyLimit } from './record-body-limit.js';

/**
 * Bodies of records, read when the method of the route is called. `@ReadsBody()` would do the same by an interceptor,
 * for which Nest makes each request an observable: a sixth of a create.
 */
@Injectable()
export class RecordBodies {
  constructor(
    private readonly reader: BodyReader,
    private readonly limit: RecordBodyLimit,
  ) {}

  /** Reads the body, and disposes of it when the work has ended. */
  async during<T>(request: RoostRequest, work: (body: RequestBody) => Promise<T>): Promise<T> {
    const body = await this.reader.read(request, this.limit.limits(request));
    // For interceptors, as after `@ReadsBody()`.
    request.requestBody = body;
    request.body = body.values;
    try {
      return await work(body);
    } finally {
      void body.dispose();
    }
  }
}

import { Global, Module } from '@nestjs/common';
import { BodyReader } from './body/body-reader.js';
import { CollectionBodyLimit, ImportBodyLimit, SmallBodyLimit } from './body/fixed-body-limits.js';
import { LargeBodies } from './body/large-bodies.js';
import { MultipartReader } from './body/multipart-reader.js';
import { RouteAccessGuard } from './request/route-access.guard.js';
import { TrafficGate } from './adapter/traffic-gate.js';
import { UnreadBodies } from './body/unread-bodies.js';

/** What routes with a body need, and the gate in front of all routes. */
@Global()
@Module({
  providers: [
    BodyReader,
    CollectionBodyLimit,
    ImportBodyLimit,
    SmallBodyLimit,
    LargeBodies,
    MultipartReader,
    RouteAccessGuard,
    TrafficGate,
    UnreadBodies,
  ],
  exports: [BodyReader, MultipartReader, RouteAccessGuard, TrafficGate],
})
export class HttpModule {}

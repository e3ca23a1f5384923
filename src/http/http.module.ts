import { Global, Module } from '@nestjs/common';
import { BodyReader } from './body-reader.js';
import { CollectionBodyLimit, ImportBodyLimit, SmallBodyLimit } from './fixed-body-limits.js';
import { LargeBodies } from './large-bodies.js';
import { MultipartReader } from './multipart-reader.js';
import { Routes } from './routes.js';
import { TrafficGate } from './traffic-gate.js';
import { UnreadBodies } from './unread-bodies.js';

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
    Routes,
    TrafficGate,
    UnreadBodies,
  ],
  exports: [BodyReader, MultipartReader, Routes, TrafficGate],
})
export class HttpModule {}

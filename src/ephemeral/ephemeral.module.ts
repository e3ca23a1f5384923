import { Global, Module } from '@nestjs/common';
import { replaceable } from '../config/replaceable.js';
import { MONOTONIC_CLOCK } from '../config/roost-config.js';
import type { Clock } from '../kernel/clock.js';
import { EPHEMERAL_STORE } from './ephemeral-store.js';
import { MemoryEphemeralStore } from './memory-ephemeral-store.js';

/** What is remembered for a short time. */
@Global()
@Module({
  providers: replaceable(EPHEMERAL_STORE, {
    provide: MemoryEphemeralStore,
    inject: [MONOTONIC_CLOCK],
    useFactory: (clock: Clock) => new MemoryEphemeralStore(clock),
  }),
  exports: [EPHEMERAL_STORE],
})
export class EphemeralModule {}

import { type DynamicModule, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import type { Clock } from '../kernel/clock.js';
import { MonotonicClock } from '../kernel/monotonic-clock.js';
import { CLOCK, ROOST_CONFIG, type RoostConfig, MONOTONIC_CLOCK } from './roost-config.js';
import { ProviderMethods } from './provider-methods.js';
import { SystemClock } from './system-clock.js';

/** Provides the RoostConfig and the clocks to every module; the one place through which configuration reaches them. */
@Module({})
export class ConfigModule {
  static forRoot(config: RoostConfig, clock: Clock = new SystemClock()): DynamicModule {
    return {
      module: ConfigModule,
      global: true,
      imports: [DiscoveryModule],
      providers: [
        { provide: ROOST_CONFIG, useValue: config },
        { provide: CLOCK, useValue: clock },
        { provide: MONOTONIC_CLOCK, useFactory: (time: Clock) => new MonotonicClock(time), inject: [CLOCK] },
        ProviderMethods,
      ],
      exports: [ROOST_CONFIG, CLOCK, MONOTONIC_CLOCK, ProviderMethods],
    };
  }
}

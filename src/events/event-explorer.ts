import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { ProviderMethods } from '../config/provider-methods.js';
import { EVENT_BUS, type EventBus } from './event-bus.js';
import { EVENT_HANDLERS, type EventHandlerMetadata } from './on-event.decorator.js';

/** Subscribes the marked methods of all providers at start-up, in the order of module imports. */
@Injectable()
export class EventExplorer implements OnModuleInit {
  constructor(
    private readonly methods: ProviderMethods,
    @Inject(EVENT_BUS) private readonly bus: EventBus,
  ) {}

  onModuleInit(): void {
    for (const { instance, method } of this.methods.marked([EVENT_HANDLERS], 'event handlers')) {
      for (const { type, options } of Reflect.getMetadata(EVENT_HANDLERS, method) as EventHandlerMetadata[]) {
        const handler = (event: object) => method.call(instance, event as never) as void | Promise<void>;
        this.bus.subscribe(type, handler, options);
      }
    }
  }
}

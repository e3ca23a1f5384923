import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { EVENT_BUS, type EventBus, type EventType } from './event-bus.js';
import { EVENT_HANDLERS } from './on-event.decorator.js';

/** Subscribes the marked methods of all providers at start-up, in the order of module imports. */
@Injectable()
export class EventExplorer implements OnModuleInit {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    @Inject(EVENT_BUS) private readonly bus: EventBus,
  ) {}

  onModuleInit(): void {
    const seen = new Set<object>();
    for (const wrapper of this.discovery.getProviders()) {
      const instance = wrapper.instance as Record<string, unknown> | null;
      if (!instance || typeof instance !== 'object' || seen.has(instance) || !wrapper.isDependencyTreeStatic())
        continue;
      seen.add(instance);
      const prototype = Object.getPrototypeOf(instance) as object | null;
      if (!prototype) continue;
      for (const name of this.scanner.getAllMethodNames(prototype)) this.subscribe(instance, name);
    }
  }

  private subscribe(instance: Record<string, unknown>, name: string): void {
    const method = instance[name];
    if (typeof method !== 'function') return;
    const types = (Reflect.getMetadata(EVENT_HANDLERS, method) as EventType[] | undefined) ?? [];
    for (const type of types) this.bus.subscribe(type, (event) => method.call(instance, event) as void | Promise<void>);
  }
}

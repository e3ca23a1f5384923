import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { HOOK_HANDLERS, type HookMark } from './create-hook.js';
import { HookRegistry } from './hook-registry.js';

/** Finds the marked methods of all providers and controllers at start-up, in the order of module imports. */
@Injectable()
export class HookExplorer implements OnModuleInit {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly registry: HookRegistry,
  ) {}

  onModuleInit(): void {
    const seen = new Set<object>();
    for (const wrapper of [...this.discovery.getProviders(), ...this.discovery.getControllers()]) {
      const instance = wrapper.instance as Record<string, unknown> | null;
      if (!instance || typeof instance !== 'object' || seen.has(instance) || !wrapper.isDependencyTreeStatic())
        continue;
      seen.add(instance);
      this.explore(instance);
    }
  }

  private explore(instance: Record<string, unknown>): void {
    const prototype = Object.getPrototypeOf(instance) as object | null;
    if (!prototype) return;
    for (const name of this.scanner.getAllMethodNames(prototype)) {
      const method = instance[name];
      if (typeof method !== 'function') continue;
      const marks = (Reflect.getMetadata(HOOK_HANDLERS, method) as HookMark[] | undefined) ?? [];
      for (const mark of marks) {
        this.registry.add(mark.hook, {
          run: (event) => method.call(instance, event) as unknown,
          collections: mark.collections,
          order: mark.order,
          observes: mark.observes,
          label: `${instance.constructor.name}.${name}`,
        });
      }
    }
  }
}

import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ProviderMethods } from '../config/provider-methods.js';
import { HOOK_HANDLERS, type HookMetadata } from './create-hook.js';
import { HookRegistry } from './hook-registry.js';

/** Registers the marked methods of all providers and controllers at start-up, in the order of module imports. */
@Injectable()
export class HookExplorer implements OnModuleInit {
  constructor(
    private readonly methods: ProviderMethods,
    private readonly registry: HookRegistry,
  ) {}

  onModuleInit(): void {
    for (const { instance, method, label } of this.methods.marked([HOOK_HANDLERS], 'hooks')) {
      for (const metadata of Reflect.getMetadata(HOOK_HANDLERS, method) as HookMetadata[]) {
        this.registry.add(metadata.hook, {
          run: (event) => method.call(instance, event),
          collections: metadata.collections,
          order: metadata.order,
          observes: metadata.observes,
          label,
        });
      }
    }
  }
}

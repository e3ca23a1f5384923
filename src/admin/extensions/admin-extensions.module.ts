import { type DynamicModule, Module } from '@nestjs/common';
import type { AdminExtension } from './admin-extension.js';
import { AdminExtensionRegistry } from './admin-extension-registry.js';
import { AdminExtensionRegistryModule } from './admin-extension-registry.module.js';

/**
 * How a team adds to the admin UI: `imports: [AdminExtensionsModule.register({ script, fieldTypes, pages, actions })]`.
 */
@Module({})
export class AdminExtensionsModule {
  /**
   * The start fails when a script lies elsewhere than below `/_/extensions/`, when two extensions have the same page or
   * field type, and for a field type that no module registers.
   */
  static register(...extensions: readonly AdminExtension[]): DynamicModule {
    return {
      module: AdminExtensionsModule,
      imports: [AdminExtensionRegistryModule],
      providers: [
        {
          provide: Symbol('registered extensions of the admin UI'),
          useFactory: (registry: AdminExtensionRegistry) =>
            extensions.forEach((extension) => registry.register(extension)),
          inject: [AdminExtensionRegistry],
        },
      ],
    };
  }
}

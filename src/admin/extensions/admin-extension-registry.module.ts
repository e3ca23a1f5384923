import { Module } from '@nestjs/common';
import { AdminExtensionRegistry } from './admin-extension-registry.js';

/** The one registry of what modules add to the admin UI. */
@Module({ providers: [AdminExtensionRegistry], exports: [AdminExtensionRegistry] })
export class AdminExtensionRegistryModule {}

import { Global, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { HookExplorer } from './hook-explorer.js';
import { HookRegistry } from './hook-registry.js';

/** Before and After: how modules take part in what Roost does (chapter 07 D). */
@Global()
@Module({ imports: [DiscoveryModule], providers: [HookRegistry, HookExplorer], exports: [HookRegistry] })
export class HooksModule {}

import { Global, Module } from '@nestjs/common';
import { HookExplorer } from './hook-explorer.js';
import { HookRegistry } from './hook-registry.js';

/** Before and After: how modules take part in what Roost does (chapter 07 D). */
@Global()
@Module({ providers: [HookRegistry, HookExplorer], exports: [HookRegistry] })
export class HooksModule {}

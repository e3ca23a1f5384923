import { type DynamicModule, Module } from '@nestjs/common';
import { INSTANCE_LINK, type InstanceLink } from './instance-link.js';

/** How this process reaches the others that serve the same application (chapter 08). */
@Module({})
export class InstancesModule {
  static forRoot(link: InstanceLink): DynamicModule {
    return {
      module: InstancesModule,
      global: true,
      providers: [{ provide: INSTANCE_LINK, useValue: link }],
      exports: [INSTANCE_LINK],
    };
  }
}

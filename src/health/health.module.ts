import { Module } from '@nestjs/common';
import { StorageModule } from '../storage/storage.module.js';
import { HealthController } from './health.controller.js';
import { HealthService } from './health.service.js';

/** Is the process able to do its work? (OPS-145) */
@Module({ imports: [StorageModule], controllers: [HealthController], providers: [HealthService] })
export class HealthModule {}

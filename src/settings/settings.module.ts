import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { SettingsStore } from './settings-store.js';
import { SettingsController } from './settings.controller.js';
import { ParamEntity } from './settings.entity.js';
import { SettingsService } from './settings.service.js';

/** The application's settings (chapter 06 A). */
@Global()
@Module({
  imports: [TypeOrmModule.forFeature([ParamEntity])],
  controllers: [SettingsController],
  providers: [SettingsService, SettingsStore],
  exports: [SettingsService],
})
export class SettingsModule {}

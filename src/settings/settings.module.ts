import { Global, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { ClientIp, TRUSTED_PROXY } from '../http/request/client-ip.js';
import { SettingsStore } from './settings-store.js';
import { SettingsController } from './settings.controller.js';
import { ParamEntity } from './param.entity.js';
import { SettingsService } from './settings.service.js';

/** The application's settings (chapter 06 A). */
@Global()
@Module({
  imports: [TypeOrmModule.forFeature([ParamEntity])],
  controllers: [SettingsController],
  providers: [
    SettingsService,
    SettingsStore,
    ClientIp,
    {
      provide: TRUSTED_PROXY,
      inject: [SettingsService],
      useFactory: (settings: SettingsService) => () => settings.get().trustedProxy,
    },
  ],
  exports: [SettingsService, ClientIp],
})
export class SettingsModule {}

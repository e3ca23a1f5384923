import { BullModule } from '@nestjs/bullmq';
import { type DynamicModule, Module } from '@nestjs/common';
import { GraphQLModule } from '@nestjs/graphql';
import { MercuriusDriver, type MercuriusDriverConfig } from '@nestjs/mercurius';
import { MailModule, RecordsModule, TokensModule } from 'roost';
import { SmsModule } from '../sms/sms-sign-in.js';
import { AppointmentsResolver } from './appointments.resolver.js';
import { AppointmentsService } from './appointments.service.js';
import { ClinicAdminModule } from './clinic-admin.module.js';
import { LegacyPasswords } from './legacy-passwords.js';
import { ReminderHooks, ReminderProcessor } from './reminders.js';
import { TokenInterceptor } from './token.interceptor.js';
import { WaitingRoomGateway } from './waiting-room.gateway.js';

/** Where the queue is. */
export interface ClinicOptions {
  readonly redis: { readonly host: string; readonly port: number };
}

/** A clinic's booking service: other people's Nest modules and Roost's parts in one application. */
@Module({})
export class ClinicModule {
  static forRoot({ redis }: ClinicOptions): DynamicModule {
    return {
      module: ClinicModule,
      imports: [
        RecordsModule,
        MailModule,
        TokensModule,
        SmsModule,
        ClinicAdminModule,
        GraphQLModule.forRoot<MercuriusDriverConfig>({ driver: MercuriusDriver, autoSchemaFile: true }),
        BullModule.forRoot({ connection: redis }),
        BullModule.registerQueue({ name: 'reminders' }),
      ],
      providers: [
        AppointmentsResolver,
        AppointmentsService,
        LegacyPasswords,
        ReminderHooks,
        ReminderProcessor,
        TokenInterceptor,
        WaitingRoomGateway,
      ],
    };
  }
}

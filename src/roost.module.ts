import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { AdminModule } from './admin/admin.module.js';
import { AuthModule } from './auth/auth.module.js';
import { AuthenticationGuard } from './auth/authentication.guard.js';
import { SuperuserIpsGuard } from './auth/superuser-ips.guard.js';
import { BatchModule } from './batch/batch.module.js';
import { BackupsModule } from './backups/backups.module.js';
import { CliModule } from './cli/cli.module.js';
import { CommandRunnerModule } from './cli/command-runner.module.js';
import { TestRunModule } from './cli/test-run.module.js';
import { CollectionGuard } from './collections/collection.guard.js';
import { CollectionsModule } from './collections/collections.module.js';
import { ConfigModule } from './config/config.module.js';
import { readConfig } from './config/read-config.js';
import { type Replacement, replacementsModule } from './config/replaceable.js';
import type { RoostConfig } from './config/roost-config.js';
import { CronsModule } from './crons/crons.module.js';
import { DatabaseModule } from './database/database.module.js';
import { EphemeralModule } from './ephemeral/ephemeral.module.js';
import { EventsModule } from './events/events.module.js';
import { FilesModule } from './files/files.module.js';
import { HealthModule } from './health/health.module.js';
import type { InstanceLink } from './instances/instance-link.js';
import { InstancesModule } from './instances/instances.module.js';
import { LoneInstance } from './instances/lone-instance.js';
import { InsightsModule } from './insights/insights.module.js';
import { HooksModule } from './hooks/hooks.module.js';
import { ErrorFilter } from './http/answer/error.filter.js';
import { HttpModule } from './http/http.module.js';
import { RouteAccessGuard } from './http/request/route-access.guard.js';
import { RedisModule } from './instances/redis.module.js';
import { LogsModule } from './logs/logs.module.js';
import { CapturedMails } from './mail/captured-mails.js';
import { MailModule } from './mail/mail.module.js';
import { MAIL_TRANSPORT } from './mail/mail-transport.js';
import { OpenApiModule } from './openapi/openapi.module.js';
import { PasswordsModule } from './passwords/passwords.module.js';
import { PublicFilesModule } from './public-files/public-files.module.js';
import { PocketBaseImportModule } from './pocketbase-import/pocketbase-import.module.js';
import { RateLimitGuard } from './rate-limits/rate-limit.guard.js';
import { RateLimitsModule } from './rate-limits/rate-limits.module.js';
import { RealtimeModule } from './realtime/realtime.module.js';
import { RecordsModule } from './records/records.module.js';
import type { RoostOptions } from './roost-options.js';
import { SettingsModule } from './settings/settings.module.js';
import { SqlConsoleModule } from './sql-console/sql-console.module.js';
import { StorageModule } from './storage/storage.module.js';
import { TokensModule } from './tokens/tokens.module.js';
import { UserMigrationsModule } from './user-migrations/user-migrations.module.js';

/** What every request passes, in this order (OPS-30). Routes add what is their own: `RuleGuard`, `@ReadsBody()`. */
const pipeline: Provider[] = [
  { provide: APP_FILTER, useClass: ErrorFilter }, // every error body
  { provide: APP_GUARD, useExisting: AuthenticationGuard }, // who is calling
  { provide: APP_GUARD, useExisting: SuperuserIpsGuard }, // superusers from allowed addresses only
  { provide: APP_GUARD, useExisting: CollectionGuard }, // @ForCollection: 404 before anything is counted
  { provide: APP_GUARD, useExisting: RateLimitGuard }, // how often
  { provide: APP_GUARD, useExisting: RouteAccessGuard }, // @RequireAuth, @RequireSuperuser
];

/** Everything Roost consists of, by layer, and a team's own modules after it. */
@Module({})
export class RoostModule {
  /** The module of one application. Two in one process share nothing. */
  static forRoot(
    config: RoostConfig,
    options: RoostOptions = {},
    link: InstanceLink = new LoneInstance(),
  ): DynamicModule {
    return {
      module: RoostModule,
      imports: [
        ConfigModule.forRoot(config, options.clock),
        InstancesModule.forRoot(link),
        replacementsModule(options.replace ?? []),
        HttpModule,
        DatabaseModule.forRoot({ allowsBegin: hasCodeOfATeam(options) }),
        RedisModule,
        EphemeralModule.forRoot(config),
        HooksModule,
        EventsModule,
        SettingsModule,
        TokensModule,
        PasswordsModule,
        CollectionsModule,
        StorageModule,
        MailModule,
        RateLimitsModule,
        RecordsModule,
        AuthModule,
        FilesModule,
        RealtimeModule,
        BatchModule,
        LogsModule,
        BackupsModule,
        CronsModule,
        SqlConsoleModule,
        PublicFilesModule,
        UserMigrationsModule,
        HealthModule,
        InsightsModule,
        PocketBaseImportModule,
        OpenApiModule.forRoot(options.api),
        AdminModule,
        ...(options.imports ?? []),
        CliModule,
      ],
      providers: pipeline,
    };
  }

  /**
   * For `Test.createTestingModule({ imports: [RoostModule.forTest()] })`: it opens a data directory when the module is
   * initialised, a temporary one unless `dir` names one, and keeps mails instead of sending them (`MAIL_TRANSPORT` is a
   * CapturedMails). Nothing of the environment is read.
   */
  static forTest({ dir, ...options }: RoostOptions & { readonly dir?: string } = {}): DynamicModule {
    const place = dir ?? mkdtempSync(join(tmpdir(), 'roost-test-'));
    const overrides = { ...temporaryPlaces(place), ...options.config };
    const { config } = readConfig({ argv: [], env: {}, cwd: place, overrides });
    const replace = withCapturedMails(options.replace);
    const root = CommandRunnerModule.forModule(RoostModule.forRoot(config, { ...options, replace }));
    return TestRunModule.around(root, dir === undefined ? place : null);
  }
}

/** Configuration that keeps everything an application has in one place. */
export function temporaryPlaces(dir: string): Readonly<Record<string, string>> {
  return {
    ROOST_DIR: dir,
    ROOST_PUBLIC_DIR: join(dir, 'public'),
    ROOST_MIGRATIONS_DIR: join(dir, 'migrations'),
  };
}

/** The replacements, and one that captures mails where none says what becomes of them. */
export function withCapturedMails(replace: readonly Replacement[] = [], mails = new CapturedMails()): Replacement[] {
  if (replace.some(({ provide }) => provide === MAIL_TRANSPORT)) return [...replace];
  return [{ provide: MAIL_TRANSPORT, useValue: mails }, ...replace];
}

/**
 * Whether modules or code of a team take part. Ready values, as tests replace parts by, get nothing injected and cannot
 * begin transactions.
 */
function hasCodeOfATeam({ imports = [], configureApp, replace = [] }: RoostOptions): boolean {
  return imports.length > 0 || configureApp !== undefined || replace.some((part) => !('useValue' in part));
}

import { Module } from '@nestjs/common';
import { CollectionsModule } from '../collections/collections.module.js';
import { MailModule } from '../mail/mail.module.js';
import { PasswordsModule } from '../passwords/passwords.module.js';
import { RateLimitsModule } from '../rate-limits/rate-limits.module.js';
import { RecordsModule } from '../records/records.module.js';
import { SseModule } from '../sse/sse.module.js';
import { StorageModule } from '../storage/storage.module.js';
import { TokensModule } from '../tokens/tokens.module.js';
import { AuthAlerts } from './auth-alerts.js';
import { AuthMethodsController } from './auth-methods.controller.js';
import { AuthMethodsService } from './auth-methods.service.js';
import { AuthRefreshController } from './auth-refresh.controller.js';
import { AuthRefreshService } from './auth-refresh.service.js';
import { AuthResults } from './auth-results.js';
import { AuthGuard } from './auth.guard.js';
import { AuthenticationGuard } from './authentication.guard.js';
import { AuthMails } from './emails/auth-mails.js';
import { BackgroundMails } from './emails/background-mails.js';
import { EmailChangeController } from './emails/email-change.controller.js';
import { EmailChangePauses } from './emails/email-change-pauses.js';
import { EmailChangeService } from './emails/email-change.service.js';
import { MailCooldown } from './emails/mail-cooldown.js';
import { MailReceivers } from './emails/mail-receivers.js';
import { PasswordResetController } from './emails/password-reset.controller.js';
import { PasswordResetService } from './emails/password-reset.service.js';
import { TestEmailController } from './emails/test-email.controller.js';
import { TestEmailService } from './emails/test-email.service.js';
import { VerificationController } from './emails/verification.controller.js';
import { VerificationService } from './emails/verification.service.js';
import { ExpiredLoginsCron } from './expired-logins.cron.js';
import { ImpersonateController } from './impersonate.controller.js';
import { ImpersonateService } from './impersonate.service.js';
import { MfaService } from './mfa/mfa.service.js';
import { AppleClientSecretController } from './oauth2/apple-client-secret.controller.js';
import { AppleNames } from './oauth2/apple-names.js';
import { AvatarDownloader } from './oauth2/avatar-downloader.js';
import { AvatarFiles } from './oauth2/avatar-files.js';
import { IdTokenVerifier } from './oauth2/id-token-verifier.js';
import { OAuth2Accounts } from './oauth2/oauth2-accounts.js';
import { OAuth2ProvidersModule } from './oauth2/oauth2-providers.module.js';
import { OAuth2RedirectController } from './oauth2/oauth2-redirect.controller.js';
import { OAuth2RedirectService } from './oauth2/oauth2-redirect.service.js';
import { OAuth2SignUp } from './oauth2/oauth2-sign-up.js';
import { OAuth2Users } from './oauth2/oauth2-users.js';
import { OAuth2Controller } from './oauth2/oauth2.controller.js';
import { OAuth2Service } from './oauth2/oauth2.service.js';
import { TokenExchange } from './oauth2/token-exchange.js';
import { OtpAttempts } from './otp/otp-attempts.js';
import { OtpDecoys } from './otp/otp-decoys.js';
import { OtpLoginService } from './otp/otp-login.service.js';
import { OtpRequestsService } from './otp/otp-requests.service.js';
import { OtpRows } from './otp/otp-rows.js';
import { OtpController } from './otp/otp.controller.js';
import { PasswordLoginController } from './password/password-login.controller.js';
import { PasswordLoginService } from './password/password-login.service.js';
import { ReferenceRecordsHooks } from './reference-records.hooks.js';
import { SignIn } from './sign-in.js';
import { SignInService } from './sign-in.service.js';
import { SuperuserIps } from './superuser-ips.js';
import { SuperuserIpsGuard } from './superuser-ips.guard.js';
import { SuperuserGuard } from './superuser.guard.js';
import { SetupController } from './superusers/setup.controller.js';
import { SetupService } from './superusers/setup.service.js';
import { SuperuserRecordsHooks } from './superusers/superuser-records.hooks.js';
import { SuperusersService } from './superusers/superusers.service.js';

/** Part of the request pipeline of every route, or for `@UseGuards`. */
const guards = [AuthenticationGuard, SuperuserIpsGuard, AuthGuard, SuperuserGuard];

/** What all ways of signing in have in common. */
const signIn = [SuperuserIps, SignIn, SignInService, MfaService, AuthAlerts, AuthResults];

const otp = [OtpRequestsService, OtpLoginService, OtpRows, OtpDecoys, OtpAttempts];

const oauth2 = [
  TokenExchange,
  IdTokenVerifier,
  OAuth2Users,
  OAuth2Accounts,
  OAuth2SignUp,
  OAuth2Service,
  OAuth2RedirectService,
  AppleNames,
  AvatarDownloader,
  AvatarFiles,
];

const emails = [
  AuthMails,
  BackgroundMails,
  MailCooldown,
  MailReceivers,
  VerificationService,
  PasswordResetService,
  EmailChangePauses,
  EmailChangeService,
  TestEmailService,
];

/** Who is calling, every way to sign in, and what keeps accounts in order (chapter 03). */
@Module({
  imports: [
    CollectionsModule,
    MailModule,
    OAuth2ProvidersModule,
    PasswordsModule,
    RateLimitsModule,
    RecordsModule,
    SseModule,
    StorageModule,
    TokensModule,
  ],
  controllers: [
    AuthMethodsController,
    PasswordLoginController,
    OtpController,
    OAuth2Controller,
    OAuth2RedirectController,
    AuthRefreshController,
    ImpersonateController,
    VerificationController,
    PasswordResetController,
    EmailChangeController,
    SetupController,
    TestEmailController,
    AppleClientSecretController,
  ],
  providers: [
    ...guards,
    ...signIn,
    AuthMethodsService,
    AuthRefreshService,
    ImpersonateService,
    PasswordLoginService,
    ...otp,
    ...oauth2,
    ...emails,
    SuperusersService,
    SetupService,
    SuperuserRecordsHooks,
    ReferenceRecordsHooks,
    ExpiredLoginsCron,
  ],
  exports: [...guards, SignInService, SuperusersService, SetupService],
})
export class AuthModule {}

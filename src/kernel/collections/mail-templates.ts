import type { MailTemplate } from './auth-options.js';

/** Mail texts of a new auth collection (AUTH-1305). The layout around them is added when a mail is sent. */
export interface DefaultMailTemplates {
  readonly verification: MailTemplate;
  readonly resetPassword: MailTemplate;
  readonly confirmEmailChange: MailTemplate;
  readonly otp: MailTemplate;
  readonly authAlert: MailTemplate;
}

const SIGNATURE = '<p>Best wishes,<br/>{APP_NAME}</p>';

function button(page: string, label: string): string {
  return `<p><a class="btn" href="{APP_URL}/_/#/auth/${page}/{TOKEN}" target="_blank" rel="noopener">${label}</a></p>`;
}

function lines(...paragraphs: readonly string[]): string {
  return paragraphs.join('\n');
}

/** The texts themselves. Placeholders are those of AUTH-1304. */
export const DEFAULT_MAIL_TEMPLATES: DefaultMailTemplates = {
  verification: {
    subject: 'Confirm your email address for {APP_NAME}',
    body: lines(
      '<p>Hello,</p>',
      '<p>welcome to {APP_NAME}. Please confirm that this is your email address.</p>',
      button('confirm-verification', 'Confirm my address'),
      '<p><small>You did not register with {APP_NAME}? Then nothing needs to be done, please ignore this mail.</small></p>',
      SIGNATURE,
    ),
  },
  resetPassword: {
    subject: 'Choose a new {APP_NAME} password',
    body: lines(
      '<p>Hello,</p>',
      '<p>somebody, hopefully you, asked for a new password for your {APP_NAME} account.</p>',
      button('confirm-password-reset', 'Choose a new password'),
      '<p><small>It was not you? Then ignore this mail, your password stays as it is.</small></p>',
      SIGNATURE,
    ),
  },
  confirmEmailChange: {
    subject: 'Confirm your new email address for {APP_NAME}',
    body: lines(
      '<p>Hello,</p>',
      '<p>this address was entered as the new email address of a {APP_NAME} account. It takes effect once you confirm it.</p>',
      button('confirm-email-change', 'Use this address'),
      '<p><small>You know nothing of this? Then ignore this mail, nothing will change.</small></p>',
      SIGNATURE,
    ),
  },
  otp: {
    subject: 'Your {APP_NAME} sign-in code',
    body: lines(
      '<p>Hello,</p>',
      '<p>this is your code to sign in: <strong>{OTP}</strong></p>',
      '<p>Please do not share it with anybody.</p>',
      '<p><small>You are not signing in right now? Then ignore this mail.</small></p>',
      SIGNATURE,
    ),
  },
  authAlert: {
    subject: 'New sign-in to your {APP_NAME} account',
    body: lines(
      '<p>Hello,</p>',
      '<p>somebody signed in to your {APP_NAME} account from a place we have not seen before:</p>',
      '<p><em>{ALERT_INFO}</em></p>',
      '<p>Was it you? Then all is well. If not, <strong>change your password now</strong>: that signs out every device.</p>',
      SIGNATURE,
    ),
  },
};

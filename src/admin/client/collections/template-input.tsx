import { Stack, TextInput } from '@mantine/core';
import { useMemo, useState } from 'react';
import { escapeHtml } from '../../../kernel/mail/escape-html.js';
import { fillTemplate } from '../../../kernel/mail/fill-template.js';
import { layoutMail } from '../../../kernel/mail/mail-layout.js';
import type { CollectionModel, MailTemplateModel } from '../api/collection-model.js';
import { useSettings } from '../api/queries.js';
import type { FieldErrors } from '../api/use-field-errors.js';
import { CodeInput } from '../code/code-input.js';
import { CopyButton } from '../design/copy-button.js';
import { ShowHide } from '../design/show-hide.js';
import classes from './collection-panel.module.css';

interface TemplateInputProps {
  readonly label: string;
  readonly path: string;
  readonly errors: FieldErrors;
  /** Placeholders of this mail beyond those every mail has. */
  readonly placeholders: readonly string[];
  readonly collection: CollectionModel;
  readonly value: MailTemplateModel;
  readonly onChange: (value: MailTemplateModel) => void;
}

/** Subject and HTML of a mail with the placeholders it can hold (COL-9). */
export function TemplateInput({ label, path, errors, placeholders, collection, value, onChange }: TemplateInputProps) {
  const [open, setOpen] = useState(false);
  const fields = collection.fields
    .filter((field) => !field.hidden && field.type !== 'password')
    .map((field) => `{RECORD:${field.name}}`);
  const failed = errors.under(path);
  const [preview, setPreview] = useState(false);
  const { data: settings } = useSettings();
  const examples = useMemo(
    () => ({
      APP_NAME: settings?.meta.appName ?? '',
      APP_URL: settings?.meta.appURL ?? '',
      TOKEN: 'TOKEN',
      OTP: '1'.repeat(collection.otp?.length || 8),
      OTP_ID: 'OTP_ID',
      ALERT_INFO: '2026-01-01 10:00, 203.0.113.7, Firefox on Linux',
      'RECORD:id': 'RECORD_ID',
      'RECORD:email': 'somebody@example.com',
      'RECORD:name': 'Somebody',
    }),
    [settings, collection.otp?.length],
  );
  return (
    <div className={classes.section} style={failed ? { borderColor: 'var(--danger)' } : undefined}>
      <button
        type="button"
        className={classes.sectionHead}
        aria-expanded={open || failed}
        onClick={() => setOpen(!open)}
      >
        <span style={{ flex: 1 }}>{label}</span>
        <span className="hint truncate" style={{ maxWidth: '50%', fontWeight: 400 }}>
          {value?.subject}
        </span>
      </button>
      {open || failed ? (
        <Stack gap={10} className={classes.sectionBody}>
          <TextInput
            label="Subject"
            value={value?.subject ?? ''}
            error={errors.at(`${path}.subject`)}
            onChange={(event) => {
              errors.clear(`${path}.subject`);
              onChange({ ...value, subject: event.currentTarget.value });
            }}
          />
          <div>
            <div style={{ display: 'flex', gap: 8, marginBottom: 4 }}>
              <span style={{ fontWeight: 500 }}>Body (HTML)</span>
              <ShowHide what="what it looks like" shown={preview} onChange={setPreview} />
            </div>
            <CodeInput
              language="html"
              label={`${label}: body`}
              value={value?.body ?? ''}
              minHeight={140}
              maxHeight={320}
              invalid={Boolean(errors.at(`${path}.body`))}
              onChange={(body) => {
                errors.clear(`${path}.body`);
                onChange({ ...value, body });
              }}
            />
            {errors.at(`${path}.body`) ? (
              <p role="alert" style={{ margin: '4px 0 0', color: 'var(--danger)', fontSize: 12 }}>
                {errors.at(`${path}.body`)}
              </p>
            ) : null}
          </div>
          {preview ? (
            <section className={classes.mail} aria-label={`${label}: preview`}>
              <div className={classes.mailSubject} dir="auto">
                {fillTemplate(value?.subject ?? '', examples)}
              </div>
              {/* A frame without any rights: nothing of it runs, and its links lead nowhere. */}
              <iframe
                sandbox=""
                title={`${label}: body as it is read`}
                srcDoc={layoutMail('', fillTemplate(value?.body ?? '', examples, escapeHtml))}
                className={classes.mailBody}
              />
            </section>
          ) : null}
          <div className="hint" style={{ display: 'flex', flexWrap: 'wrap', gap: 4, alignItems: 'center' }}>
            Placeholders:
            {[...placeholders, '{APP_NAME}', '{APP_URL}', ...fields].map((each) => (
              <span
                key={each}
                className={`${classes.mark} mono`}
                style={{ display: 'inline-flex', alignItems: 'center' }}
              >
                {each}
                <CopyButton value={each} label={`Copy ${each}`} size={18} />
              </span>
            ))}
          </div>
        </Stack>
      ) : null}
    </div>
  );
}

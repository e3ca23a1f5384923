import { Alert, Collapse, Switch } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { S3Inputs } from './s3-inputs.js';
import { SettingsForm } from './settings-form.js';
import { useSettingsForm } from './use-settings-form.js';

/** Where uploaded files are kept and who may download them (UI-65). */
export function StorageScreen() {
  const form = useSettingsForm(['s3', 'files']);
  return (
    <SettingsForm form={form}>
      {(settings) => (
        <>
          <Switch
            label="Use S3 storage"
            description="Otherwise files are kept in the data directory."
            {...form.toggle('s3', 'enabled')}
          />
          {form.stored && form.stored.s3.enabled !== settings.s3.enabled ? (
            <Alert
              role="status"
              color="yellow.9"
              icon={<IconAlertTriangle size={18} />}
              title="Files that exist are not moved by themselves"
            >
              <span style={{ color: 'var(--ink)' }}>
                Copy them before or after switching, with the server's own command:{' '}
                <span className="mono" style={{ whiteSpace: 'nowrap' }}>
                  roost files copy {settings.s3.enabled ? '--to s3' : '--to local'}
                </span>
              </span>
            </Alert>
          ) : null}
          <Collapse expanded={settings.s3.enabled}>
            <S3Inputs
              value={settings.s3}
              filesystem="storage"
              canTest={!form.dirty && settings.s3.enabled}
              errorAt={(name) => form.errors.at(`s3.${name}`)}
              onChange={(change) => form.set('s3', change)}
            />
          </Collapse>
          <Switch
            label="Open unprotected files"
            description="Files of fields that are not protected can be downloaded by whoever knows their address, whatever the view rule says."
            {...form.toggle('files', 'openUnprotected')}
          />
        </>
      )}
    </SettingsForm>
  );
}

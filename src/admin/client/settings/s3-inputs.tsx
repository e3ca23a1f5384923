import { Alert, Button, Group, Stack, Switch, TextInput } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck, IconPlugConnected } from '@tabler/icons-react';
import { useCallback, useEffect, useRef, useState } from 'react';
import { api } from '../api/api.js';
import { messageOf } from '../api/failure.js';
import { useIsStored } from '../api/queries.js';
import type { S3Model } from '../api/models.js';
import { SideBySide } from '../design/side-by-side.js';
import { SecretInput } from './secret-input.js';

interface S3InputsProps {
  readonly value: S3Model;
  readonly onChange: (change: Partial<S3Model>) => void;
  readonly errorAt: (name: string) => string | undefined;
  readonly filesystem: 'storage' | 'backups';
  /** The check uses what is stored: with unsaved changes it would tell about something else. */
  readonly canTest: boolean;
}

/** Access to an S3-compatible store. What is stored is checked when it is shown and when it was saved. */
export function S3Inputs({ value, onChange, errorAt, filesystem, canTest }: S3InputsProps) {
  const [result, setResult] = useState<'' | 'busy' | 'good' | { error: string }>('');
  const isStored = useIsStored(filesystem === 'storage' ? 's3Secret' : 'backupsS3Secret');
  const text = (name: 'endpoint' | 'bucket' | 'region' | 'accessKey', label: string, placeholder?: string) => (
    <TextInput
      label={label}
      required
      autoComplete="off"
      placeholder={placeholder}
      value={value[name]}
      error={errorAt(name)}
      onChange={(event) => onChange({ [name]: event.currentTarget.value })}
    />
  );
  const latest = useRef(0);
  const test = useCallback(async () => {
    latest.current += 1;
    const own = latest.current;
    // What an earlier check found is about other settings.
    const tell = (found: typeof result) => {
      if (own === latest.current) setResult(found);
    };
    tell('busy');
    try {
      await api.settings.testS3(filesystem);
      tell('good');
    } catch (error) {
      tell({ error: messageOf(error) });
    }
  }, [filesystem]);
  useEffect(() => {
    if (canTest) void test();
    return () => {
      latest.current += 1;
      setResult('');
    };
  }, [canTest, test]);
  return (
    <Stack gap={14}>
      {text('endpoint', 'Endpoint', 'https://s3.example.com')}
      <SideBySide>
        {text('bucket', 'Bucket')}
        {text('region', 'Region', 'us-east-1')}
      </SideBySide>
      <SideBySide>
        {text('accessKey', 'Access key')}
        <SecretInput
          label="Secret"
          value={value.secret}
          error={errorAt('secret')}
          isStored={isStored}
          onChange={(secret) => onChange({ secret })}
        />
      </SideBySide>
      <Switch
        label="Path-style addresses"
        description="The bucket in the path instead of the host name; most stores other than Amazon's want it."
        checked={value.forcePathStyle}
        onChange={(event) => onChange({ forcePathStyle: event.currentTarget.checked })}
      />
      <Group gap={10}>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconPlugConnected size={15} />}
          loading={result === 'busy'}
          disabled={!canTest}
          onClick={() => void test()}
        >
          Check again
        </Button>
        {canTest ? null : <span className="hint">Save first: the check uses what is stored.</span>}
        {result === 'good' ? (
          <span role="status" style={{ color: 'var(--success)', display: 'inline-flex', gap: 5, alignItems: 'center' }}>
            <IconCircleCheck size={16} aria-hidden /> Connected: a file was written and deleted.
          </span>
        ) : null}
      </Group>
      {typeof result === 'object' ? (
        <Alert role="alert" color="red.8" icon={<IconAlertTriangle size={18} />}>
          <span style={{ color: 'var(--ink)' }}>{result.error}</span>
        </Alert>
      ) : null}
    </Stack>
  );
}

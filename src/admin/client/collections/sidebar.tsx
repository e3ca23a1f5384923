import { ActionIcon, Button, TextInput } from '@mantine/core';
import {
  IconAlertTriangle,
  IconChevronRight,
  IconPin,
  IconPinFilled,
  IconPlus,
  IconSchema,
  IconSearch,
  IconX,
} from '@tabler/icons-react';
import { memo, useCallback, useEffect, useRef, useState } from 'react';
import type { CollectionModel } from '../api/collection-model.js';
import { useStored } from '../app/use-stored.js';
import { CutName } from '../design/cut-name.js';
import { IconButton } from '../design/icon-button.js';
import { CollectionIcon } from './collection-icon.js';
import classes from './sidebar.module.css';

interface SidebarProps {
  readonly collections: readonly CollectionModel[];
  readonly currentId?: string;
  readonly onNew?: () => void;
  readonly onOverview: () => void;
}

/** From this many on the list is set tighter. */
const COMPACT_FROM = 20;

function lacksProvider(collection: CollectionModel): boolean {
  return collection.type === 'auth' && collection.oauth2?.enabled === true && !collection.oauth2.providers?.length;
}

interface ItemProps {
  readonly collection: CollectionModel;
  readonly current: boolean;
  readonly pinned: boolean;
  readonly onPin: (id: string) => void;
}

const Item = memo(function Item({ collection, current, pinned, onPin }: ItemProps) {
  const item = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (!current) return undefined;
    // With the frame, which measures the page anyway.
    const frame = requestAnimationFrame(() => item.current?.scrollIntoView({ block: 'nearest' }));
    return () => cancelAnimationFrame(frame);
  }, [current]);
  return (
    <li ref={item} className={classes.item} data-current={current || undefined}>
      <a
        href={`#/collections/${collection.name}`}
        className={classes.link}
        aria-label={`${collection.type} collection ${collection.name}`}
        aria-current={current ? 'page' : undefined}
      >
        <CollectionIcon type={collection.type} />
        <CutName name={collection.name} />
        {lacksProvider(collection) ? (
          <IconAlertTriangle
            data-tip
            size={14}
            color="var(--warning)"
            role="img"
            aria-label="OAuth2 is enabled without a provider"
          />
        ) : null}
      </a>
      <IconButton
        size={24}
        className={classes.pin}
        data-pinned={pinned || undefined}
        aria-label={`${pinned ? 'Unpin' : 'Pin'} ${collection.name}`}
        aria-pressed={pinned}
        onClick={() => onPin(collection.id)}
      >
        {pinned ? <IconPinFilled size={13} /> : <IconPin size={13} />}
      </IconButton>
    </li>
  );
});

/** The list of collections: search, pinned ones, the others, system ones folded away (UI-15). */
export function CollectionsSidebar({ collections, currentId, onNew, onOverview }: SidebarProps) {
  const [search, setSearch] = useState('');
  const [pins, setPins] = useStored<string[]>('roost_pinned', []);
  const [systemOpen, setSystemOpen] = useStored('roost_system_open', false);
  const word = search.trim().toLowerCase();
  const found = collections.filter(
    (each) => !word || each.name.toLowerCase().includes(word) || each.id.toLowerCase() === word || each.type === word,
  );
  const pinned = found.filter((each) => pins.includes(each.id));
  const system = found.filter((each) => each.system && !pins.includes(each.id));
  const others = found.filter((each) => !each.system && !pins.includes(each.id));
  const currentIsSystem = system.some((each) => each.id === currentId);
  const showSystem = systemOpen || word !== '' || currentIsSystem;
  const toggle = useCallback(
    (id: string) =>
      setPins((current) => (current.includes(id) ? current.filter((each) => each !== id) : [...current, id])),
    [setPins],
  );
  const list = (items: readonly CollectionModel[]) => (
    <ul className={classes.list}>
      {items.map((each) => (
        <Item
          key={each.id}
          collection={each}
          current={each.id === currentId}
          pinned={pins.includes(each.id)}
          onPin={toggle}
        />
      ))}
    </ul>
  );
  return (
    <nav
      className={classes.sidebar}
      aria-label="Collections"
      data-compact={collections.length >= COMPACT_FROM || undefined}
    >
      <div className={classes.top}>
        <TextInput
          size="xs"
          aria-label="Search collections"
          placeholder="Search collections"
          leftSection={<IconSearch size={14} />}
          rightSection={
            search ? (
              <ActionIcon size={24} aria-label="Clear the search" onClick={() => setSearch('')}>
                <IconX size={12} />
              </ActionIcon>
            ) : null
          }
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
          onKeyDown={(event) => {
            const first = [...pinned, ...others, ...system][0];
            if (event.key === 'Enter' && word && first) window.location.hash = `#/collections/${first.name}`;
          }}
          className={classes.search}
        />
        <ActionIcon data-tip size={30} aria-label="Overview of all collections" onClick={onOverview}>
          <IconSchema size={17} />
        </ActionIcon>
      </div>
      <div className={classes.scroll}>
        {pinned.length ? (
          <section aria-label="Pinned">
            <h2 className={classes.group}>Pinned</h2>
            {list(pinned)}
          </section>
        ) : null}
        {others.length ? (
          <section aria-label={pinned.length ? 'Others' : 'Collections'}>
            <h2 className={classes.group}>{pinned.length ? 'Others' : 'Collections'}</h2>
            {list(others)}
          </section>
        ) : null}
        {system.length ? (
          <section aria-label="System">
            <button
              type="button"
              className={classes.group}
              aria-expanded={showSystem}
              onClick={() => setSystemOpen(!showSystem)}
            >
              System
              <IconChevronRight size={13} style={{ transform: showSystem ? 'rotate(90deg)' : undefined }} aria-hidden />
            </button>
            {showSystem ? list(system) : null}
          </section>
        ) : null}
        {found.length ? null : <p className={classes.none}>Nothing is called "{search}".</p>}
      </div>
      {onNew ? (
        <div className={classes.bottom}>
          <Button variant="default" size="xs" fullWidth leftSection={<IconPlus size={15} />} onClick={onNew}>
            New collection
          </Button>
        </div>
      ) : null}
    </nav>
  );
}
